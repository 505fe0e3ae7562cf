"""The page of plugins and servers of tools."""
