"""The other programs that run the flows of the same database, as the engine sees them."""

import uuid
from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

from patchbay.domain.base import AppKey, FlowId, Json, Model
from patchbay.domain.flows import FlowVersion

PROGRAM_ID_LENGTH = 12


class PeerMessage(StrEnum):
    """What programs that share a database tell each other."""

    WORK = "work"
    """Executions are queued that the sender can't start now."""
    CHANGE = "change"
    """A `Change`, for the listeners of each program."""
    RELOAD = "reload"
    """Resources changed that programs keep in memory. Sent in the commit of the change."""
    CANCEL = "cancel"
    """Interrupt these executions."""
    HOLD = "hold"
    """A service asked to wait."""
    RELEASE = "release"
    """A person ended the waits for a service."""
    RESPONSE = "response"
    """The response of an execution, for the program whose caller waits for it."""


class Peers(Protocol):
    """The programs that share the database with this one. One per program."""

    @property
    def program_id(self) -> str:
        """`PROGRAM_ID_LENGTH` characters with which the tokens of this program's runs begin."""
        ...

    @property
    def are_possible(self) -> bool:
        """Whether other programs can share the database at all."""
        ...

    @property
    def is_leader(self) -> bool:
        """Whether this program does what only one of them has to do, such as deleting old executions.

        For a moment, two can be leader, or none.
        """
        ...

    def send(self, kind: PeerMessage, **body: Json) -> None:
        """Send a message to all other programs. It may be lost with the connection to the database."""
        ...


class NoPeers:
    """The only program of its database."""

    are_possible = False
    is_leader = True

    def __init__(self) -> None:
        self.program_id = new_program_id()

    def send(self, kind: PeerMessage, **body: Json) -> None:
        """There is no other program to send it to."""


def new_program_id() -> str:
    """A random ID for one start of a program."""
    return uuid.uuid4().hex[:PROGRAM_ID_LENGTH]


class WorkFilter(Model):
    """The flows that a program runs; without flows and apps, all of them."""

    accepts_only: bool = False
    """Whether it runs nothing, and leaves all that it accepts to other programs."""
    flows: frozenset[FlowId] = frozenset()
    apps: frozenset[AppKey] = frozenset()
    """Flows that have a step of one of these apps."""

    @property
    def is_restricted(self) -> bool:
        """Whether it leaves out any flow."""
        return bool(self.accepts_only or self.flows or self.apps)

    def select(self, versions: Iterable[FlowVersion]) -> frozenset[FlowId] | None:
        """The flows of these published versions that the program runs; None for all flows."""
        if not self.is_restricted:
            return None
        return frozenset(
            version.flow_id
            for version in versions
            if version.flow_id in self.flows or any(step.app_key in self.apps for step in version.steps)
        )


ALL_FLOWS = WorkFilter()
NO_FLOWS = WorkFilter(accepts_only=True)
