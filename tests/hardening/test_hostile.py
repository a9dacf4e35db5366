"""Files and names that mean harm: a clear error, bounded memory, and nothing that reaches the terminal or a table."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import cmarkgfm
import pytest

import concordant as cc
from concordant.cli import answer
from concordant.cli.answer import Table
from concordant.errors import printable
from concordant.read import source

pytestmark = pytest.mark.long

TABLE = "topic,a,b\n1,0.5,0.25\n2,0.25,0.5\n"


# Files --------------------------------------------------------------------------------------------


def test_a_bomb_takes_no_more_memory_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 4 * 2**20)
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb") as file:
        for _ in range(256):
            file.write(b"0" * 2**20)
    assert bomb.stat().st_size < 2**20
    tracemalloc.start()
    with pytest.raises(
        cc.errors.ReadError, match=r"bomb\.csv\.gz: holds more than 4,194,304 bytes; .*CONCORDANT_MAX_BYTES"
    ):
        cc.read_scores(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 4 * 2**20


def test_a_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    with open(tmp_path / "x.csv", "wb") as file:
        file.truncate(10 * 2**30)
    tracemalloc.start()
    with pytest.raises(cc.errors.ReadError, match="holds more than"):
        cc.read_scores(tmp_path / "x.csv")
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


@pytest.mark.parametrize("text", ["topic,a\n" + "1," * 2000, "1 " * 2000, "a\nb\n" * 500 + "x" * 2000])
def test_a_line_without_an_end_is_refused_before_it_is_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(source, "LINE_SHARE", source.MAX_BYTES // 1000)
    (tmp_path / "x.csv").write_text(text)
    line = text.count("\n") + 1
    with pytest.raises(cc.errors.ReadError, match=rf"x\.csv:{line}: has a line of more than 1,000 bytes.*MAX_BYTES"):
        cc.read_scores(tmp_path / "x.csv")
    (tmp_path / "x.json").write_text(json.dumps({"r1": {"map": {str(k): 0.5 for k in range(300)}}}))
    assert len(cc.read_scores(tmp_path / "x.json").topics) == 300
    (tmp_path / "y.csv").write_text("topic,a,b\n" + "".join(f"{k},0.5,0.25\n" for k in range(300)))
    assert len(cc.read_scores(tmp_path / "y.csv").topics) == 300


def test_limits_can_be_set_where_there_is_no_python(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(TABLE)
    command = [sys.executable, "-m", "concordant", "board", str(tmp_path / "x.csv")]
    for name, value, said in (
        ("CONCORDANT_MAX_BYTES", "10", "x.csv: holds more than 10 bytes"),
        ("CONCORDANT_MAX_BYTES", "1 GB", "variable CONCORDANT_MAX_BYTES is '1 GB': set it to a whole number"),
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {name: value})
        assert done.returncode == 1
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def test_links_that_lead_in_circles_or_back_up(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "below").mkdir(parents=True)
    (tmp_path / "not-this.csv").write_text("never read")
    (folder / "a.csv").write_text(TABLE)
    (folder / "up").symlink_to("..")
    (folder / "below" / "again").symlink_to(folder)
    assert [item.file.name for item in source.expand(folder)] == ["a.csv"]
    (folder / "self").symlink_to("self")
    with pytest.raises(cc.errors.ReadError, match=r"self: cannot be read: Too many levels of symbolic links"):
        cc.read_scores(folder)


def test_a_folder_of_a_whole_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_FILES", 10)
    for k in range(11):
        (tmp_path / f"{k}.csv").write_text(TABLE)
    with pytest.raises(cc.errors.ReadError, match="holds more than 10 files: give a glob"):
        cc.read_scores(tmp_path)


def test_a_pipe_without_a_writer_does_not_wait_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(cc.errors.ReadError, match="is a named pipe"):
        cc.read_scores(tmp_path / "pipe")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"r1": {"map": {"1": 1e400}}}',
        '{"r1": {"map": {"1": -Infinity}}}',
        '{"r1": {"map": {"1": %s}}}' % ("9" * 400),
        '{"r1": {"map": {"1": %s}}}' % ("9" * 5000),
        '{"r1": {"map": {"1": 0.5, "1": 0.6}}}',
    ],
)
def test_json_that_means_harm(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(cc.errors.ReadError, match=r"x\.json"):
        cc.read_scores(tmp_path / "x.json")


def test_a_file_name_that_is_no_text_can_be_written(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "runs")
    os.mkdir(folder)
    for name in (b"r\xff1.eval", b"r2.eval"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"map 1 0.5\nmap 2 0.25\nmap 3 0.75\nmap all 0.5\n")
    read = cc.read_scores(os.fsdecode(folder), "map")
    assert read.systems == ("r2", "r\\xff1")
    done = subprocess.run(
        [sys.executable, "-m", "concordant", "board", folder, "-m", "map", "--format", "csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {row.split(",")[0] for row in done.stdout.splitlines()[1:]} == set(read.systems)


def test_a_long_name_of_an_output_is_no_matter(tmp_path: Path) -> None:
    from concordant.render.outputs import written_whole

    name = "\N{GRINNING FACE}" * 60 + ".csv"  # 244 bytes of at most 255
    with written_whole(tmp_path / name) as file:
        file.write(b"x")
    assert (tmp_path / name).read_bytes() == b"x"


# Names --------------------------------------------------------------------------------------------

HOSTILE = (
    "\x1b[2J\x1b[31mred",
    "\x9b31mC1",
    "a\u202egnp.exe",
    "\u2066isolated\u2069",
    "\u200bzero",
    "bell\x07",
    "two\nlines",
    "tab\there",
    "car\rriage",
    "\u2028separator",
    "half \udcff",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_do_not_control_the_terminal(name: str) -> None:
    shown = printable(name)
    assert not any(
        (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or 0x2028 <= ord(c) <= 0x2069 for c in shown
    )
    for made in (answer.to_markdown, answer.to_latex):
        text = made(Table(["system", "value"], [[name, 0.5], ["plain", 0.25]]))
        assert len(text.splitlines()) == (4 if made is answer.to_markdown else 8)


@pytest.mark.parametrize("name", [*HOSTILE[:-1], "\x7f", "\u200c joiner"])
def test_json_on_the_terminal_is_json_and_the_same(name: str) -> None:
    assert json.loads(printable(answer.to_json({name: [name]}))) == {name: [name]}


def test_names_are_no_markup_in_a_table_for_the_web() -> None:
    names = ["<script>alert(1)</script>", "[link](javascript:1)", "![i](x)", "a|b", "`code`", "back\\slash"]
    text = answer.to_markdown(Table(["system"], [[name] for name in names]))
    assert text.splitlines()[2:] == [
        r"| \<script>alert(1)\</script> |",
        r"| \[link](javascript:1) |",
        r"| !\[i](x) |",
        r"| a\|b |",
        r"| \`code\` |",
        r"| back\\slash |",
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("__proto__", r"\_\_proto\_\_"),
        ("tau_ap_b", "tau_ap_b"),
        ("*x*", r"\*x\*"),
        ("_x_", r"\_x\_"),
        ("~~x~~", r"\~\~x\~\~"),
        ("https://example.org/a_b", r"https\://example.org/a_b"),
        ("www.example.org", r"www\.example.org"),
        ("me@example.org", "me<!-- -->@example.org"),
        ("mailto:me_@example.org", r"mailto:me\_<!-- -->@example.org"),
        ("a-@b.org", "a-<!-- -->@b.org"),
        ("a.@b.org", "a.<!-- -->@b.org"),
        ("a+@b.org", "a+<!-- -->@b.org"),
        ("nDCG @ 10, P@", "nDCG @ 10, P@"),
        ("&lt;b&gt;", r"\&lt;b\&gt;"),
        ("[ref][1]", r"\[ref]\[1]"),
        ("$x$", r"\$x\$"),
        ("BM25 (k=1.2): 10%", "BM25 (k=1.2): 10%"),
    ],
)
def test_names_are_plain_text_in_markdown(name: str, written: str) -> None:
    assert answer.to_markdown(Table(["system"], [[name]])).splitlines()[2] == f"| {written} |"


def test_names_are_no_links_for_the_renderer_of_github() -> None:
    rng = random.Random(1)
    parts = ["a", "b.org", "@", ".", "-", "+", "_", "www.", "http://", "https://", "ftp://", "mailto:", "xmpp:", ":",
             "/", "<", ">", "\\", "[", "](", ")", " ", "*", "&#64;", "x.com", "<!-- -->"]  # fmt: skip
    given = [
        "mailto:a@b.org",
        "xmpp:a@b.org/x",
        "https://x.org",
        "www.x.org",
        "a_@b.org",
        "<a@b.org>",
        "<https://x.org>",
    ]
    given += ["".join(rng.choices(parts, k=rng.randint(2, 7))) for _ in range(3000)]
    text = answer.to_markdown(Table(["system"], [[name] for name in given]))
    page = cmarkgfm.github_flavored_markdown_to_html(text)
    assert "<a " not in page
    assert page.count("<tr>") == len(given) + 1


@pytest.mark.parametrize("name", ["$\\frac$", "$x_{$", "a\\", "\\$", "__proto__", "%s", "</text>", "\\textbf{"])
def test_names_are_text_in_figures(name: str) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from concordant.render.figures.labels import text

    figure = pyplot.figure()
    axes = figure.add_subplot()
    axes.plot([1, 2], label=text(name))
    shown = axes.legend().get_texts()
    figure.savefig(io.BytesIO(), format="svg")
    pyplot.close(figure)
    assert [t.get_text().replace("\\$", "$").strip() for t in shown] == [name]


def test_names_are_no_commands_in_latex() -> None:
    names = [r"\input{/etc/passwd}", "[2pt] up", "*star", "50% & $x_1$ #1", "a<b>c|d", "~^"]
    assert answer.to_latex(Table(["system"], [[name] for name in names])).splitlines()[4:-2] == [
        r"\textbackslash{}input\{/etc/passwd\} \\",
        r"{}[2pt] up \\",
        r"{}*star \\",
        r"50\% \& \$x\_1\$ \#1 \\",
        r"a\textless{}b\textgreater{}c\textbar{}d \\",
        r"\textasciitilde{}\textasciicircum{} \\",
    ]
