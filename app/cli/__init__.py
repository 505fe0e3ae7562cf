"""The commands of the shell."""


def main() -> int:
    """Run the command line and return its exit status; Ctrl+C while it still loads is 130, too."""
    try:
        from app.cli.commands import main as run

        return run()
    except KeyboardInterrupt:
        return 130
