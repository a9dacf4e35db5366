"""The document behind a report: what was found, ready for JSON, and all that the report shows."""

from __future__ import annotations

import json
import platform
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ... import __version__
from ...agreement.comparison import whole as complete
from ...agreement.comparison_result import Compared, Comparison, is_named
from ...arrays import FloatArray
from ...coefficients.registry import headlines
from ...data.results import Result, plain, seed_of
from ...data.scores import Means, Scores, with_sign
from ...errors import InputError, InputTypeError
from ...pairing import Pairing
from ...ranks.intervals import FORMAT as BOARD_FORMAT
from ...ranks.intervals import SCHEMA as BOARD
from .candidates import MANY
from .verdicts import verdict_of, verdict_of_many

FORMAT = 1
MOST_PAIRS = 100
FEW_PAIRS = 20  # of systems, kept of each of many candidates
MOST_SCORES = 4_000_000  # letters, of which a page then has a third


def _of_comparison(given: Comparison) -> dict[str, Any]:
    """What a page of comparisons shows: the comparisons with intervals and tests, and what belongs beside them.

    That is, for each of them: the ceiling (the correlation of the truth's ranking with the true one that its topics let
    expect, `reliability` and `expected_correlation`), the ranks that the topics leave open (`rank_intervals`), and what
    the pairs of systems and the topics contribute (`explain`). Seed and resamples are those of the comparison.
    """
    whole = given if given.settings["interval"] and given.settings["test"] else complete(given)
    found = whole.comparisons
    why = "that needs the same systems and topics for all"
    alone = len(found) == 1 or whole.ranking is not None
    notes = [] if alone else [f"the candidates are not tested against each other: {why}"]
    pairs = [c.pairing.observations() for c in found]
    parts: list[dict[str, Any]] = []
    of_truth: dict[Any, _Truth] = {}
    for c, (own, side) in zip(found, pairs, strict=True):
        key = (c.systems, c.topics)
        if key not in of_truth:
            of_truth[key] = _Truth.of(c, own)
        explained = _explained(c, of_truth[key], side, FEW_PAIRS if len(found) > MANY else MOST_PAIRS)
        read = _read_notes(c.pairing.sides)
        parts.append({**c.to_dict(), **of_truth[key].shown, "explanation": explained, "read_notes": read})
    made = None if whole.ranking is None else whole.ranking.to_dict()
    scores = _scores(found, pairs)
    return {"comparisons": parts, "ranking": made, "scores": scores, "notes": notes, "call": _call(whole)}


def document_of(given: Any) -> dict[str, Any]:
    """The document of a result, with all that its page shows; or a document again, with what can be derived from it."""
    if isinstance(given, Result):
        content: Mapping[str, Any] = _content_of(given)
    elif isinstance(given, Mapping):
        content = given
    else:
        raise InputTypeError(f"a page is made of a result, and not of a {type(given).__name__}")
    large = "scores" if "comparisons" in content else ""  # and ready for JSON
    made = {key: value if key == large else plain(value) for key, value in content.items()}
    if {"ranking", "labels", "study"} <= set(made):  # judges: a study of judgments, and what is said of the judges
        study = {**made.pop("study"), "labels": made.pop("labels")}
        made = {"study": study, "judges": made}
    if made.get("schema") == BOARD:
        _require_format(made["format"], BOARD_FORMAT)
        return {**made, "report": "board", "versions": made.get("versions") or _versions()}
    for kind, recognised in (
        ("comparison", "comparisons"),
        ("judgments", "study"),
        ("reliability", "reliability"),
        ("card", "judge_card"),
    ):
        if recognised in made:
            return _completed({"report": kind, "format": FORMAT, **made})
    if {"estimates", "n_systems"} <= set(made):
        return _completed({"report": "reliability", "format": FORMAT, "reliability": made})
    if {"card", "judges", "ranking"} <= set(made):
        return _completed({"report": "card", "format": FORMAT, "judge_card": made})
    if {"rows", "systems", "verdict"} <= set(made):
        return _completed({"report": "judgments", "format": FORMAT, "study": made})
    raise InputError(
        "there is no report for this: board, compare, judge_card, rank_intervals, reliability and studies of judgments "
        "have one"
    )


def _content_of(given: Result) -> dict[str, Any]:
    """What was found, what belongs beside it, and what reading the data had to say."""
    from ...planning.estimation import Reliability, expected_correlation

    if isinstance(given, Comparison):
        return _of_comparison(given)
    content = given.to_dict()
    if isinstance(given, Reliability) and given.data is not None:
        how: dict[str, Any] = {"rng": seed_of(given.settings)}
        with warnings.catch_warnings(action="ignore"):  # said before
            made = [
                expected_correlation(given.data, coefficient=name, estimator="posterior", **how)
                for name in ("tau", "tau_ap")
            ]
        content["posterior"] = [estimate.to_dict() for estimate in made]
    if given.data is not None:
        sides = given.data.sides if isinstance(given.data, Pairing) else [given.data]
        content["read_notes"] = _read_notes(sides)
    return content


def _read_notes(sides: Iterable[Scores | Means]) -> list[str]:
    """What reading had to say about the data, each once."""
    return list(dict.fromkeys(note for side in sides for note in side.notes))


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    _require_format(document["format"], FORMAT)
    if document["report"] == "comparison":
        parts = [{**c, "ranks": _ranks(c)} for c in document["comparisons"]]
        if not parts:
            raise InputError("there is no comparison in this document")
        for part in parts:
            part["verdict"] = verdict_of(part)
        document["comparisons"] = parts
    document["verdict"] = verdict_of_many(document)
    document.setdefault("versions", _versions())
    return document


def _require_format(given: Any, known: int) -> None:
    if given != known:
        raise InputError(f"this document has format {given!r}, and this version reads {known}")


def _call(found: Comparison) -> str:
    """The same in Python."""
    first, settings = found.comparisons[0], found.settings
    own: dict[str, Any] = {"top": None, "per_topic": False, "on": "both", "worth": True, "rank_test": "recentred"}
    own |= {"confidence_level": 0.95, "n_resamples": 9_999}
    given = [f"{name}={settings[name]!r}" for name, usual in own.items() if settings[name] != usual]
    if is_named(found):
        given.append(f"coefficients={[v.coefficient for v in first.values]!r}")

    def read(side: Scores | Means, name: str) -> str:
        return side.call or f"...  # {name}"

    sides = [(c.candidate, c.pairing.candidates[0]) for c in found.comparisons]
    return "\n".join(
        [
            "import concordant as cc",
            f"truth = {read(first.pairing.truth, first.truth)}",
            "candidates = {",
            *(f"    {name!r}: {read(side, name)}," for name, side in sides),
            "}",
            f"found = cc.compare(truth, candidates, names={found.names!r}, rng={settings['seed']!r}"
            f"{''.join(f', {one}' for one in given)})",
            'found.report("report.html")',
        ]
    )


def _versions() -> dict[str, str]:
    import scipy

    return {
        "concordant": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _ranks(comparison: Mapping[str, Any]) -> dict[str, list[int]]:
    """1 + the number of strictly better systems, on both sides."""
    sides = zip(("truth", "candidate"), comparison["lower_is_better"], strict=True)
    return {side: _rank(with_sign(np.asarray(comparison[f"{side}_means"]), lower)) for side, lower in sides}


def _rank(means: FloatArray) -> list[int]:
    return [int(k) for k in 1 + (means[None, :] > means[:, None]).sum(axis=1)]


# What belongs beside a comparison ------------------------------------------------------------------


@dataclass(frozen=True)
class _Truth:
    """What the topics of the truth say, for the systems and topics of a comparison; None without topics."""

    scores: Scores | None
    reliability: Any = None
    ceiling: Any = None
    rank_intervals: Any = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, c: Compared, truth: Scores | Means) -> _Truth:
        from ...planning.estimation import expected_correlation, reliability
        from ...ranks.bounds import rank_intervals

        if isinstance(truth, Means):
            return cls(None, notes=("the truth came without topics, so nothing is known of its own precision",))
        scores = truth
        if len(scores.topics) < 2:
            return cls(scores, notes=("one topic only, so nothing is known of the truth's own precision",))
        wanted = headlines("inferred")
        chosen = [v.coefficient for v in c.values if v.coefficient in wanted or v.interval is not None]
        how: dict[str, Any] = {"rng": seed_of(c.settings)}
        with warnings.catch_warnings(action="ignore"):  # their notes say it
            found = reliability(scores, **how)
            ceiling = [expected_correlation(scores, coefficient=name, estimator="posterior", **how) for name in chosen]
            intervals = rank_intervals(scores, **how)
        notes = dict.fromkeys(note for made in (found, *ceiling, intervals) for note in made.notes)
        return cls(scores, found, ceiling, intervals, tuple(notes))

    @cached_property
    def told_apart(self) -> frozenset[tuple[str, str]]:
        """The pairs of systems of which the first is significantly better."""
        if self.rank_intervals is None:
            return frozenset()
        names, better = self.rank_intervals.systems, self.rank_intervals.better()
        return frozenset((names[j], names[i]) for i, j in zip(*np.nonzero(better), strict=True))

    @cached_property
    def shown(self) -> dict[str, Any]:
        """What the report has of it."""
        return {
            "reliability": self.reliability and self.reliability.to_dict(),
            "ceiling": None if self.ceiling is None else {e.coefficient: e.to_dict() for e in self.ceiling},
            "rank_intervals": self.rank_intervals and self.rank_intervals.to_dict(),
            "truth_notes": list(self.notes),
        }


def _scores(found: Sequence[Compared], pairs: Sequence[tuple[Any, ...]]) -> dict[str, Any] | None:
    """Scores by topic of both sides, for who explores them: each truth once, in the order of `report.picture`.

    None where the sides have no topics in common, where their means are no plain means, where a score is missing, or
    where the page would become too large.
    """
    if any(c.settings.get("total", "mean") != "mean" for c in found):
        return None
    if not all(
        c.topics and isinstance(a, Scores) and isinstance(b, Scores) for c, (a, b) in zip(found, pairs, strict=True)
    ):
        return None
    truths: dict[Any, Scores] = {}
    for c, (a, _) in zip(found, pairs, strict=True):
        truths.setdefault((c.systems, c.topics), a)
    if not all(np.isfinite(side.values).all() for pair in pairs for side in pair):
        return None
    sides = {"truths": list(truths.values()), "candidates": [b for _, b in pairs]}
    made = {name: [side.shown().tolist() for side in of] for name, of in sides.items()}
    return made if len(json.dumps(made)) <= MOST_SCORES else None


def _explained(c: Compared, truth: _Truth, candidate: Scores | Means, most: int) -> dict[str, Any] | None:
    """The worst pairs, each with whether the truth's topics tell it apart; the losses of systems; topics."""
    from ...agreement.explanation import explain

    defined = [v.coefficient for v in c.values if not v.why]
    name = next((n for n in (*reversed(headlines("main")), *defined) if n in defined), None)
    if name is None:
        return None
    if c.topics and truth.scores is not None and isinstance(candidate, Scores):
        found = explain(truth.scores, candidate, coefficient=name)
    else:
        found = explain(Means(c.truth_means, c.systems), Means(c.candidate_means, c.systems), coefficient=name)
    swapped = [pair for pair in found.pairs if pair.kind == "swapped"]
    matters = [pair for pair in swapped if (pair.better, pair.worse) in truth.told_apart]
    known = truth.rank_intervals is not None

    def listed(pairs: Sequence[Any]) -> Any:
        rows = replace(found, pairs=tuple(pairs[:most])).rows("pairs")
        return [{**r, "told_apart": (r["better"], r["worse"]) in truth.told_apart} for r in rows] if known else rows

    return {
        **replace(found, pairs=()).to_dict(),
        "verdict": found.verdict,
        "pairs": listed(found.pairs),
        "matters": listed(matters),
        "counts": {
            "pairs": len(c.systems) * (len(c.systems) - 1) // 2,
            "with_loss": len(found.pairs),
            "swapped": len(swapped) if found.exact else None,
            "matters": len(matters) if found.exact and known else None,
        },
    }
