"""Whether programs that steps run are isolated from this computer, and by what."""

from enum import StrEnum

from patchbay.domain.base import Model


class IsolationKind(StrEnum):
    """The mechanism that isolates programs."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


class Isolation(Model):
    """How programs of steps are isolated here. Found out once, when the workspace is opened.

    `detail` says it in plain words, for `doctor`, the settings and errors.
    """

    kind: IsolationKind = IsolationKind.NONE
    detail: str = "Programs run as the same user as Patchbay, without isolation."

    @property
    def summary(self) -> str:
        """One sentence that begins with the answer, and then how, or why not and what to do."""
        answer = "isolated" if self.isolates_programs else "not isolated; only admins can run them"
        return f"{answer}. {self.detail}"

    @property
    def isolates_programs(self) -> bool:
        """Whether a program can reach neither the data of Patchbay nor other processes."""
        return self.kind is not IsolationKind.NONE


NOT_ISOLATED = Isolation()
