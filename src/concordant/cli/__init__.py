"""The command line `concordant`.

`app` has the commands, `options` what they share; `reading` goes from arguments to scores, `answer` from comparisons to
text, `render` from tables to each format, `terminal` to the screen.
"""

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
