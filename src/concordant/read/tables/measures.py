"""Which of the measures that are there is read, and whether lower is better: as told, or as file or name suggest."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from ...errors import ConcordantError, warn
from ...words import argument, either_direction, listing
from .cells import Origin


def no_measure(origin: Origin, asked: str, available: Collection[str]) -> ConcordantError:
    """The error for a measure that is not there: the same in another tool's spelling, the nearest, or what there is."""
    same = [name for name in available if _spelling(name) == _spelling(asked)]
    near = same or difflib.get_close_matches(asked, available, n=3, cutoff=0.6)
    there = f"there are: {listing(available, 12 if near else 200)}"
    hint = f"did you mean {' or '.join(map(repr, near))}? T{there[1:]}" if near else there
    return origin.error(f"there is no measure {asked!r}; {hint}")


def _spelling(name: str) -> str:
    """One spelling for the names that tools give to the same measure: ndcg_cut.10, ndcg_cut_10, nDCG@10."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower().split(",")[0].replace("_cut", "").replace("precision", "p"))
    return {"ap": "map", "rr": "reciprank", "mrr": "reciprank"}.get(plain, plain)


# Words, in lower case, of measures that are better when they are lower. ERR, expected reciprocal rank, is not one.
_ERRORS = (
    r"[cwt]er|hter|mer|wil|eer|der|loss(?:es)?|errors?|err rate|mistakes?|failures?|violations?|penalt(?:y|ies)|regret|"
    r"n?r?mse|r?msle|mae|s?mape|crps|perplexit(?:y|ies)|ppl|nll|brier|[em]ce|cross ?entropy|bits per \w+|bp[bc]|"
    r"divergence|distance|levenshtein|fid|latency|runtime|times?|duration|seconds|costs?|prices?|"
    r"toxicity|hallucinations?|f[pn]r|false (?:positives?|negatives?)|neg(?:ative)? log lik\w*|ranks?"
)
# Words that turn them round: neg_log_loss, error_reduction, mean reciprocal rank, cost_efficiency.
_TURNED = (
    r"neg(?:ative|ated)?|inverse|inverted|reciprocal|recip|biased|acc|accuracy|precision|recall|f ?\d.*|auc|auroc|"
    r"corr|correlation|spearman|pearson|kendall|tau|reductions?|gains?|improvements?|savings?|efficiency|free|"
    r"effectiveness|robustness|detection|correction|wins?|standard"
)
_AN_ERROR, _NOT_ONE = re.compile(rf"\b(?:{_ERRORS})\b"), re.compile(rf"\b(?:{_TURNED})\b")
_ALWAYS = re.compile(r"\bfalse (?:pos|neg)|\bneg(?:ative)? log lik")
_ONE_MINUS = re.compile(r"\s*(?:1(?:00)?\s*)?[-\u2013\u2212]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def usually_an_error(measure: str) -> bool:
    """Whether lower is usually better in a measure of this name: one of its words says so, and none says otherwise.

    >>> [usually_an_error(name) for name in ("WER (%)", "eval_loss", "wordErrorRate", "mean rank")]
    [True, True, True, True]
    >>> [usually_an_error(name) for name in ("neg_log_loss", "1-wer", "ERR@20", "terrier", "recip_rank")]
    [False, False, False, False, False]
    """
    words = " ".join(_WORD.findall(measure[:200])).lower()
    if _ONE_MINUS.match(measure) or not _AN_ERROR.search(words):
        return False
    return _ALWAYS.search(words) is not None or _NOT_ONE.search(words) is None


def direction(
    measure: str, said: bool | None, origin: Origin, by_file: Collection[bool] = (), side: str = "PATH"
) -> bool:
    """Whether lower is better: as the caller says, or else as the files say; an error where only the name suggests it.

    `by_file` has what the files say of the topics that are read, `side` is what the command line calls them.
    """
    if said is not None:
        if by_file and said not in by_file:
            warn(f"{origin.label} says that {_better(not said)} for {measure!r}; it was read as {_better(said)}")
        return said
    if len(set(by_file)) > 1:
        mixed = f"says that lower is better for {measure!r} on some topics and higher on others"
        raise origin.error(f"{mixed}: read some of them with {argument('topics')}")
    if by_file:
        lower = next(iter(by_file))
        if lower:
            warn(f"{origin.label} says that lower is better for {measure!r}, and it was read so")
        return lower
    if usually_an_error(measure):
        usual = f"lower is usually better for {measure!r}, and no direction was given"
        raise origin.error(f"{usual}: {either_direction(side)}")
    return False


def _better(lower: bool) -> str:
    return f"{'lower' if lower else 'higher'} is better"
