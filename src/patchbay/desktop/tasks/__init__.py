"""The asyncio loop thread, and tasks that run on it for the window. Imports only QtCore."""

from patchbay.desktop.tasks.collector import GarbageCollector
from patchbay.desktop.tasks.task import LatestRequest, LoopThread, Task, Tasks

__all__ = ["GarbageCollector", "LatestRequest", "LoopThread", "Task", "Tasks"]
