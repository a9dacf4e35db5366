"""The command line `concordant`: `app` has the commands, `render` turns tables into text of each format."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from .app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"concordant: the command line needs {error.name}: pip install 'concordant[app]'")
