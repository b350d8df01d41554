"""The asyncio loop thread and the handles through which the window talks to it. QtCore only."""

from patchbay.desktop.tasks.collector import Collector
from patchbay.desktop.tasks.task import Latest, LoopThread, Task, Tasks

__all__ = ["Collector", "Latest", "LoopThread", "Task", "Tasks"]
