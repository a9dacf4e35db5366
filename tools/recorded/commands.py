"""Every command, run in this process, with what it prints and what it writes."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from .cases import HUMAN, LLAMA, UMBRELA, CommandError, case, demand
from .files import held, table

# A command in words, split at blanks; what is in capitals stands for a list of arguments. All print JSON.
WORDS = {
    "THREE": "people.csv careful.csv hasty.csv",
    "HASTY": "people.csv hasty.csv",
    "COVID1": "data/covid1/map.csv data/covid1/P_5.csv",
    "DL21": " ".join(
        f"data/dl21/scores/ndcg_cut_10__{judge}.csv" for judge in ("human", "umbrela_gpt4", "binary_llama3.2")
    ),
    "ROBUST2004": "data/trec/robust2004_ap.csv data/trec/robust2004_p10.csv",
    "ADHOC8": "data/trec/adhoc8.csv",
    "DL21-RUNS": f"dl21-runs data/{HUMAN}",
    "COVID1-RUNS": "covid1-runs data/covid1/qrels.txt --missing zero",
    "UMBRELA": f"data/{UMBRELA}",
    "LLAMA": f"data/{LLAMA}",
    "QUICK": "--resamples 200",
}
ANSWERS = {
    "compare": "compare THREE QUICK",
    "compare with all": "compare HASTY --interval --test --per-topic --resamples 600 --level 0.9 --seed 3",
    "compare at the top": "compare THREE --top 8 -c tau_b -c rbo QUICK",
    "compare own topics": "compare THREE --own-topics --common QUICK",
    "compare some": "compare THREE --systems rerank-1,rerank-2,dense-1,dense-2,hybrid-1 QUICK",
    "compare lower is better": "compare THREE --lower-is-better QUICK",
    "compare covid1": "compare COVID1 QUICK",
    "compare dl21": "compare DL21 QUICK",
    "compare robust2004": "compare ROBUST2004 QUICK",
    "compare with a report": "compare THREE --resamples 600 --html out.html",
    "matrix": "compare --matrix THREE -c tau_ap_b",
    "matrix dl21": "compare --matrix DL21",
    "judge card": "compare --card THREE QUICK",
    "board": "board people.csv -k 3 QUICK",
    "board marginal borda": "board people.csv --marginal --total borda --level 0.9 QUICK",
    "board robust2004": "board data/trec/robust2004_ap.csv QUICK",
    "board with a report": "board people.csv QUICK --html out.html",
    "explain": "explain HASTY -c tau_ap_b",
    "explain covid1": "explain COVID1",
    "reliability": "plan people.csv --all QUICK",
    "reliability adhoc8": "plan ADHOC8 --all --seed 5 QUICK",
    "plan with a report": "plan people.csv QUICK --html out.html",
    "plan": "plan people.csv -c tau_ap --target 0.9 QUICK",
    "plan by probability": "plan ADHOC8 --probability 0.8 --target 0.85 --most 2000 QUICK",
    "evaluate": "evaluate DL21-RUNS",
    "evaluate covid1": "evaluate COVID1-RUNS -m Bpref -m P@5",
    "judgments pool": "judgments change DL21-RUNS depth_pool --levels 1,5 QUICK",
    "judgments pool covid1": "judgments change COVID1-RUNS depth_pool --levels 2 QUICK",
    "judgments sample": "judgments change DL21-RUNS sample --levels 0.1,0.5 --draws 3 QUICK -o out",
    "judgments pseudo": "judgments change DL21-RUNS pseudo --levels 10 --duplicates --spread 0.05 --draws 3 QUICK",
    "judgments single-run": "judgments change DL21-RUNS from_runs --levels p_bm25rm3,pash_r1 QUICK",
    "judgments leave-out": "judgments change COVID1-RUNS leave_out --teams teams.csv --depth 10 QUICK",
    "judgments mix": "judgments change DL21-RUNS mix --machine UMBRELA --levels 0.5 --draws 3 QUICK",
    "judgments judges": "judgments judges DL21-RUNS UMBRELA LLAMA --resamples 500 -o out",
    "judgments judges with a report": "judgments judges DL21-RUNS UMBRELA --rel 2 --resamples 500 --html out.html",
    "study reliability": "study reliability HASTY -o out --trials 3 --sizes 10,20",
    "audit": "audit HASTY --reported 0.723",
    "audit several": "audit THREE -r 0.905 -r 0.723 --top 10 --departures 2",
    "coefficients": "coefficients",
}
# These have one way to answer.
OTHERS = {
    "evaluate to a file": "evaluate DL21-RUNS -m nDCG@10 -o out.csv --format csv",
    "evaluate per topic": "evaluate DL21-RUNS --per-topic --format csv",
    "cite": "cite tau_ap_b rbo rank_test",
    "version": "--version",
    "demo": "demo",
}
# These also in the other formats: CSV is read back as numbers, the rest is text, with the numbers in it.
SHOWN = (
    "compare", "compare with all", "matrix", "judge card", "board", "explain", "reliability", "plan",
    "evaluate", "judgments pool", "judgments leave-out", "judgments judges", "study reliability", "audit",
    "coefficients",
)  # fmt: skip


@case("command {}", ANSWERS)
def _(name: str) -> Any:
    return command(ANSWERS[name] + " --format json")


@case("command {} as csv", SHOWN)
def _(name: str) -> Any:
    return command(f"{ANSWERS[name]} --format csv")


@case("command {} as {}", SHOWN, ("table", "markdown", "latex"))
def _(name: str, form: str) -> Any:
    found = command(f"{ANSWERS[name]} --format {form}")
    return {**found, "printed": re.findall(r"-?\d+\.\d+", found["stdout"])}


@case("command {}", OTHERS)
def _(name: str) -> Any:
    return command(OTHERS[name])


@case("may refuse a command, {}", ("compare data/formats/ir_measures/partial.q.tsv people.csv", "compare a.csv b.csv"))
def _(text: str) -> Any:
    return command(text)


def command(text: str) -> dict[str, Any]:
    """What a command prints and writes. One that fails raises, so that nobody takes it for an answer."""
    from concordant.cli import main

    for old in Path().glob("out*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    arguments = [part for word in text.split() for part in WORDS.get(word, word).split()]
    demand(arguments)
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["concordant", *arguments]
    status: Any = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        status = ended.code
    finally:
        sys.argv = before
    if status not in (0, None):
        raise CommandError(f"exit status {status}: {err.getvalue()}")
    printed = out.getvalue()
    found: dict[str, Any] = {"stderr": err.getvalue(), "written": {p.name: held(p.name) for p in Path().glob("out*")}}
    if "json" in arguments:
        return {**found, "json": json.loads(printed)}
    return {**found, **({"csv": table(printed)} if "csv" in arguments else {"stdout": printed})}
