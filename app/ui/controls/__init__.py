"""Controls used in every part of the window: fields, labels, message boxes, keys."""
