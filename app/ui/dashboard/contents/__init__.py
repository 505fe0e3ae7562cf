"""What stands in a tile that is no table: words, news, figures, pages, pictures, charts."""
