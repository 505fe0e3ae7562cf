"""Values only: this package does no input or output and uses neither asyncio nor Qt."""
