"""What sets the columns of a table apart: pinned ones, colours that can be read, how a dashboard left them."""
