"""Values only. This package does no input or output, and uses neither asyncio nor Qt."""
