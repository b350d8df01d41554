"""What starts a flow: one file for each trigger."""
