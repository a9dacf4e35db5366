"""Gets the public collections that tests, benchmarks and studies on real data use, and checks them.

    python tools/fetch_data.py            fetch what is missing into the folder of data
    python tools/fetch_data.py --list     what there is, where it comes from, under which licence, and how it is made
    python tools/fetch_data.py --check    compare what is there with its checksums
    python tools/fetch_data.py --need trec covid1
                                          say in one line what is missing of these, with status 1

The folder is the one that CONCORDANT_DATA names, or data/ in the project; what comes with the project, in data/trec, is
found in any case. Without a network: run it on a machine that has one, copy the folder, and set CONCORDANT_DATA. It
needs Python alone. Of a collection that cannot be fetched, tools/collections.sha256 has the files as they are used.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import http.client
import os
import sys
import urllib.request
import zlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CARRIED = ROOT / "data"
SUMS = ROOT / "tools" / "collections.sha256"
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


class Made(NamedTuple):
    """A collection that was cut down or computed from public files, and so cannot be fetched as it is used."""

    what: str
    source: str
    licence: str
    recipe: str


UNKNOWN = "not known here: for tests on your own machine only, not to be passed on"
MADE = {
    "covid1": Made(
        "TREC-COVID round 1: 143 runs cut to the top 100 of each topic (runs/*.gz), qrels.txt, scores by five measures "
        "(topics x systems), and leaderboard.csv with the team of each run",
        "castorini/TREC-COVID: round1/runs and round1/leaderboard.csv, a mirror of https://ir.nist.gov/covidSubmit; "
        "castorini/anserini-tools: topics-and-qrels, the judgments of round 1",
        "public data of NIST",
        "scores are those of the runs before they were cut, with 5 decimals, 0 where a run lacks a topic. P@5, nDCG@10 "
        "and nDCG@20 of the cut runs are the same, by concordant evaluate runs qrels.txt -m P@5 --missing zero -o "
        "P_5.csv, rounded; AP and Bpref need the runs as they were",
    ),
    "dl21": Made(
        "TREC Deep Learning 2021, passages: 63 runs cut to the top 100 of each topic (runs/*.gz), judgments by people "
        "and by eight machines (qrels/JUDGE.txt.gz), AP and nDCG@10 under each (scores/MEASURE__JUDGE.csv)",
        "Narabzad/llm-relevance-judgement-comparison: runs, data and raw_qrels",
        "none is stated: for tests on your own machine only, not to be passed on",
        "scores are those of the cut runs, by concordant evaluate runs qrels/JUDGE.txt.gz -m nDCG@10 --missing zero -o "
        "scores/ndcg_cut_10__JUDGE.csv, rounded to 5 decimals. Those by exam_graded_mean_gpt4 and nuggets_vital_gpt4o, "
        "whose grades have fractions, were made with grades cut to integers: a test shows what that does",
    ),
    "wmt25": Made(
        "WMT25 general translation, English to Czech: 41 systems x 384 segments by five metrics "
        "(en-cs_CZ__METRIC.csv), and the document and domain of each segment (en-cs_CZ__groups.csv)",
        "wmt-conference/wmt25-general-mt: data/automatic_scores, one JSONL file per system",
        UNKNOWN,
        "of each file the lines of the language pair en-cs_CZ; a topic is document_id#segment, from 0, which is how "
        "concordant reads these lines; groups has topic, document_id and domain",
    ),
    "mteb": Made(
        "MTEB(eng, v2): the main score of 242 models on 41 tasks, with holes (eng_v2.csv), and Borda points and ranks "
        "(eng_v2__borda.csv)",
        "embeddings-benchmark/results: MODEL/REVISION/TASK.json",
        UNKNOWN,
        "which state of the repository it was is not known, and models are added: a table made today differs. The "
        "ranks are those of concordant board eng_v2.csv --total borda; points are summed over tasks: the number of "
        "models minus the mean rank, 0 where a model was not run",
    ),
    "formats": Made(
        "small files as each tool writes them",
        "trec_eval: usnistgov/trec_eval, test/, and what trec_eval 10 says of runs of covid1, as in ir_measures, "
        "pyterrier and ranx; mteb, mteb_repo: embeddings-benchmark/results; leaderboards, alpaca_eval: "
        "tatsu-lab/alpaca_eval; every_eval_ever: the project of that name; lm_eval, helm, inspect: output of "
        "lm-evaluation-harness, HELM and Inspect, by whom is not known; nested: made up",
        "as their projects; Apache 2.0 or MIT for leaderboards, alpaca_eval, mteb_repo and every_eval_ever",
        "leaderboards, alpaca_eval, mteb_repo and every_eval_ever are cut down; partial and covid_partial are a run "
        "without topics 2 and 30",
    ),
}


def folder() -> Path:
    """Where the collections are."""
    return Path(os.environ.get("CONCORDANT_DATA") or CARRIED)


def place(name: str) -> Path:
    """Where a file or folder of the collections is, or would be: in the folder, or else what comes with the project."""
    here, carried = folder() / name, CARRIED / name
    return carried if carried.exists() and not here.exists() else here


def sums() -> dict[str, str]:
    """The checksum of every file, by name; that of a gzipped file is of what is in it."""
    lines = (line.split(maxsplit=1) for line in SUMS.read_text(encoding="utf-8").splitlines() if line[:1] != "#")
    return {file.name: file.sha256 for file in FILES} | {name: found for found, name in lines}


def digest(path: Path) -> str:
    """The checksum of a file; where it cannot be unpacked, of what it is."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        with contextlib.suppress(OSError, EOFError, zlib.error):
            content = gzip.decompress(content)
    return hashlib.sha256(content).hexdigest()


def damaged(path: Path, expected: str) -> str | None:
    """What is to be said of a file that is there and has another content; None if it is as it should be."""
    if (found := digest(path)) == expected:
        return None
    return f"{path} is not the file that it was: its SHA-256 is {found}, not {expected}; delete it and get it again"


def fetched(file: File, content: bytes) -> bytes:
    """What of a file is used; raises ValueError where it is not what it was."""
    used = content if file.lines is None else b"".join(content.splitlines(keepends=True)[: file.lines])
    found = hashlib.sha256(used).hexdigest()
    if found != file.sha256:
        raise ValueError(f"{file.address} is not the file that it was: its SHA-256 is {found}, and was {file.sha256}")
    return used


def fetch(to: Path) -> None:
    """Fetch what is missing, or copy it where it comes with the project; raises ValueError where a file is damaged."""
    for file in FILES:
        target, carried = to / file.name, CARRIED / file.name
        here = target if target.is_file() else carried
        if here.is_file():
            if told := damaged(here, file.sha256):
                raise ValueError(told)
            if here == target:
                continue
            content = carried.read_bytes()
        else:
            try:
                with urllib.request.urlopen(file.address, timeout=60) as answer:
                    content = fetched(file, answer.read())
            except (OSError, http.client.HTTPException) as error:  # the latter where a download is cut short
                raise ValueError(
                    f"cannot fetch {file.address} ({error!r}): try again, or run this on a machine with a network, "
                    f"copy {to}, and set CONCORDANT_DATA to the copy"
                ) from error
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.part")
        part.write_bytes(content)
        part.replace(target)
        print(f"{target}: {len(content):,} bytes, {file.licence}")
    if absent := missing(list(MADE)):
        print(f"cannot be fetched by this tool, --list says how they are made: {', '.join(absent)}")


def missing(names: list[str]) -> list[str]:
    """Which of these collections, or of their files, are not there, or not whole."""
    known, said = sums(), []
    for name in names:
        wanted = [file for file in known if file == name or file.startswith(f"{name}/")]
        if not wanted:
            raise ValueError(f"there is no collection {name!r}: {', '.join(collections())}")
        absent = [file for file in wanted if not place(file).is_file()]
        if absent == wanted:
            said.append(name)
        elif absent:
            said.append(f"{name} (without {len(absent)} of its {len(wanted)} files, such as {absent[0]})")
    return said


def collections() -> list[str]:
    """The names of all collections."""
    return [*dict.fromkeys(file.name.partition("/")[0] for file in FILES), *MADE]


def check() -> list[str]:
    """What is to be said of each file that is there and has another content; says what was compared."""
    known = sums()
    here = {name: path for name in known if (path := place(name)).is_file()}
    print(f"{len(here)} of {len(known)} files are there, in {folder()}")
    return [told for name, path in here.items() if (told := damaged(path, known[name]))]


def show() -> None:
    """Print what there is."""
    for file in FILES:
        print(f"{file.name}: {file.repository}, {file.path} ({file.licence})")
    print(
        f"\nThis tool cannot fetch the others: make them as they were made, in {folder()}, and --check compares them."
    )
    for name, made in MADE.items():
        print(f"\n{name}/: {made.what}")
        print(f"  from     {made.source}\n  licence  {made.licence}")
        print(f"  made     {made.recipe}")


def main() -> None:
    """Fetch, list, check, or say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="what there is")
    parser.add_argument("--check", action="store_true", help="compare what is there with its checksums")
    parser.add_argument("--need", nargs="+", metavar="NAME", help="say which of these are missing")
    asked = parser.parse_args()
    try:
        if asked.need:
            if absent := missing(asked.need):
                sys.exit(
                    f"no {', '.join(absent)} in {folder()}: python tools/fetch_data.py gets or describes them; "
                    "CONCORDANT_DATA names another folder"
                )
        elif asked.list:
            show()
        elif asked.check:
            if told := check():
                sys.exit("\n".join(told))
        else:
            fetch(folder())
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
