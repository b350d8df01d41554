"""Further inputs, once a transform was chosen."""
