"""The tools of plugins and servers: offered, allowed, called."""
