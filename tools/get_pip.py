"""Installs pip from PyPI into the environment whose Python runs this: for `make`, where Python has no ensurepip.

Debian leaves ensurepip to the package python3-venv. This is for a machine that has Python and make and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

LINK = re.compile(r'<a [^>]*href="(?P<address>[^"#]+)#sha256=(?P<digest>[0-9a-f]+)"(?P<more>[^>]*)>')
WHEEL = re.compile(r".*/pip-(?P<version>[0-9.]+)-py3-none-any\.whl")
NEEDS = re.compile(r'data-requires-python="(?:>|&gt;)=3\.(?P<minor>\d+)')


def newest(page: str) -> tuple[str, str]:
    """The address and the hash of the newest release in a page of an index that this Python can use."""
    found = []
    for link in LINK.finditer(page):
        wheel, needs = WHEEL.fullmatch(link["address"]), NEEDS.search(link["more"])
        if (
            wheel
            and "data-yanked" not in link["more"]
            and int(needs["minor"] if needs else 0) <= sys.version_info.minor
        ):
            found.append((tuple(map(int, wheel["version"].split("."))), link["address"], link["digest"]))
    if not found:
        raise LookupError("the index has no pip for this Python")
    return max(found)[1:]


def fetch(address: str) -> bytes:
    """What is at an address, as a page or a file."""
    asked = urllib.request.Request(address, headers={"Accept": "text/html, */*"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        found: bytes = answer.read()
    return found


def main() -> None:
    """Fetch the wheel, compare its hash, and let it install itself."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    address, digest = newest(fetch(index).decode())
    data = fetch(urljoin(index, address))
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(f"{address} is not the file that {index} names")
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder) / address.rsplit("/", 1)[1]
        wheel.write_bytes(data)
        subprocess.run([sys.executable, f"{wheel}/pip", "install", "--quiet", "--no-index", wheel], check=True)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, LookupError, subprocess.CalledProcessError) as error:
        sys.exit(
            f"this Python has no ensurepip, and pip cannot be fetched: {error}\nOn Debian: apt install python3-venv"
        )
