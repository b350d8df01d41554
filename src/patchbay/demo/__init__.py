"""The sample workspace: believable flows, connections and a long history, the same for each seed."""
