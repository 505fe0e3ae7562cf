"""Pages of the web, fetched when the person says so."""
