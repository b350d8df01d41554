"""The composition root: builds everything, passes it down. The only room that knows both wings."""
