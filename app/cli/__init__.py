"""The commands of the shell."""

import sys


def main() -> int:
    """Run the command line and return its exit status; Ctrl+C while it still loads is 130, too."""
    try:
        if not sys.argv[1:]:  # the window, which is to be there before the commands could be read
            from app.cli.window import has_display, open_window

            if has_display():
                return open_window()
        from app.cli.commands import main as run

        return run()
    except KeyboardInterrupt:
        return 130
