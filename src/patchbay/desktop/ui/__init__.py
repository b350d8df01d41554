"""Widgets. They bind to view-models and hold no rule of the business."""
