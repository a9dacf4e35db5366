"""Gets the public collections that tests, benchmarks and studies on real data use, and checks them.

    python tools/fetch_data.py            fetch what is missing into the folder of data
    python tools/fetch_data.py --list     what there is, where it comes from, and under which licence
    python tools/fetch_data.py --need trec covid1
                                          say in one line what is missing of these, with status 1

The folder is the one that CONCORDANT_DATA names, or data/ in the project. Without a network: run it on a machine that
has one, copy the folder, and set CONCORDANT_DATA. It needs Python alone.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import urllib.request
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BY_SA = "CC BY-SA 4.0, J. Urbano"


class File(NamedTuple):
    """A file as a public repository has it."""

    name: str
    repository: str
    commit: str
    path: str
    sha256: str
    licence: str
    lines: int | None = None
    """Only so many of its first lines."""

    @property
    def address(self) -> str:
        """Where it is."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


_2016 = "julian-urbano/sigir2016-correlation", "e2cbb6ce70ea38631fc43bb8494a8c1c0d4c6ce0"
_2018 = "julian-urbano/sigir2018-simulation", "14c0b481d44d1236732a2dcbff3bc3f37a4a45a0"
_2024 = "julian-urbano/sigir2024-rbo", "463d6d51584325a330dab160ebe7a379a88d74de"
FILES = (
    File(
        "trec/adhoc6.csv",
        *_2016,
        "data/adhoc6.csv",
        "9114133c62d6343db5495d8b3e77d7178ace7f3ec6b23c4daa04f7106de8ce4e",
        BY_SA,
    ),
    File(
        "trec/adhoc7.csv",
        *_2016,
        "data/adhoc7.csv",
        "edad6a06310abb787209577631340ac6d3e6fa4a812d69d4bebc24187a873705",
        BY_SA,
    ),
    File(
        "trec/adhoc8.csv",
        *_2016,
        "data/adhoc8.csv",
        "8cb66e6d88b9ef1ca320c5dc8e27d7a3ebc64d9041b066403cd099c5297c81af",
        BY_SA,
    ),
    File(
        "trec/robust2004_ap.csv",
        *_2018,
        "data/robust2004_ap.csv",
        "303105d5eede2769c1755d1d058b3833fc68257c50eaf052268b9459ed69ee2f",
        BY_SA,
    ),
    File(
        "trec/robust2004_p10.csv",
        *_2018,
        "data/robust2004_p10.csv",
        "c6a45467462a7508cc57991c3c40e258ea98ab3f5ccac0b32fb4b9aae99a61e7",
        BY_SA,
    ),
    File(
        "golden/rbo.csv",
        *_2024,
        "rbo/test.csv",
        "ca9dc468306c064f7394efdcddca704af059c37e803060e0c658b63c13be1222",
        "MIT, M. Corsi and J. Urbano",
        3001,
    ),
)

# What was cut down or computed from public files, and so cannot be fetched as it is used: folder, what, where from.
MADE = {
    "covid1": (
        "TREC-COVID round 1: 143 runs cut to the top 100 (runs/*.gz), qrels.txt, scores by measure, leaderboard.csv",
        "NIST, through castorini/TREC-COVID and castorini/anserini-tools; public data",
    ),
    "dl21": (
        "TREC Deep Learning 2021, passages: 63 runs cut to the top 100, human judgments and eight machines', scores",
        "Narabzad/llm-relevance-judgement-comparison; no licence is stated, so for tests on your own machine only",
    ),
    "wmt25": (
        "WMT25, English to Czech: 41 systems x 384 segments by five metrics, and the documents of the segments",
        "wmt-conference/wmt25-general-mt",
    ),
    "mteb": ("MTEB(eng, v2): 41 tasks x 242 models, and Borda ranks", "embeddings-benchmark/results"),
    "formats": (
        "files of trec_eval, ir_measures, PyTerrier, ranx, MTEB, lm-evaluation-harness, HELM, Inspect",
        "their projects",
    ),
}


def folder() -> Path:
    """Where the collections are."""
    return Path(os.environ.get("CONCORDANT_DATA") or ROOT / "data")


def fetched(file: File, content: bytes) -> bytes:
    """What of a file is used; raises ValueError where it is not what it was."""
    used = content if file.lines is None else b"".join(content.splitlines(keepends=True)[: file.lines])
    found = hashlib.sha256(used).hexdigest()
    if found != file.sha256:
        raise ValueError(f"{file.address} is not the file that it was: its SHA-256 is {found}, and was {file.sha256}")
    return used


def fetch(to: Path) -> None:
    """Fetch what is missing."""
    for file in FILES:
        target = to / file.name
        if target.is_file():
            fetched(file._replace(lines=None), target.read_bytes())
            continue
        try:
            with urllib.request.urlopen(file.address, timeout=60) as answer:
                content = fetched(file, answer.read())
        except OSError as error:
            sys.exit(
                f"cannot fetch {file.address} ({error}): run this on a machine with a network, copy {to}, and set "
                "CONCORDANT_DATA to the copy"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.part")
        part.write_bytes(content)
        part.replace(target)
        print(f"{target}: {len(content):,} bytes, {file.licence}")
    if absent := [name for name in MADE if not (to / name).is_dir()]:
        print(f"not here, and not to be fetched as they are used (see --list): {', '.join(absent)}")


def missing(names: list[str]) -> list[str]:
    """Which of these folders, or files, are not there."""
    return [name for name in names if not (folder() / name).exists()]


def main() -> None:
    """Fetch, list, or say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="what there is")
    parser.add_argument("--need", nargs="+", metavar="NAME", help="say which of these are missing")
    asked = parser.parse_args()
    if asked.need:
        if absent := missing(asked.need):
            sys.exit(
                f"no {', '.join(absent)} in {folder()}: python tools/fetch_data.py gets or describes them; "
                "CONCORDANT_DATA names another folder"
            )
    elif asked.list:
        for file in FILES:
            print(f"{file.name}: {file.repository}, {file.path} ({file.licence})")
        for name, (what, source) in MADE.items():
            print(f"{name}/: {what} ({source})")
    else:
        try:
            fetch(folder())
        except ValueError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
