"""The document behind a report: what was found, ready for JSON, and all that the report shows."""

from __future__ import annotations

import json
import platform
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..boards.board import FORMAT as BOARD_FORMAT
from ..boards.board import SCHEMA as BOARD
from ..coefficients.registry import headlines, list_coefficients
from ..comparison import ranked, sides_of
from ..comparison_result import Comparison
from ..door import Collection, as_side
from ..errors import InputError, InputTypeError
from ..judges.ranking import JudgeRanking
from ..resampling import Progress
from ..results import plain
from ..scores import Means, Scores, with_sign
from .candidates import MANY
from .verdicts import verdict_of, verdict_of_many

FORMAT = 1
MOST_PAIRS = 100
FEW_PAIRS = 20  # of systems, kept of each of many candidates
MOST_SCORES = 4_000_000  # letters, of which a page then has a third


def report_document(
    comparisons: Comparison | Sequence[Comparison],
    truth: Collection,
    candidate: Collection | Sequence[Collection],
    *,
    ranking: JudgeRanking | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What a report of comparisons shows, ready for JSON: the comparisons, and what belongs beside them.

    That is, for each of them: the ceiling (the correlation of the truth's ranking with the true one that its topics let
    expect, `reliability` and `expected_correlation`), the ranks that the topics leave open (`rank_intervals`), and what
    the pairs of systems and the topics contribute (`explain`). For several candidates on the same data also what
    `rank_judges` finds. Seed and number of resamples are those of the comparisons.

    Parameters
    ----------
    comparisons : Comparison or sequence of them
        From `compare`. With `interval=True` and `test=True` the report says how sure it is.
    truth, candidate : Scores, Means, path, frame, mapping or results of a tool
        What was compared; `candidate` is a list of them for several comparisons.
    ranking : JudgeRanking, optional
        What `rank_judges` found for several candidates; where it is not given, it is found here.
    workers : int
        Threads.
    progress : callable, optional
        Called with the number of comparisons done and the total.

    Returns
    -------
    dict
        For `write_report`.

    Examples
    --------
    >>> import concordant as cc
    >>> people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    >>> found = cc.compare(people, hasty, interval=True, n_resamples=999, rng=7)
    >>> document = cc.report.report_document(found, people, hasty)
    >>> document["verdict"]["headline"].split(". ")[0]
    'candidate is a weaker judge than truth'

    """
    found = [comparisons] if isinstance(comparisons, Comparison) else list(comparisons)
    others: Any = [candidate] if isinstance(comparisons, Comparison) else candidate
    if not found or not all(isinstance(c, Comparison) for c in found):
        raise InputTypeError("comparisons must be what compare returns, at least one")
    if len(found) != len(others):
        raise InputError(f"{len(found)} comparisons and {len(others)} candidates: give one for each")
    reference, sides = as_side(truth, "truth"), [as_side(other, "candidate") for other in others]
    notes = []
    if ranking is None and len(found) > 1:
        found, ranking = ranked(found, reference, sides, workers)
        why = "that needs the same systems and topics for all"
        notes = [f"the candidates are not tested against each other: {why}"] if ranking is None else []
    pairs = [sides_of(c, reference, side) for c, side in zip(found, sides, strict=True)]
    parts: list[dict[str, Any]] = []
    of_truth: dict[Any, _Truth] = {}
    for k, (c, (own, side)) in enumerate(zip(found, pairs, strict=True)):
        key = (c.systems, c.topics)
        if key not in of_truth:
            of_truth[key] = _Truth.of(c, own, workers)
        explained = _explained(c, of_truth[key], side, FEW_PAIRS if len(found) > MANY else MOST_PAIRS)
        parts.append({**c.to_dict(), **of_truth[key].shown, "explanation": explained})
        if progress is not None:
            progress(k + 1, len(found))
    made = None if ranking is None else ranking.to_dict()
    return document_of({"comparisons": parts, "ranking": made, "scores": _scores(found, pairs), "notes": notes})


def document_of(given: Any) -> dict[str, Any]:
    """The document of a result, of its JSON, or of a document; with all that can be derived from what is there."""
    content = given.to_dict() if hasattr(given, "to_dict") else given
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = {"comparisons": [c.to_dict() if hasattr(c, "to_dict") else c for c in content]}
    if not isinstance(content, Mapping):
        raise InputTypeError(f"a report is made of a result, or of its JSON, and not of a {type(given).__name__}")
    scores = content.get("scores") if "comparisons" in content else None  # large, and ready for JSON
    made = plain({k: v for k, v in content.items() if k != "scores" or scores is None})
    made |= {"scores": scores} if scores is not None else {}
    if {"ranking", "labels", "study"} <= set(made):  # judges: a study of judgments, and what is said of the judges
        study = {**made.pop("study"), "labels": made.pop("labels")}
        made = {"study": study, "judges": made}
    elif "coefficients" in made and "truth_means" in made:
        made = {"comparisons": [made]}
    if made.get("schema") == BOARD:
        _require_format(made["format"], BOARD_FORMAT)
        return {**made, "report": "board", "versions": made.get("versions") or _versions()}
    for kind, recognised in (
        ("comparison", "comparisons"),
        ("judgments", "study"),
        ("reliability", "reliability"),
        ("tiers", "rank_intervals"),
        ("card", "judge_card"),
    ):
        if recognised in made:
            return _completed({"report": kind, "format": FORMAT, **made})
    if {"estimates", "n_systems"} <= set(made):
        return _completed({"report": "reliability", "format": FORMAT, "reliability": made})
    if {"card", "judges", "ranking"} <= set(made):
        return _completed({"report": "card", "format": FORMAT, "judge_card": made})
    if {"tiers", "inseparable_neighbours"} <= set(made) and "topics" in made["settings"]:  # ranks of votes have none
        return _completed({"report": "tiers", "format": FORMAT, "rank_intervals": made})
    if {"rows", "systems", "verdict"} <= set(made):
        return _completed({"report": "judgments", "format": FORMAT, "study": made})
    raise InputError(
        "there is no report for this: give the JSON of board, compare, judge-card, judgments, reliability or tiers, "
        "which they print with --format json"
    )


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    _require_format(document["format"], FORMAT)
    if document["report"] == "comparison":
        parts = [{**c, "ranks": _ranks(c)} for c in document["comparisons"]]
        if not parts:
            raise InputError("there is no comparison in this document")
        for part in parts:
            part["verdict"] = verdict_of(part)
        document["comparisons"] = parts
        document["call"] = _call(parts, document.get("files", {}))
    document["verdict"] = verdict_of_many(document)
    document.setdefault("versions", _versions())
    return document


def _require_format(given: Any, known: int) -> None:
    if given != known:
        raise InputError(f"this document has format {given!r}, and this version reads {known}")


def _call(parts: Sequence[Mapping[str, Any]], files: Mapping[str, Sequence[Any]]) -> str:
    """The same in Python. `files` has path, measure and direction of a side, by its name, else its file's name."""

    def read(name: str) -> str:
        path, measure, lower = files.get(name, (name, None, None))
        direction = "" if lower is None else f", lower_is_better={lower}"
        return f"cc.read_scores({path!r}{'' if measure is None else f', {measure!r}'}{direction})"

    settings = parts[0]["settings"]
    own = ("top", "per_topic", "on", "interval", "test", "worth", "rank_test", "confidence_level", "n_resamples")
    given = [f"rng={settings['seed']!r}", *(f"{name}={settings[name]!r}" for name in own)]
    given += [f"{name}={settings[name]!r}" for name in ("aggregate", "types", "groups") if name in settings]
    named = list(parts[0]["coefficients"])
    if named != [c.name for c in list_coefficients()]:
        given.append(f"coefficients={named!r}")
    truth = repr(parts[0]["truth"])
    return "\n".join(
        [
            "import concordant as cc",
            f"truth = {read(parts[0]['truth'])}",
            f"sides = {{{', '.join(f'{name!r}: {read(name)}' for name in (c['candidate'] for c in parts))}}}",
            f"how = dict({', '.join(given)})",
            f"found = [cc.compare(truth, side, names=({truth}, name), **how) for name, side in sides.items()]",
            "document = cc.report.report_document(found, truth, list(sides.values()))",
            'cc.write_report(document, "report.html")',
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
    def of(cls, c: Comparison, truth: Scores | Means, workers: int) -> _Truth:
        from ..expected.estimation import expected_correlation, reliability
        from ..ranks.bounds import rank_intervals

        if isinstance(truth, Means):
            return cls(None, notes=("the truth came without topics, so nothing is known of its own precision",))
        scores = truth
        if len(scores.topics) < 2:
            return cls(scores, notes=("one topic only, so nothing is known of the truth's own precision",))
        wanted = headlines("inferred")
        chosen = [v.coefficient for v in c.values if v.coefficient in wanted or v.interval is not None]
        how: dict[str, Any] = {"rng": _seed(c), "workers": workers}
        with warnings.catch_warnings(action="ignore"):  # their notes say it
            found = reliability(scores, **how)
            ceiling = [expected_correlation(scores, name, "posterior", **how) for name in chosen]
            intervals = rank_intervals(scores, n_resamples=max(c.settings["n_resamples"], 19), **how)
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


def _seed(c: Comparison) -> int:
    seed: int | None = c.settings["seed"]
    return 0 if seed is None else seed


def _scores(found: Sequence[Comparison], pairs: Sequence[tuple[Any, Any]]) -> dict[str, Any] | None:
    """Scores by topic of both sides, for who explores them: each truth once, in the order of `report.picture`.

    None where the sides have no topics in common, where their means are no plain means, where a score is missing, or
    where the page would become too large.
    """
    if any(c.settings.get("aggregate", "mean") != "mean" for c in found):
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


def _explained(c: Comparison, truth: _Truth, candidate: Scores | Means, most: int) -> dict[str, Any] | None:
    """The worst pairs, each with whether the truth's topics tell it apart; the losses of systems; topics."""
    from ..topics.explanation import explain

    defined = [v.coefficient for v in c.values if not v.why]
    name = next((n for n in (*reversed(headlines("main")), *defined) if n in defined), None)
    if name is None:
        return None
    if c.topics and truth.scores is not None and isinstance(candidate, Scores):
        found = explain(truth.scores, candidate, name)
    else:
        found = explain(Means(c.truth_means, c.systems), Means(c.candidate_means, c.systems), name)
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
