"""Steps of a workflow put in, taken out and moved by hand."""
