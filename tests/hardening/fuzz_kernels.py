"""Random and hostile arguments for every entry point of the native module.

    python tests/hardening/fuzz_kernels.py --seconds 60 --seed 1

What is valid must give what the NumPy twin gives; what is not must raise TypeError or ValueError. Nothing may write
outside of `out` or into an input. A crash names the round, and `--only ROUND` plays that one again.
"""

from __future__ import annotations

import argparse
import math
import mmap
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from concordant._kernels import reference

Rng = np.random.Generator
SIZES = (2, 3, 5, 8, 31, 32, 33, 64, 65, 100, 256, 257, 383, 384, 385, 700)
WORKERS = (1, 2, 3, 0, -1, 1000)
TAME = {"uniform", "ties", "equal", "zeros", "not finite"}
MARGIN = 16  # canaries on each side of an output
CANARY = -12345.678


class FoundError(Exception):
    """What a round found wrong."""


@dataclass
class Call:
    """Arguments of an entry point. `exact` and `close` are the columns of the result that the twin must give."""

    arguments: list[Any]
    outputs: tuple[int, ...] = ()
    """Places of the arrays that are filled."""
    indexes: tuple[int, ...] = ()
    """Places of the numbers of rows."""
    comparable: bool = True
    """Whether the twin's result is the truth."""
    exact: tuple[int, ...] = ()
    close: tuple[int, ...] = ()
    tolerance: float = 1e-9
    spoiled: str = ""
    buffers: list[Any] = field(default_factory=list)


# Values -------------------------------------------------------------------------------------------


def values(rng: Rng, shape: tuple[int, ...], uniform: float = 0.0) -> tuple[Any, str]:
    """Scores of some kind, and which; uniform ones as often as asked for, at least."""
    kind = str(rng.choice(["uniform", "ties", "equal", "denormal", "huge", "mixed", "ulps", "zeros", "not finite"]))
    kind = "uniform" if rng.random() < uniform else kind
    makers: dict[str, Callable[[], Any]] = {
        "uniform": lambda: rng.random(shape),
        "ties": lambda: rng.integers(0, 4, shape) / 4.0,
        "equal": lambda: np.full(shape, float(rng.normal())),
        "denormal": lambda: rng.integers(-20, 20, shape) * 5e-324,
        "huge": lambda: rng.uniform(-1, 1, shape) * 1.7e308,
        "mixed": lambda: rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, shape),
        "ulps": lambda: 1 + rng.integers(0, 9, shape) * 2.0**-52,
        "zeros": lambda: rng.choice([0.0, -0.0, 1.0], shape),
        "not finite": lambda: rng.random(shape),
    }
    made: Any = np.array(makers[kind](), dtype=np.float64)
    if kind == "not finite" and made.size:
        made.flat[rng.integers(made.size)] = rng.choice([np.nan, np.inf, -np.inf])
    return made, kind


def size(rng: Rng) -> int:
    return int(rng.choice(SIZES)) if rng.random() < 0.97 else 5000


def filled(call: Call, *shape: int) -> Any:
    """An array to be filled, between canaries."""
    count = math.prod(shape)
    buffer = np.full(count + 2 * MARGIN, CANARY)
    call.buffers.append((buffer, count))
    return buffer[MARGIN : MARGIN + count].reshape(shape)


def workers(rng: Rng) -> int:
    return int(rng.choice(WORKERS))


# Entry points -------------------------------------------------------------------------------------


def _pair(rng: Rng) -> tuple[Call, bool]:
    n = size(rng)
    truth, one = values(rng, (n,))
    candidate, other = values(rng, (n,))
    return Call([truth, candidate]), {one, other} <= TAME


def _rows(rng: Rng, fields: int) -> tuple[Call, bool]:
    n, count = min(size(rng), 700), int(rng.choice([0, 1, 2, 7, 40]))
    truth, one = values(rng, (int(rng.integers(1, 4)), n))
    candidate, other = values(rng, (int(rng.integers(1, 5)), n))
    call = Call([truth, candidate, rng.integers(0, len(truth), count), rng.integers(0, len(candidate), count)])
    call.arguments += [filled(call, count, fields), workers(rng)]
    call.outputs, call.indexes = (4,), (2, 3)
    return call, {one, other} <= TAME


def _concordance(rng: Rng, call: Call) -> Call:
    tolerance = 0.0 if rng.random() < 0.7 else float(rng.choice([0.1, 0.25, 5e-324, 1e-300, 1e308, np.nan, -1.0]))
    extra = int(rng.choice([*range(8), reference.PAIRS]))
    call.arguments += [tolerance, extra]
    call.exact = (0, 1, 2, 3, 4)
    if extra == reference.PAIRS:
        return call
    call.exact += (5, 6)
    strict = (11, 12) if extra & reference.STRICT else ()
    mean = (9, 10) if extra & reference.MEAN and not tolerance > 0 else ()
    back = (7,) if extra & reference.BACK else ()
    call.close = (8, *back, *mean, *strict)
    return call


def concordance_pair(rng: Rng) -> Call:
    return _concordance(rng, _pair(rng)[0])


def concordance_rows(rng: Rng) -> Call:
    return _concordance(rng, _rows(rng, len(reference.Counts._fields))[0])


def _gaps(call: Call, tame: bool) -> Call:
    # Sums of gaps of very different sizes may lose the small ones, in another order than the twin's.
    call.exact, call.close = ((1,), (0,)) if tame else ((), ())
    return call


def gaps_pair(rng: Rng) -> Call:
    return _gaps(*_pair(rng))


def gaps_rows(rng: Rng) -> Call:
    return _gaps(*_rows(rng, len(reference.Gaps._fields)))


def ranks_pair(rng: Rng) -> Call:
    call = _pair(rng)[0]
    call.exact = (0, 1, 2)
    return call


def ranks_rows(rng: Rng) -> Call:
    call = _rows(rng, len(reference.Ranks._fields))[0]
    call.exact = (0, 1, 2)
    return call


def weights_pair(rng: Rng) -> Call:
    call = _pair(rng)[0]
    call.close = tuple(range(6))
    return call


def weights_rows(rng: Rng) -> Call:
    call = _rows(rng, len(reference.Weights._fields))[0]
    call.close = tuple(range(6))
    return call


def _overlaps(rng: Rng, call: Call) -> Call:
    p, n = float(rng.choice([0.1, 0.9, 0.999])), call.arguments[0].shape[-1]
    with np.errstate(under="ignore"):
        call.arguments += [(1 - p) * np.power(p, np.arange(float(n))), int(rng.integers(0, 3))]
    call.close = (0, 1, 2)
    return call


def overlaps_pair(rng: Rng) -> Call:
    return _overlaps(rng, _pair(rng)[0])


def overlaps_rows(rng: Rng) -> Call:
    return _overlaps(rng, _rows(rng, len(reference.Overlaps._fields))[0])


def _cosines(call: Call, tame: bool) -> Call:
    call.close = (0, 1, 2, 3) if tame else ()
    call.tolerance = 1e-8
    return call


def cosines_pair(rng: Rng) -> Call:
    return _cosines(*_pair(rng))


def cosines_rows(rng: Rng) -> Call:
    return _cosines(*_rows(rng, len(reference.Cosines._fields)))


def rank_distances(rng: Rng) -> Call:
    m, count = int(rng.choice([2, 3, 8, 9, 17, 40])), int(rng.choice([0, 1, 5, 40]))
    scores, kind = values(rng, (int(rng.choice([2, 5, 60])), m), 0.5)
    with np.errstate(all="ignore"):
        means = scores.mean(axis=0)
        covariance = np.ascontiguousarray((scores - means).T @ (scores - means) / max(1, len(scores) - 1))
    candidate, _ = values(rng, (count, m))
    if rng.random() < 0.3:  # ties
        candidate = rng.integers(0, 5, (count, m)).astype(np.float64)
    call = Call([covariance, means, candidate, float(rng.choice([1e-5, 1e-2]))], comparable=kind == "uniform")
    duals = filled(call, count if rng.random() < 0.5 else 0, m - 1)
    call.arguments += [filled(call, count, 2), duals, workers(rng)]
    call.outputs = (4, 5)
    call.close = (0,)
    call.tolerance = 1e-6
    if not np.isfinite(candidate).all() or len(scores) <= m:
        call.comparable = False
    return call


def recentred_distances(rng: Rng) -> Call:
    n, p, count = int(rng.choice([2, 5, 60])), int(rng.choice([1, 2, 8, 9, 17])), int(rng.choice([0, 1, 5, 40]))
    differences, kind = values(rng, (n, p), 0.5)
    if kind == "uniform":
        differences -= differences.mean(axis=0)
    projection = np.abs(values(rng, (p,), 0.5)[0])
    weights = rng.multinomial(n, np.full(n, 1 / n), count).astype(np.int64)
    ends = np.empty(0, np.int64)
    if rng.random() < 0.5:  # of groups of tied systems
        ends = np.append(np.flatnonzero(rng.random(p - 1) < 0.5) + 1, p).astype(np.int64)
    call = Call([differences, projection, ends, weights, 1e-5], comparable=kind == "uniform" and n > p)
    if rng.random() < 0.2 and count:  # what no sampler draws
        weights[0, 0] = rng.choice([-1, np.iinfo(np.int64).max, np.iinfo(np.int64).min])
        call.comparable = False
    if not (projection < 10).all():
        call.comparable = False
    call.arguments += [filled(call, count, 2), workers(rng)]
    call.outputs = (5,)
    call.close = (0,)
    call.tolerance = 1e-6
    return call


def resampled_sums(rng: Rng) -> Call:
    n, m, count = (int(rng.choice([0, 1, 2, 5, 64])) for _ in range(3))
    scores, kind = values(rng, (n, m))
    weights = rng.integers(0, 4, (count, n))
    call = Call([scores, weights], outputs=(2,), comparable=kind in ("uniform", "ties", "equal", "ulps", "zeros"))
    call.arguments += [filled(call, count, m), workers(rng)]
    call.close = tuple(range(m))
    return call


def short_means(rng: Rng) -> Call:
    m, count = int(rng.choice([0, *SIZES])), int(rng.choice([0, 1, 5, 40]))
    sums, _ = values(rng, (count, m), 0.3)
    with np.errstate(all="ignore"):
        if rng.random() < 0.7:
            sums = np.abs(sums) * rng.choice([1.0, 1e-12, 1e9])
        for k in range(1, m, 2):  # equal but for rounding, hardly more than that, or some steps of the last digit apart
            sums[:, k] = sums[:, k - 1] * (1 + rng.choice([0, 1e-15, 3e-15, 1e-13, 1e-12, 1.0], count))
    call = Call([sums, float(rng.integers(1, 600)), float(rng.choice([2.5, 130.0])) * 2.0**-52], outputs=(3,))
    call.arguments += [filled(call, count, m), workers(rng)]
    call.exact = tuple(range(m))
    return call


def exceedances(rng: Rng) -> Call:
    n, m, count, draws = (int(rng.choice([1, 2, 5, 70])) for _ in range(4))
    scores, kind = values(rng, (n, m), 0.5)
    base = np.array([int(rng.integers(-1, c)) if c else -1 for c in range(m)], dtype=np.int64)
    signs = rng.choice(np.array([-1, 1]), (draws, n))
    first, second = (rng.integers(0, m, count) for _ in range(2))
    scale, least = rng.integers(0, 8, count) / 4, rng.integers(0, 30, count) / 16
    ends = np.unique([*rng.integers(0, count + 1, int(rng.integers(0, 4))), count])
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        least[begin:end].sort()
    call = Call([scores, base, signs, first, second, scale, least, ends], outputs=(8,), indexes=(3, 4, 7))
    call.arguments.append(filled(call, count))
    call.comparable = kind in ("uniform", "ties", "zeros")
    call.exact = (0,)
    return call


def negative_shares(rng: Rng) -> Call:
    n, count = int(rng.choice([1, 2, 5, 50])), int(rng.choice([0, 1, 3, 40]))
    differences, kind = values(rng, (count, n))
    with np.errstate(all="ignore"):
        reach = np.abs(differences).max(axis=1, initial=0) * n * 1.1 + 1e-300
        steps = 2 * math.pi / reach
    call = Call([differences, steps], outputs=(5,), comparable=kind in ("uniform", "ties", "equal"))
    widths = np.where(rng.random(count) < 0.5, 0.0, rng.random(count))
    points: Any = np.zeros(count, dtype=np.int64)
    if rng.random() < 0.2 and count:
        points[0] = rng.choice([-1, 1, 2, 3, np.iinfo(np.int64).max, np.iinfo(np.int64).min])
        call.comparable = False
    if rng.random() < 0.2 and count:
        steps[0], widths[0] = rng.choice([0.0, -1.0, np.nan, np.inf, 5e-324, 1e308], 2)
        call.comparable = False
    call.arguments += [points, widths, int(rng.integers(1, 3000)), filled(call, count, 2), workers(rng)]
    call.close = (0, 1)
    call.tolerance = 1e-7
    return call


def plug_in_widths(rng: Rng) -> Call:
    n, count = int(rng.choice([2, 3, 5, 50])), int(rng.choice([0, 1, 3, 40]))
    differences, kind = values(rng, (count, n), 0.5)
    scales = differences.std(axis=1) if kind == "uniform" else values(rng, (count,))[0]
    call = Call([differences, scales], outputs=(2,), comparable=kind == "uniform")
    call.arguments += [filled(call, count), workers(rng)]
    call.close = (0,)
    call.tolerance = 1e-6
    return call


MAKERS: dict[str, Callable[[Rng], Call]] = {
    made.__name__: made
    for made in (
        concordance_pair,
        concordance_rows,
        gaps_pair,
        gaps_rows,
        ranks_pair,
        ranks_rows,
        weights_pair,
        weights_rows,
        overlaps_pair,
        overlaps_rows,
        cosines_pair,
        cosines_rows,
        rank_distances,
        recentred_distances,
        resampled_sums,
        short_means,
        exceedances,
        negative_shares,
        plug_in_widths,
    )
}


def entry_points(native: Any) -> list[str]:
    """Every function of the module; one that has no maker here is an error."""
    names = sorted(name for name in dir(native) if not name.startswith("_") and callable(getattr(native, name)))
    unknown = sorted(set(names) ^ set(MAKERS))
    if unknown:
        raise SystemExit(f"fuzz_kernels.py and the native module do not have the same functions: {unknown}")
    return names


def twin_of(name: str) -> Callable[..., Any]:
    if not hasattr(reference, name):
        raise SystemExit(f"{name} has no twin")
    return getattr(reference, name)  # type: ignore[no-any-return]


# What is not valid --------------------------------------------------------------------------------


CONVERTED = ("dtype", "integers", "strided", "reversed")  # what functions without outputs take as a copy


def spoil(rng: Rng, call: Call) -> None:
    """Make one argument one that must be refused, or converted by a function that only reads."""
    place = int(rng.integers(len(call.arguments)))
    given = call.arguments[place]
    if isinstance(given, np.ndarray):
        ways = ["dtype", "integers", "ndim", "strided", "reversed", "list", "none", "longer", "swapped", "object"]
        if place in call.outputs:
            ways.append("read-only")
        if given.size and place in call.indexes:
            ways += ["negative", "beyond"] * 3
        way = str(rng.choice(ways))
        changed = _spoiled_array(given, way)
    else:
        way = str(rng.choice(["none", "text", "far too large", "array"]))
        changed = {"none": None, "text": "1", "far too large": 2**70, "array": np.zeros(3)}[way]
        if way == "far too large" and isinstance(given, float):
            return  # a float as well
    if changed is given:
        return
    call.arguments[place] = changed
    if way in CONVERTED and not call.outputs:
        call.exact = call.close = ()  # other scores than those that the columns were chosen for
        return
    call.spoiled = f"argument {place}: {way}"


def _spoiled_array(given: Any, way: str) -> Any:
    if way in ("negative", "beyond"):
        changed = given.copy()
        changed[-1] = -1 if way == "negative" else np.iinfo(np.int64).max
        return changed
    if way == "read-only":
        changed = given.view()
        changed.flags.writeable = False
        return changed
    if way in ("strided", "reversed"):
        if given.size < 2:  # which is contiguous either way
            return given
        changed = np.repeat(given, 2, axis=-1)[..., ::2] if way == "strided" else given[..., ::-1]
        return given if changed.flags.c_contiguous else changed
    if way == "longer":
        return np.pad(given, (0, 1)) if given.size else given  # along every axis
    if way == "swapped":
        return given.astype(given.dtype.newbyteorder())
    ways: dict[str, Callable[[], Any]] = {
        "dtype": lambda: given.astype(np.float32),
        "integers": lambda: given.astype(np.int32),
        "ndim": lambda: given[None],
        "list": given.tolist,
        "none": lambda: None,
        "object": lambda: given.astype(object),
    }
    return ways[way]()


# A round ------------------------------------------------------------------------------------------


def play(native: Any, name: str, rng: Rng) -> str:
    """One call: "compared", "called" or "refused". Raises FoundError."""
    call = MAKERS[name](rng)
    if rng.random() < 0.35:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            spoil(rng, call)
    before = [
        a.copy() if isinstance(a, np.ndarray) and k not in call.outputs else a for k, a in enumerate(call.arguments)
    ]
    try:
        result = getattr(native, name)(*call.arguments)
    except (TypeError, ValueError) as error:
        if not call.spoiled:
            raise FoundError(f"refused what is valid: {error}") from None
        result = None
        outcome = "refused"
    else:
        if call.spoiled:
            raise FoundError(f"took what is not valid: {call.spoiled}")
        outcome = "called"
    for buffer, count in call.buffers:
        if (buffer[:MARGIN] != CANARY).any() or (buffer[MARGIN + count :] != CANARY).any():
            raise FoundError("wrote outside of its output")
    for k, (old, new) in enumerate(zip(before, call.arguments, strict=True)):
        if isinstance(old, np.ndarray) and k not in call.outputs and old.tobytes() != new.tobytes():
            raise FoundError(f"changed argument {k}, an input")
    if outcome == "called" and call.comparable and (call.exact or call.close):
        compare(call, name, result)
        outcome = "compared"
    return outcome


def compare(call: Call, name: str, result: Any) -> None:
    arguments = list(call.arguments)
    for place in call.outputs:
        arguments[place] = np.full_like(arguments[place], CANARY)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = twin_of(name)(*arguments)
    if (result is None) != (expected is None) or (isinstance(expected, bool) and result != expected):
        raise FoundError(f"gave {result!r} where the twin gives {expected!r}")
    if expected is None and not call.outputs:
        return  # a score is not finite, and both say so
    if expected is False:
        return
    mine = call.arguments[call.outputs[0]] if call.outputs else np.array([result])
    other = arguments[call.outputs[0]] if call.outputs else np.array([expected])
    if not mine.size:
        return
    mine, other = (np.reshape(a, (len(a), -1)) for a in (mine, other))
    if name in ("rank_distances", "recentred_distances"):  # one may give up; the other is asked then
        solved = (mine[:, 1] >= 0) & (other[:, 1] >= 0)
        mine, other = mine[solved], other[solved]
    if name in ("gaps_pair", "gaps_rows"):  # the sums mean nothing where there are ties
        untied = mine[:, 2] == 0
        if not np.array_equal(untied, other[:, 2] == 0):
            raise FoundError("ties are seen where there are none, or not where there are")
        mine, other = mine[untied], other[untied]
    for column in call.exact:
        if not np.array_equal(mine[:, column], other[:, column], equal_nan=True):
            raise FoundError(f"field {column} is {mine[:, column]} and the twin's is {other[:, column]}")
    for column in call.close:
        if not np.allclose(mine[:, column], other[:, column], rtol=call.tolerance, atol=call.tolerance, equal_nan=True):
            worst = int(np.nanargmax(np.abs(mine[:, column] - other[:, column])))
            raise FoundError(f"field {column} is {mine[worst, column]!r} and the twin's is {other[worst, column]!r}")


def fuzz(native: Any, seconds: float, seed: int, only: int | None = None, log: Any = None) -> dict[str, int]:
    """Rounds until the time is over. Raises FoundError with the round that found something."""
    names = entry_points(native)
    seen: dict[str, int] = {}
    end = time.monotonic() + seconds
    round_ = 0 if only is None else only
    while time.monotonic() < end or round_ < len(names):
        if log is not None:
            log[:8] = round_.to_bytes(8, "little")
        name = names[round_ % len(names)]
        try:
            outcome = play(native, name, np.random.default_rng([seed, round_]))
        except FoundError as found:
            raise FoundError(f"round {round_} of seed {seed}, {name}: {found}") from None
        seen[f"{name} {outcome}"] = seen.get(f"{name} {outcome}", 0) + 1
        if only is not None:
            break
        round_ += 1
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="play one round again, in this process")
    asked = parser.parse_args()
    from concordant._kernels import native

    if asked.only is not None:
        print(fuzz(native, 0, asked.seed, asked.only))
        return
    log = mmap.mmap(-1, 8)
    child = os.fork()
    if child == 0:
        try:
            seen = fuzz(native, asked.seconds, asked.seed, log=log)
        except FoundError as found:
            print(found, file=sys.stderr)
            os._exit(1)
        for what, count in sorted(seen.items()):
            print(f"{count:8,}  {what}")
        sys.stdout.flush()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        round_ = int.from_bytes(log[:8], "little")
        raise SystemExit(f"ended with status {status} in round {round_}: --seed {asked.seed} --only {round_}")


if __name__ == "__main__":
    main()
