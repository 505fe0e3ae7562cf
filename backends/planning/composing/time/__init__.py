"""When: the days, the periods and the units of time of a request."""
