"""One block of Markdown: cut from the text, set as a document."""
