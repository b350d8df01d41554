"""A real Home Assistant on this computer: `with home_assistant(folder) as home:`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import patient
from tests.support.ports import free_port
from tests.support.python_services import PythonService

HOME_ASSISTANT = PythonService("home-assistant")
_LOGIN = {"username": "ada", "password": "good-password-1234"}
_CONFIG = """\
homeassistant:
  name: Test
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
auth:
input_boolean:
  door:
    name: Door
  lamp:
    name: Lamp
"""


class HomeAssistant:
    """The running server, and a program of its own that is signed in."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self._client_id = f"{self.address}/"
        self._client = patient.Client(base_url=self.address)

    def is_up(self) -> bool:
        return self._client.get("/api/onboarding").is_success

    def set_up(self) -> None:
        """Create the owner, as the first visitor does."""
        form = {"name": "Ada", "language": "en", "client_id": self._client_id, **_LOGIN}
        self._post("/api/onboarding/users", json=form)
        token, _ = self.sign_in()
        self._client.headers["Authorization"] = f"Bearer {token}"

    def sign_in(self) -> tuple[str, str]:
        """An access token, and the refresh token that it depends on."""
        begin = {"client_id": self._client_id, "redirect_uri": self._client_id}
        flow = self._post("/auth/login_flow", json={**begin, "handler": ["homeassistant", None]})
        done = self._post(
            f"/auth/login_flow/{flow['flow_id']}", json={"client_id": self._client_id, **_LOGIN}
        )
        form = {"grant_type": "authorization_code", "code": done["result"], "client_id": self._client_id}
        tokens = self._post("/auth/token", data=form)
        return tokens["access_token"], tokens["refresh_token"]

    def revoke(self, refresh_token: str) -> None:
        """From now on the server rejects access tokens that depend on it."""
        self._client.post("/auth/revoke", data={"token": refresh_token}).raise_for_status()

    def switch_on(self, entity: str) -> None:
        self._post("/api/services/input_boolean/turn_on", json={"entity_id": entity})

    def state(self, entity: str) -> str:
        answer = self._client.get(f"/api/states/{entity}")
        answer.raise_for_status()
        return str(answer.json()["state"])

    def close(self) -> None:
        self._client.close()

    def _post(self, path: str, **content: Any) -> Any:
        answer = self._client.post(path, **content)
        assert answer.is_success, answer.text
        return answer.json()


@contextmanager
def home_assistant(folder: Path) -> Iterator[HomeAssistant]:
    """Run the server while the block runs."""
    port = free_port()
    (folder / "configuration.yaml").write_text(_CONFIG.format(port=port))
    home = HomeAssistant(port)
    words = ("--skip-pip", "--config", folder)
    try:
        with HOME_ASSISTANT.running(folder / "output.log", home.is_up, *words, program="hass"):
            home.set_up()
            yield home
    finally:
        home.close()
