"""What only triggers have: the address of a webhook, and how often a polling trigger looks."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.inputs import ComboBox, CopyField, FormField
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import ActionInfo, TriggerInfo, TriggerKind
from patchbay.domain.flows import INTERVALS, Flow, Step, StepType

_WEBHOOK_HELP = "A call starts the flow once it is published; until then every call is a test."
_SIGNATURE_HELP: dict[bool | None, str] = {
    True: "Calls must be signed; others are refused.",
    False: "Calls aren't signed: anyone who knows the address can start the flow.",
}


class TriggerSettings(QWidget):
    """Hidden where there is nothing to set."""

    interval_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.address = CopyField("", "address that starts the flow")
        self._address_field = FormField("Webhook address", self.address, help=_WEBHOOK_HELP)
        self.test_address = CopyField("", "address for tests")
        self._test_field = FormField(
            "Test address",
            self.test_address,
            help="A call is always a test, published or not: it shows up here, and nothing runs.",
        )
        self._sync_address = CopyField("", "address that waits for the answer")
        self._sync_field = FormField(
            "Address that waits for the answer",
            self._sync_address,
            help="The caller gets what “Respond with” sends back.",
        )
        self._no_address_notice = MessageBox(
            "warning",
            "No address yet",
            "Calls can't reach this workspace, so skip the test to go on. On this computer or on a server, "
            "the flow gets an address.",
        )
        self.interval = ComboBox("Look for new items every")
        self.interval.set_options([(minutes, _interval_label(minutes)) for minutes in INTERVALS])
        self.interval.value_changed.connect(self.interval_chosen.emit)
        self._interval_field = FormField("Look for new items every", self.interval)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(14))
        for widget in (
            self._address_field,
            self._sync_field,
            self._test_field,
            self._no_address_notice,
            self._interval_field,
        ):
            column.addWidget(widget)

    def show_step(
        self, flow: Flow, step: Step, event: TriggerInfo | ActionInfo | None, *, editable: bool = True
    ) -> None:
        """`editable`: only a workspace that can edit the flow takes calls to its test address."""
        trigger = event if isinstance(event, TriggerInfo) and step.type is StepType.TRIGGER else None
        url = step.webhook_url or ""
        # Third-party servers tell the address of a webhook and not what its trigger is.
        webhook = trigger.show_webhook_url if trigger is not None else event is None and bool(url)
        self._address_field.setVisible(webhook and bool(url))
        self._sync_field.setVisible(webhook and bool(url) and "workSynchronously" in _argument_keys(trigger))
        self._test_field.setVisible(webhook and bool(url) and editable)
        self._no_address_notice.setVisible(webhook and not url)
        self.address.set_text(url)
        self._address_field.set_help(
            " ".join(filter(None, [_WEBHOOK_HELP, _SIGNATURE_HELP.get(step.webhook_signed)]))
        )
        base_url = url.removesuffix("/sync")
        self._sync_address.set_text(f"{base_url}/sync")
        self.test_address.set_text(f"{base_url}/test")
        polling = trigger is not None and trigger.kind is TriggerKind.POLLING
        self._interval_field.setVisible(polling)
        self.interval.blockSignals(True)
        self.interval.set_value(flow.execution_interval)
        self.interval.blockSignals(False)
        self.setVisible(webhook or polling)


def _argument_keys(trigger: TriggerInfo | None) -> set[str]:
    return {item.key for item in trigger.arguments} if trigger else set()


def _interval_label(minutes: int) -> str:
    return {1: "minute", 60: "hour"}.get(minutes, f"{minutes} minutes")
