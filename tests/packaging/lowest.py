"""Prints every dependency of pyproject.toml at exactly its lower bound, as constraints for pip: `make only-lowest`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*])?\s*>=\s*(?P<version>[0-9][0-9.a-z]*)")


def lowest(requirement: str) -> str:
    """One requirement at its lower bound.

    >>> lowest("numpy>=1.26")
    'numpy==1.26'
    """
    found = BOUND.match(requirement)
    if found is None:
        raise SystemExit(f"{requirement!r} in pyproject.toml has no lower bound: write name>=version")
    return f"{found['name']}=={found['version']}"


def requirements(project: Path) -> list[str]:
    """What pyproject.toml requires to build, use and test the package, with all extras."""
    settings = tomllib.loads(project.read_text(encoding="utf-8"))
    package = settings["project"]
    lists = [settings["build-system"]["requires"], package["dependencies"]]
    lists += package.get("optional-dependencies", {}).values()
    groups = settings.get("dependency-groups", {})  # a table in one of them includes another of them
    lists += [entries for name, entries in groups.items() if name != "release"]  # which no test needs
    return sorted({entry for each in lists for entry in each if isinstance(entry, str)})


def constraints(project: Path) -> list[str]:
    """One line for each package. Two bounds for one package are an error: the smaller one would mislead."""
    lines = sorted({lowest(requirement) for requirement in requirements(project)})
    names = [line.partition("==")[0] for line in lines]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SystemExit(f"pyproject.toml has two bounds for {', '.join(twice)}")
    return lines


if __name__ == "__main__":
    print("\n".join(constraints(Path(sys.argv[1]))))
