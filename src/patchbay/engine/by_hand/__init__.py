"""What people do: run a flow now, test steps, cancel, retry and replay executions."""
