"""The Executions tab."""
