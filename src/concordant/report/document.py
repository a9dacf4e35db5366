"""The document behind a report: what was found, ready for JSON, and all that the report shows."""

from __future__ import annotations

import math
import platform
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..coefficients.registry import list_coefficients
from ..comparison_result import Comparison
from ..errors import InputError, InputTypeError
from ..resampling import Progress
from ..scores import Scores
from ..sides import Labelled, Side, side_of
from ..topics.judges import compare_judges
from .verdicts import verdict_of, verdict_of_many

FORMAT = 1
CEILINGS = ("tau_b", "tau_ap_b", "pearson_rank")
EXPLAINED = ("tau_ap_b", "tau_b")
MOST_PAIRS = 100


def report_document(
    comparisons: Comparison | Sequence[Comparison],
    truth: Labelled,
    candidate: Labelled | Sequence[Labelled],
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What a report of comparisons shows, ready for JSON: the comparisons, and what belongs beside them.

    That is, for each of them: the ceiling (the correlation of the truth's ranking with the true one that its topics let
    expect, `reliability` and `expected_correlation`), the ranks that the topics leave open (`rank_intervals`), and what
    the pairs of systems and the topics contribute (`explain`). For several candidates on the same data also
    `compare_judges` of the best with each other one. Seed and number of resamples are those of the comparisons.

    Parameters
    ----------
    comparisons : Comparison or sequence of them
        From `compare`. With `interval=TopicBootstrap()` and `test=True` the report says how sure it is.
    truth, candidate
        What was compared: `Scores`, files or means. `candidate` is a list for several comparisons.
    workers : int
        Threads.
    progress : callable, optional
        Called with the number of comparisons done and of all.

    Returns
    -------
    dict
        For `write_report`, or for a JSON file that `concordant report` reads.

    Examples
    --------
    >>> import concordant as cc
    >>> people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    >>> found = cc.compare(people, hasty, interval=cc.TopicBootstrap(999), n_resamples=999, rng=7)
    >>> document = cc.report.report_document(found, people, hasty)
    >>> document["verdict"]["headline"]
    'Not certain: 40 topics are too few to tell whether candidate ranks as well as truth.'
    """
    found = [comparisons] if isinstance(comparisons, Comparison) else list(comparisons)
    others: Any = [candidate] if isinstance(comparisons, Comparison) else candidate
    if not found or not all(isinstance(c, Comparison) for c in found):
        raise InputTypeError("comparisons must be what compare returns, at least one")
    if len(found) != len(others):
        raise InputError(f"{len(found)} comparisons and {len(others)} sides candidate: give one for each")
    reference = side_of(truth, "truth")
    sides = [side_of(other, "candidate") for other in others]
    parts: list[dict[str, Any]] = []
    of_truth: dict[Any, _Truth] = {}
    for k, (c, side) in enumerate(zip(found, sides, strict=True)):
        key = (c.systems, c.topics)
        if key not in of_truth:
            of_truth[key] = _Truth.of(c, reference, workers)
        parts.append({**c.to_dict(), **of_truth[key].to_dict(), "explanation": _explained(c, of_truth[key], side)})
        if progress is not None:
            progress(k + 1, len(found))
    judges, notes = _judges(found, reference, sides, workers)
    return document_of({"comparisons": parts, "judges": judges, "notes": notes})


def document_of(given: Any) -> dict[str, Any]:
    """The document of a result, of its JSON, or of a document; with all that can be derived from what is there."""
    content = given.to_dict() if hasattr(given, "to_dict") else given
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = {"comparisons": [c.to_dict() if hasattr(c, "to_dict") else c for c in content]}
    if not isinstance(content, Mapping):
        raise InputTypeError(f"a report is made of a result, or of its JSON, and not of a {type(given).__name__}")
    made = _plain(content)
    if {"tests", "labels", "study"} <= set(made):  # judges: a study of judgments, and what is said of the judges
        study = {**made.pop("study"), "labels": made.pop("labels")}
        made = {"study": study, "judges": made}
    elif "coefficients" in made and "truth_means" in made:
        made = {"comparisons": [made]}
    for kind, recognised in (
        ("comparison", "comparisons"),
        ("judgments", "study"),
        ("reliability", "reliability"),
        ("tiers", "rank_intervals"),
    ):
        if recognised in made:
            return _completed({"report": kind, "format": FORMAT, **made})
    if {"estimates", "n_systems"} <= set(made):
        return _completed({"report": "reliability", "format": FORMAT, "reliability": made})
    if {"tiers", "inseparable_neighbours"} <= set(made):
        return _completed({"report": "tiers", "format": FORMAT, "rank_intervals": made})
    if {"rows", "systems", "verdict"} <= set(made):
        return _completed({"report": "judgments", "format": FORMAT, "study": made})
    raise InputError(
        "there is no report for this: give the JSON of compare, judgments, reliability or tiers, with --format json"
    )


def _plain(content: Any) -> Any:
    """As JSON has it: lists for tuples, and None where there is no number."""
    if isinstance(content, Mapping):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_plain(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    if document["format"] != FORMAT:
        raise InputError(f"this document has format {document['format']!r}, and this version reads {FORMAT}")
    if document["report"] == "comparison":
        parts = [{**c, "ranks": _ranks(c)} for c in document["comparisons"]]
        if not parts:
            raise InputError("there is no comparison in this document")
        for part in parts:
            part["verdict"] = verdict_of(part)
        document["comparisons"] = parts
        document["call"] = _call(parts)
    document["verdict"] = verdict_of_many(document)
    document.setdefault("versions", _versions())
    return document


def _call(parts: Sequence[Mapping[str, Any]]) -> str:
    """The same in Python; the names of the sides stand for their files."""
    settings = dict(parts[0]["settings"])
    settings.pop("version", None)
    interval = settings.pop("interval", None)
    given = [f"{name}={value!r}" for name, value in settings.items()]
    if interval is not None:
        given.append(f"interval=cc.TopicBootstrap({', '.join(f'{k}={v!r}' for k, v in interval.items())})")
    named = list(parts[0]["coefficients"])
    if named != [c.name for c in list_coefficients()]:
        given.append(f"coefficients={named!r}")
    truth = repr(parts[0]["truth"])
    return "\n".join(
        [
            "import concordant as cc",
            f"truth = cc.read_scores({truth})",
            f"sides = {{name: cc.read_scores(name) for name in {[c['candidate'] for c in parts]!r}}}",
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
    return {side: _rank(np.asarray(comparison[f"{side}_means"])) for side in ("truth", "candidate")}


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
    def of(cls, c: Comparison, side: Side, workers: int) -> _Truth:
        from ..expected.estimation import expected_correlation, reliability
        from ..ranks.bounds import rank_intervals

        if side.scores is None:
            return cls(None, notes=("the truth came without topics, so nothing is known of its own precision",))
        scores = side.scores.select(c.systems, c.topics or None)
        if len(scores.topics) < 2:
            return cls(scores, notes=("one topic only, so nothing is known of the truth's own precision",))
        seed, count = c.settings["rng"], c.settings["n_resamples"]
        seed = 0 if seed is None else seed
        chosen = [v.coefficient for v in c.values if v.coefficient in CEILINGS or v.interval is not None]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            return cls(
                scores,
                reliability(scores, rng=seed, workers=workers),
                [expected_correlation(scores, n, "posterior", rng=seed, workers=workers) for n in chosen],
                rank_intervals(scores, n_resamples=max(count, 19), rng=seed, workers=workers),
                tuple(dict.fromkeys(str(w.message) for w in caught)),
            )

    def to_dict(self) -> dict[str, Any]:
        return {
            "reliability": self.reliability and self.reliability.to_dict(),
            "ceiling": None if self.ceiling is None else {e.coefficient: e.to_dict() for e in self.ceiling},
            "rank_intervals": self.rank_intervals and self.rank_intervals.to_dict(),
            "truth_notes": list(self.notes),
        }


def _explained(c: Comparison, truth: _Truth, candidate: Side) -> dict[str, Any] | None:
    """The worst pairs, each with whether the truth's topics tell it apart; the losses of systems; topics."""
    from ..topics.explanation import explain

    defined = [v.coefficient for v in c.values if not v.why]
    name = next((n for n in (*EXPLAINED, *defined) if n in defined), None)
    if name is None:
        return None
    if c.topics and truth.scores is not None and candidate.scores is not None:
        found = explain(truth.scores, candidate.scores.select(c.systems, c.topics), name)
    else:
        means = (dict(zip(c.systems, side.tolist(), strict=True)) for side in (c.truth_means, c.candidate_means))
        found = explain(next(means), next(means), name)
    made = found.to_dict()
    told_apart: dict[tuple[str, str], bool] = {}
    if truth.rank_intervals is not None:
        names, better = truth.rank_intervals.systems, truth.rank_intervals.better()
        told_apart = {(names[j], names[i]): True for i, j in zip(*np.nonzero(better), strict=True)}
        for pair in made["pairs"]:
            pair["told_apart"] = told_apart.get((pair["better"], pair["worse"]), False)
    swapped = [pair for pair in made["pairs"] if pair["kind"] == "swapped"]
    matters = [pair for pair in swapped if pair.get("told_apart")]
    return {
        **made,
        "pairs": made["pairs"][:MOST_PAIRS],
        "matters": matters[:MOST_PAIRS],
        "counts": {
            "pairs": len(c.systems) * (len(c.systems) - 1) // 2,
            "with_loss": len(made["pairs"]),
            "swapped": len(swapped) if found.exact else None,
            "matters": len(matters) if found.exact and truth.rank_intervals is not None else None,
        },
    }


def _judges(
    found: Sequence[Comparison], truth: Side, sides: Sequence[Side], workers: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """The best candidate against each other one, where all were compared on the same topics; or why not."""
    if len(found) < 2:
        return [], []
    name = next((n for n in CEILINGS[:2] if all(_has(c, n) for c in found)), None)
    if name is None or len({(c.systems, c.topics) for c in found}) > 1 or len(found[0].topics) < 2:
        return [], ["the candidates are not tested against each other: that needs the same systems and topics for all"]
    first = max(range(len(found)), key=lambda k: found[k][name])
    c = found[first]
    taken = [side.scores.select(c.systems, c.topics) for side in (truth, *sides) if side.scores is not None]
    seed, count = c.settings["rng"], max(c.settings["n_resamples"], 100)
    judges, notes = [], []
    for k, other in enumerate(found):
        if k == first:
            continue
        names = (c.candidate, other.candidate)
        options: dict[str, Any] = {"n_resamples": count, "rng": 0 if seed is None else seed, "workers": workers}
        try:
            tested = compare_judges(taken[0], taken[first + 1], taken[k + 1], name, names=names, **options)
        except InputError as error:
            notes.append(f"{names[0]} is not tested against {names[1]}: {error}")
        else:
            judges.append(tested.to_dict())
    return judges, notes


def _has(c: Comparison, name: str) -> bool:
    return any(v.coefficient == name and not v.why for v in c.values)
