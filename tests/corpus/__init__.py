"""Questions about tables with their answers, and the training of the parser's weights on them."""
