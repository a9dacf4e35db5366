"""Records what every public function and every command gives with fixed seeds, and compares two such records.

    python tools/record_numbers.py record before.json
    ... change the package ...
    python tools/record_numbers.py record after.json
    python tools/record_numbers.py compare before.json after.json

A record maps paths to values: `case/attribute/key`. Floats are written by `float.hex`, so that equal means equal bits;
more than 200 numbers are a hash with their first and last values. A case that raises is recorded as the class of its
error. Some paths have a prefix: `text:` for verdicts, notes and what is printed, whose wording may change; `settings:`
for what made a result; `draw:` for what figures show.

`compare` prints every path that differs, and exits with 1 if there is one. Texts, new paths, settings that are no more
and what is EXPECTED are counted, and are no differences.

It runs on the package that Python finds, on the collection that comes with it and on the real collections in
CONCORDANT_DATA (or data/ in the project); in one process, 2 minutes on a free core. Cases on collections that are not
there are left out and counted, also when they are compared.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import functools
import hashlib
import inspect
import json
import math
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported: sums in another order have other bits
os.environ["MPLBACKEND"] = "Agg"

import numpy as np
from recorded import commands as _commands  # noqa: F401
from recorded import functions as _functions  # noqa: F401
from recorded.cases import NotHereError, about, all_cases, attempt, is_refusal, workspace

# What is called otherwise since the record before was made. Applied to the paths of both records, and to the strings
# that are values, so that what still has its old name matches, too.
RENAMED = [
    (re.compile(r"\bobserved(?=\b|_)|(?<=_)observed\b"), "candidate"),
]
# Differences that are meant, each with its reason: (pattern of the path, reason). The changelog lists the same ones.
# Since 0.1.0:
EXPECTED: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"/drop_bottom/"), "drops by the quantile, as the simulator and the studies do"),
    (
        re.compile(r"^(settings:|text:|draw:)?door "),
        "all functions take all forms of a collection",
    ),
    (re.compile(r"^Simulator .* without the worst/simulated/"), "means are tied by rounding error, not by 12 digits"),
    (re.compile(r"settings/collections/|fingerprint"), "one fingerprint of scores for studies and distributions"),
    (re.compile(r"^command compare .*as csv/"), "one row per candidate and coefficient"),
    (re.compile(r"^correlate .*/error$"), "a coefficient without ties is an InputError"),
    (re.compile(r"settings/seed$"), "what draws nothing has no seed"),
    (re.compile(r"^label_agreement .*/(to_frame|to_dict|result)/"), "only_candidate; the frame has the estimates"),
    (re.compile(r"judge_study|^(settings:|draw:)?command judgments judges"), "ranking in place of tests"),
    (
        re.compile(r"^audit .*(candidates|plainest|others|reported|nearest|matches)|^command audit"),
        "ways, not candidates",
    ),
    (
        re.compile(r"interval|bias_corrected|standard_error|/(low|high|method)$|^draw:correlate|undefined$"),
        "the shrinkage interval by default; Student's quantile for the iterated one",
    ),
    (
        re.compile(r"^(settings:|text:|draw:)?(command )?(reliability|expected_correlation)|/reliability/"),
        "headline: posterior",
    ),
    (
        re.compile(r"rank_intervals|rank_changes|^(settings:|text:|draw:)?command board|borderline|/exact$"),
        "49,999 resamples by default, all signs of few topics, borderline pairs",
    ),
    (
        re.compile(r"posterior|plan_topics|^(settings:|text:|draw:)?command plan|ceiling"),
        "no floor for the shrinkage of means",
    ),
]

# Cases that end in an error, and are there to show which one.
REFUSALS = re.compile(r"^(may refuse|door) ")

TEXTS = re.compile(
    r"^(verdict|notes?|read_notes|truth_notes|heading|headline|sentences|why|not_defined|account|summary|what it is"
    r"|what one would have done|rank_line|str|call|command|stdout|stderr|printed|label)$"
)
NOT_RECORDED = {"version", "versions", "seconds", "computed", "cost"}
# Called where a result has them and they need no argument, so that a method that becomes a property is the same path.
METHODS = (
    "verdict", "notes", "heading", "rank_line", "means", "ranking", "decimals", "better", "rows", "summary", "settings",
)  # fmt: skip
MOST = 200  # numbers that are written one by one
LONG_TEXT = 80  # characters: no name, and no setting
WIDE = 30  # columns of a frame that is a matrix

HEXADECIMAL = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-]\d+|nan|-?inf")

Leaf = tuple[tuple[str, ...], Any]


# From results to paths and values ------------------------------------------------------------------


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Every number and string of a value, with its place."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | str):
        yield path, value
    elif isinstance(value, float):
        yield path, value.hex()
    elif isinstance(value, np.ndarray):
        yield from [(path, numbers(value))] if value.dtype.kind in "fiub" else leaves(value.tolist(), path)
    elif isinstance(value, Mapping):
        yield from _mapping(value, path)
    elif type(value).__name__ == "DataFrame":
        yield from _frame(value, path)
    elif hasattr(value, "_asdict"):
        yield from leaves(value._asdict(), path)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from _sequence(sorted(value) if isinstance(value, set | frozenset) else list(value), path)
    elif dataclasses.is_dataclass(value) or hasattr(value, "to_dict"):
        yield from _mapping(attributes(value), path)
    else:
        yield path, f"<{type(value).__name__}>"


def numbers(array: Any) -> Any:
    """A short array as nested lists of hexadecimal floats or of integers, a long one by its hash."""
    if array.dtype.kind == "f":
        array = np.ascontiguousarray(array, "<f8")
        array = np.where(np.isnan(array), np.nan, array)  # one nan, not the many that bits can make
        flat: list[Any] = [x.hex() for x in array.ravel().tolist()]
    else:
        array = np.ascontiguousarray(array, bool if array.dtype.kind == "b" else "<i8")
        flat = array.ravel().tolist()
    if array.size > MOST:
        digest = hashlib.sha256(array.tobytes()).hexdigest()
        return {"shape": list(array.shape), "sha256": digest, "first": flat[:5], "last": flat[-5:]}
    return _shaped(flat, array.shape)


def _shaped(flat: list[Any], shape: tuple[int, ...]) -> Any:
    if len(shape) <= 1:
        return flat if shape else flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [_shaped(flat[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def _mapping(value: Mapping[Any, Any], path: tuple[str, ...]) -> Iterator[Leaf]:
    if len(value) > MOST:
        yield from leaves(list(map(_key, value)), (*path, "keys"))
        yield from leaves(list(value.values()), (*path, "values"))
        return
    for key, part in value.items():
        if key not in NOT_RECORDED:
            yield from leaves(part, (*path, _key(key)))


def _key(key: Any) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _frame(frame: Any, path: tuple[str, ...]) -> Iterator[Leaf]:
    """A pandas frame by its columns; a matrix, systems by systems, as one array."""
    yield from leaves(frame.index.tolist(), (*path, "index"))
    yield from leaves(list(map(_key, frame.columns)), (*path, "columns"))
    values = frame.to_numpy()
    if values.dtype.kind in "fiub" and values.shape[1] > WIDE:
        yield from leaves(values, (*path, "values"))
        return
    for k, name in enumerate(frame.columns):
        yield from leaves(frame.iloc[:, k].to_numpy().tolist(), (*path, _key(name)))


def _sequence(value: list[Any], path: tuple[str, ...]) -> Iterator[Leaf]:
    if len({type(x) for x in value}) == 1 and dataclasses.is_dataclass(value[0]):
        value = [attributes(x) for x in value]
    array = _as_numbers(value)
    if array is not None:
        yield path, array
    elif value and all(isinstance(x, str) for x in value):
        if len(value) <= MOST and sum(map(len, value)) <= MOST * LONG_TEXT:
            yield path, value
        else:
            digest = hashlib.sha256("\0".join(renamed(value)).encode()).hexdigest()
            yield path, {"shape": [len(value)], "sha256": digest, "first": value[:2], "last": value[-2:]}
    elif value and all(isinstance(x, dict) and x.keys() == value[0].keys() for x in value):
        for key in value[0]:  # a table, by its columns
            if key not in NOT_RECORDED:
                yield from leaves([row[key] for row in value], (*path, _key(key)))
    else:
        if not value:
            yield path, []
        for k, part in enumerate(value):
            yield from leaves(part, (*path, str(k)))


def _as_numbers(value: list[Any]) -> Any:
    """A list of numbers, or of equally long lists of them, as one value; None where it is something else."""
    flat = value[0] if value and all(isinstance(x, list | tuple) and len(x) == len(value[0]) for x in value) else None
    rows = value if flat is None else [x for row in value for x in row]
    if not rows or not all(x is None or isinstance(x, bool | int | float | np.generic) for x in rows):
        return None
    kinds = {type(x.item() if isinstance(x, np.generic) else x) for x in rows}
    if type(None) in kinds:  # the nulls of JSON
        if len(rows) > MOST:
            missing = [x is None for x in rows]
            filled = np.array([math.nan if x is None else x for x in rows], dtype=np.float64)
            return {"missing": numbers(np.array(missing)), "values": numbers(filled)}
        return [x if x is None or isinstance(x, bool | int) else float(x).hex() for x in rows]
    if kinds in ({bool}, {int}):
        with contextlib.suppress(OverflowError):
            return numbers(np.array(value))
        return [str(x) for x in rows]
    return numbers(np.array(value, dtype=np.float64)) if kinds <= {int, float} else None


def attributes(value: Any) -> dict[str, Any]:
    """The fields and properties of a result, and what those of METHODS give that need no argument."""
    kind = type(value)
    names = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else list(vars(value))
    for each in reversed(kind.__mro__):
        names += [n for n, x in vars(each).items() if isinstance(x, property | functools.cached_property)]
    found = {name: attempt(getattr, value, name) for name in dict.fromkeys(names) if not name.startswith("_")}
    for name in METHODS:
        method = getattr(value, name, None)
        if callable(method) and not any(p.default is p.empty for p in inspect.signature(method).parameters.values()):
            found[name] = attempt(method)
    return {name: part for name, part in found.items() if not callable(part)}


def labelled(case: str, path: tuple[str, ...], value: Any) -> str:
    """The path as it is written, with the prefix of what it is."""
    if "settings" in path:
        prefix = "settings:"
    elif any(TEXTS.match(part) for part in path) or (isinstance(value, str) and len(value) > LONG_TEXT):
        prefix = "text:"
    else:
        prefix = "draw:" if case.startswith("draw ") else ""
    return prefix + "/".join([case, *path])


# Recording -----------------------------------------------------------------------------------------


def record(target: Path, only: str) -> int:
    """Write what all cases give; 1 if one fails that should not."""
    started = time.monotonic()
    values: dict[str, Any] = {}
    took: list[tuple[float, str]] = []
    failed: list[str] = []
    left: dict[str, str] = {}
    with workspace() as hide:
        chosen = {name: call for name, call in all_cases() if re.search(only, name)}
        for name, call in chosen.items():
            before = time.monotonic()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    found = list(leaves(call()))
                except NotHereError as error:
                    left[name] = str(error)
                    continue
                except Exception as error:
                    found = [(("error",), type(error).__name__), (("error", "str"), str(error))]
                    if not (REFUSALS.match(name) and is_refusal(error)):
                        failed.append(f"{name}: {type(error).__name__}: {error}")
            for path, value in found:
                place = labelled(name, path, value)
                if place in values:
                    raise SystemExit(f"two values have one path: {place}")
                values[place] = hide(value)
            if caught:
                values[f"{name}/warnings"] = sorted({w.category.__name__ for w in caught})
                values[f"text:{name}/warnings"] = hide(list(dict.fromkeys(str(w.message) for w in caught)))
            took.append((time.monotonic() - before, name))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r\033[K{len(took)} of {len(chosen)} {name}")
    made = {"about": about(), "left out": left, "values": values}
    target.write_text(json.dumps(made, indent=0, sort_keys=True) + "\n", "utf-8")
    print(f"\n{len(chosen) - len(left)} cases, {len(values)} values, {time.monotonic() - started:.0f} s: {target}")
    print("slowest: " + ", ".join(f"{name} {seconds:.1f} s" for seconds, name in sorted(took, reverse=True)[:8]))
    if left:
        count = ", ".join(f"{name} ({many})" for name, many in sorted(collections.Counter(left.values()).items()))
        print(f"NOT RECORDED: {len(left)} cases on collections that are not there, or not whole: {count}")
        print("python tools/fetch_data.py --list says where they come from; CONCORDANT_DATA names another folder")
    for line in failed:
        print(f"FAILED {line}")
    return int(bool(failed))


# Comparing -----------------------------------------------------------------------------------------


def compare(paths: tuple[Path, Path], only: str, texts: bool, most: int) -> int:
    """Print what differs, by case; 1 if a value does."""
    before, after = (json.loads(path.read_text("utf-8")) for path in paths)
    for key, value in before["about"].items():
        if value != after["about"].get(key):
            print(f"note: {key} was {value}, is {after['about'].get(key)}")
    old, new = (by_case(found["values"], only) for found in (before, after))
    left = {name for name in map(renamed, after.get("left out", ())) if old.pop(name, None)}
    if left:
        print(f"note: {len(left)} cases of before are NOT COMPARED: after was recorded without their collections")
    found = Differences()
    for case, values in old.items():
        found.add(case, values, new.get(case, {}))
    for case, lines in found.differing.items():
        print(f"{case}: {len(lines)} differ" if len(lines) > 1 else case)
        print("\n".join([*lines[:most], *([f"  and {len(lines) - most} more"] if len(lines) > most else [])]))
    if texts:
        print("\n".join(["texts:", *found.texts]))
    added = {case: len(now.keys() - old.get(case, {}).keys()) for case, now in new.items()}
    for what, counts in (
        ("paths are new", added),
        ("settings are no more", found.settings),
        ("as expected", found.expected),
    ):
        listed = [f"{name} ({count})" for name, count in sorted(counts.items(), key=lambda of: -of[1]) if count]
        if listed:
            cut = [*listed[:12], f"{len(listed) - 12} others"] if len(listed) > 13 else listed
            print(f"{sum(counts.values())} {what}, which is no difference: {', '.join(cut)}")
    total = sum(map(len, found.differing.values()))
    print(
        f"{sum(map(len, old.values()))} values of {len(old)} cases before, {sum(map(len, new.values()))} of {len(new)} "
        f"after: {total} differ in {len(found.differing)} cases; {len(found.texts)} texts differ"
    )
    return int(total > 0)


@dataclasses.dataclass
class Differences:
    """What was found to differ, a line each."""

    differing: dict[str, list[str]] = dataclasses.field(default_factory=lambda: collections.defaultdict(list))
    texts: list[str] = dataclasses.field(default_factory=list)
    settings: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """Keys that are no more."""
    expected: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """By their reasons."""

    def add(self, case: str, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Compare one case."""
        error = f"{case}/error"
        if not new or (error in old) != (error in new):  # gone, or an error now, or no longer one
            whole = [str(values[error]) if error in values else f"{len(values)} values" for values in (old, new)]
            reason = expectation(error)
            if reason:
                self.expected[reason] += 1
            else:
                self.differing[case].append(f"  {whole[0]} -> {whole[1]}")
            return
        for path, value in old.items():
            if path in new and new[path] == value:
                continue
            line = f"  {path}: {difference(value, new[path]) if path in new else shown(value) + ' -> not there'}"
            if reason := expectation(path):
                self.expected[reason] += 1
            elif path.startswith("text:"):
                self.texts.append(line)
            elif path.startswith("settings:") and path not in new:
                self.settings[path.rpartition("settings/")[2]] += 1
            else:
                self.differing[case].append(line)


def expectation(path: str) -> str | None:
    """Why a path is expected to differ, if it is."""
    return next((why for pattern, why in EXPECTED if pattern.search(path)), None)


def by_case(values: dict[str, Any], only: str) -> dict[str, dict[str, Any]]:
    """Paths and values of each case, with the names that they have now."""
    found: dict[str, dict[str, Any]] = collections.defaultdict(dict)
    for path, value in values.items():
        name = renamed(path)
        case = re.sub(r"^(text|settings|draw):", "", name).partition("/")[0]
        if not re.search(only, case):
            continue
        if name in found[case]:
            raise SystemExit(f"RENAMED gives two paths one name: {name}")
        found[case][name] = value if name.startswith("text:") else renamed(value)
    return found


def renamed(value: Any) -> Any:
    """With the names of now in place of those of then."""
    if isinstance(value, dict):
        return {key: renamed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [renamed(part) for part in value]
    if isinstance(value, str):
        for pattern, now in RENAMED:
            value = pattern.sub(now, value)
    return value


def difference(old: Any, new: Any) -> str:
    """Both values, and how far they are apart."""
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > LONG_TEXT:
        same = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        old, new = (text[max(0, same - 30) :] for text in (old, new))  # from where they differ
    off = _off(old, new)
    return f"{shown(old)} -> {shown(new)}" + ("" if off is None else f" (relative difference {off:.2g})")


def _off(old: Any, new: Any) -> float | None:
    """The largest relative difference, where both are numbers, or lists of as many."""
    if isinstance(old, dict) and isinstance(new, dict) and "first" in old and "first" in new:
        return _off(old["first"] + old["last"], new["first"] + new["last"])
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        parts = [_off(a, b) for a, b in zip(old, new, strict=True)]
        return max((p for p in parts if p is not None), default=None)
    a, b = _number(old), _number(new)
    if a is None or b is None:
        return None
    return 0.0 if a == b else abs(a - b) / max(abs(a), abs(b))


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float.fromhex(value) if HEXADECIMAL.fullmatch(value) else None
    return float(value) if isinstance(value, int | float) else None


def shown(value: Any, most: int = 100) -> str:
    """A value with its floats as decimals that give the same bits."""
    if isinstance(value, dict) and "sha256" in value:
        ends = f"{shown(value['first'], 60)} ... {shown(value['last'], 60)}"
        return f"{value['shape']} {value['sha256'][:8]} {ends}"
    if isinstance(value, list):
        text = "[" + ", ".join(shown(part) for part in value) + "]"
    elif isinstance(value, str) and HEXADECIMAL.fullmatch(value):
        text = repr(float.fromhex(value))
    else:
        text = json.dumps(value)
    return text if len(text) <= most else text[: most - 4] + " ..."


# The command line ----------------------------------------------------------------------------------


def main() -> int:
    """Record or compare, as the arguments say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run all cases and write what they give")
    recording.add_argument("target", type=Path, metavar="OUT.json")
    comparing = commands.add_parser("compare", help="print what differs between two records")
    comparing.add_argument("before", type=Path, metavar="BEFORE.json")
    comparing.add_argument("after", type=Path, metavar="AFTER.json")
    comparing.add_argument("--texts", action="store_true", help="also print the texts that differ")
    comparing.add_argument("--most", type=int, default=1000, metavar="N", help="print at most so many lines of a case")
    for command in (recording, comparing):
        command.add_argument("--only", default="", metavar="PATTERN", help="only cases whose name matches")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.target.resolve(), given.only)
    return compare((given.before, given.after), given.only, given.texts, given.most)


if __name__ == "__main__":
    sys.exit(main())
