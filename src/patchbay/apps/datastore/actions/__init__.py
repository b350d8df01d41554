"""Read and write."""
