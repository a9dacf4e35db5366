"""The command line `concordant`.

A command reads its inputs through the shared options, which `options` defines, and returns a result. `answer` prints or
writes that result in the requested format, using `render` and `terminal`. `app` assembles the commands.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def main() -> None:
    """Run the command line."""
    if sys.stderr is None:  # closed by the caller, who wants the answer but no notes or errors
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.exit("concordant: standard output is closed: redirect it to a file or to /dev/null")
    for name in ("SIGTERM", "SIGHUP"):  # by default these signals end the process at once and leave partial files
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(getattr(signal, name), _terminate)
    try:
        from .app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except ImportError as error:
        if error.name != "typer":
            raise
        from ..errors import missing_extra

        sys.exit(f"concordant: {missing_extra(error.name, 'the command line')}")


def _terminate(number: int, frame: Any) -> None:
    sys.stderr.write("terminated\n")
    sys.exit(128 + number)
