"""What app code is handed: `ctx`, with its HTTP client, auth data, step, execution and results.

Domain facts, section 6. One context serves one call (one verify, one trigger run, one action run).
"""
