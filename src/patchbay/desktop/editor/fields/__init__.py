"""Field editors of generated forms."""
