"""The border to the code of apps: its context, its parameters, its failures."""
