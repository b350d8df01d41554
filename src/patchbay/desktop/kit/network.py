"""What the system says about the network, while it changes.

Qt asks services of the system, and waits for them. So the window starts this module as a program while a flow
waits for changes: `python -m patchbay.desktop.kit.network` prints a line of JSON for each, until its input
ends.
"""

import json
import os
import sys
import threading

from PySide6.QtCore import QCoreApplication

_INPUT = 0


def main() -> None:
    """Print what the system says now, and then each change. Prints an empty object if it says nothing."""
    from PySide6.QtNetwork import QNetworkInformation

    application = QCoreApplication(sys.argv[:1])
    threading.Thread(target=_end_with_input, daemon=True).start()
    QNetworkInformation.loadDefaultBackend()
    network = QNetworkInformation.instance()
    if network is None or network.reachability() is QNetworkInformation.Reachability.Unknown:
        _print({})
        return
    network.reachabilityChanged.connect(lambda reachability: _print(_state(reachability.name)))
    _print(_state(network.reachability().name))
    sys.exit(application.exec())


def _state(reachability: str) -> dict[str, object]:
    return {"isOnline": reachability == "Online", "reachability": reachability.lower()}


def _print(state: dict[str, object]) -> None:
    sys.stdout.write(f"{json.dumps(state)}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    while os.read(_INPUT, 1024):
        pass
    os._exit(0)  # the window has ended


if __name__ == "__main__":
    main()
