"""Controls that every part of the window uses: fields, labels, message boxes, keys."""
