"""What follows an answer that a workflow gave."""
