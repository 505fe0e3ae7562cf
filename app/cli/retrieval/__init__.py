"""Commands that find texts: vectors of them, and their order by a query."""
