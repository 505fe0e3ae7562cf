"""The tools of plugins and servers: who has which, what is offered, what is allowed."""
