"""The tools of plugins and servers: how they are offered, allowed and called."""
