"""The Templates tab."""
