"""Pure data and rules: what crosses every seam. No I/O, no clock, no other room."""
