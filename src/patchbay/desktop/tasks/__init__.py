"""The asyncio loop thread and the handles through which the window talks to it. QtCore only."""

from patchbay.desktop.tasks.loop import LoopThread
from patchbay.desktop.tasks.task import Latest, Task, Tasks

__all__ = ["Latest", "LoopThread", "Task", "Tasks"]
