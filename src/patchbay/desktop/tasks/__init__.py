"""The asyncio loop thread and the handles through which the window talks to it. QtCore only."""

from patchbay.desktop.tasks.collector import GarbageCollector
from patchbay.desktop.tasks.task import LatestRequest, LoopThread, Task, Tasks

__all__ = ["GarbageCollector", "LatestRequest", "LoopThread", "Task", "Tasks"]
