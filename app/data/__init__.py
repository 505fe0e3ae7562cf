"""Tables: opening, profiling and querying them."""
