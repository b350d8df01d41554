"""The real `oidc-provider` of the npm registry on 127.0.0.1, and a browser that fills in its forms."""

import json
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from tests.support import patient
from tests.support.patience import PATIENCE

FOLDER = Path(__file__).parents[2] / ".venv" / "counterparties"
SCRIPT = Path(__file__).with_name("oidc_provider.mjs")
START_SECONDS = 30.0


@dataclass
class OidcProvider:
    """A running provider. `grants` tells what was granted and refused, in order."""

    address: str
    process: "subprocess.Popen[str]"
    grants: list[dict[str, Any]] = field(default_factory=list)

    def count(self, grant: str, kind: str = "granted") -> int:
        return sum(1 for item in self.grants if item["kind"] == kind and item.get("grant") == grant)

    @property
    def refreshes(self) -> int:
        return self.count("refresh_token")

    def connection(self, **changes: str) -> dict[str, Any]:
        """What a person enters in the form of an HTTP connection for this provider."""
        return {
            "screenName": "Ada",
            "kind": "oauth2",
            "baseUrl": self.address,
            "checkUrl": "/me",
            "authorizeUrl": f"{self.address}/auth",
            "tokenUrl": f"{self.address}/token",
            "clientId": "desktop",
            "scopes": "openid email offline_access",
            "clientAuth": "post",
        } | changes

    async def revoke(self, token: str) -> None:
        """Take a token back, as a person does on the provider's account page."""
        async with patient.AsyncClient() as client:
            form = {"token": token, "client_id": "desktop"}
            (await client.post(f"{self.address}/token/revocation", data=form)).raise_for_status()


class Browser:
    """Stands in for the person's browser: keeps cookies, follows redirects, fills in the plain forms."""

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(follow_redirects=True, timeout=20)

    async def __aenter__(self) -> "Browser":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def open(self, url: str) -> httpx.Response:
        return await self._client.get(url)

    async def sign_in(self, url: str, login: str = "ada") -> httpx.Response:
        """Sign in, agree, and come back to whoever asked; the last page."""
        return await self._through_forms(await self.open(url), {"login": login, "password": "any"})

    async def refuse(self, url: str) -> httpx.Response:
        """Follow the link that cancels."""
        page = await self.open(url)
        link = re.search(r'href="([^"]*/abort)"', page.text)
        assert link, page.text
        return await self._client.get(urljoin(str(page.url), unescape(link[1])))

    async def enter_code(self, page_url: str, login: str = "ada") -> httpx.Response:
        """The pages of a sign-in by code: confirm it, sign in, agree."""
        return await self._through_forms(await self.open(page_url), {"login": login, "password": "any"})

    async def _through_forms(self, page: httpx.Response, known: dict[str, str]) -> httpx.Response:
        for _ in range(8):
            form = re.search(r"<form[^>]*action=\"([^\"]+)\"[^>]*>(.*?)</form>", page.text, re.DOTALL)
            if form is None:
                return page
            fields = {}
            for tag in re.findall(r"<(?:input|button)[^>]*>", form[2]):
                name = re.search(r'name="([^"]+)"', tag)
                value = re.search(r'value="([^"]*)"', tag)
                if name and 'name="abort"' not in tag:
                    fields[name[1]] = known.get(name[1], unescape(value[1]) if value else "")
            page = await self._client.post(urljoin(str(page.url), unescape(form[1])), data=fields)
        raise AssertionError(f"the forms do not end:\n{page.text}")


@contextmanager
def oidc_provider() -> Iterator[OidcProvider]:
    """Start it on a free port; skips the test where it is not installed."""
    node = _node()
    if node is None or not (FOLDER / "node_modules" / "oidc-provider").is_dir():
        pytest.skip("oidc-provider is not installed (needs npm; make test installs it)")
    script = FOLDER / SCRIPT.name
    script.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    port = _free_port()
    process = subprocess.Popen(
        [node, str(script), str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"PATH": os.environ.get("PATH", ""), "NODE_ENV": "test"},
    )
    provider = OidcProvider(f"http://127.0.0.1:{port}", process)
    reader, ready = _follow(provider)
    try:
        assert ready.get(timeout=START_SECONDS), "oidc-provider did not start"
        yield provider
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
        reader.join(timeout=PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


def _follow(provider: OidcProvider) -> tuple[threading.Thread, "Queue[bool]"]:
    ready: Queue[bool] = Queue()

    def read() -> None:
        assert provider.process.stdout is not None
        for line in provider.process.stdout:
            if not line.startswith("{"):
                continue  # its notices
            told = json.loads(line)
            if told["kind"] == "ready":
                ready.put(True)
            else:
                provider.grants.append(told)
        ready.put(False)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    return reader, ready


def _node() -> str | None:
    own = FOLDER / "node_modules" / ".bin" / "node"
    return str(own) if own.exists() else shutil.which("node")


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
