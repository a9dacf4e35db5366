"""How many modules a call runs through: who reads the code has to read these."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from concordant.data.collection import path

COUNTED = """
import sys, threading
import concordant as cc
from concordant.cli import main

people, hasty, page = sys.argv[1:4]
cc.correlate(people, hasty, rng=0)  # what runs at import is no part of a walk
cc.judge_worth(people, hasty, rng=0)
found = set()

def seen(frame, event, argument):
    code = frame.f_code
    _, here, module = code.co_filename.replace(chr(92), "/").rpartition("/concordant/")
    if event == "call" and here and code.co_flags & 1:  # functions, and no bodies of modules and classes
        found.add(module)

sys.argv = ["concordant", "compare", people, hasty, "--seed", "0", "--html", page]
calls = {
    "correlate": lambda: cc.correlate(people, hasty, rng=0),
    "judge_worth": lambda: cc.judge_worth(people, hasty, rng=0),
    "compare --html": main,
}
call = calls[WHICH]
threading.setprofile(seen)
sys.setprofile(seen)
try:
    call()
except SystemExit:
    pass
sys.setprofile(None)
print(len(found), *sorted(found), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("call", "most"),
    [("correlate", 20), ("judge_worth", 20), pytest.param("compare --html", 54, marks=pytest.mark.long)],
)
def test_a_walk_gets_no_longer(call: str, most: int, tmp_path: Path) -> None:
    code = COUNTED.replace("WHICH", repr(call))
    sides = [str(path(name)) for name in ("people", "hasty")]
    done = subprocess.run(
        [sys.executable, "-c", code, *sides, str(tmp_path / "page.html")], capture_output=True, text=True, check=True
    )
    count, *modules = done.stderr.splitlines()[-1].split()
    assert int(count) <= most, modules
    assert "pairing.py" in modules
