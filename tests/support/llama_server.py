"""A real OpenAI-compatible server, llama.cpp's own, with a tiny model.

`with llama_server(folder) as server:`
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support import patient
from tests.support.ports import free_port
from tests.support.python_services import PythonService
from tests.support.tiny_language_model import write_tiny_language_model

LLAMA = PythonService("llama")
MODEL = "tiny"
KEY = "sk-good-1234567890"
SCRIPT = Path(__file__).with_name("llama_server_process.py")


class LlamaServer:
    """A server that can be stopped and started, and a client of its own that knows the usual key."""

    def __init__(self, folder: Path) -> None:
        self.port, self._folder = free_port(), folder
        self.address = f"http://127.0.0.1:{self.port}"
        headers = {"Authorization": f"Bearer {KEY}"}
        self.client = patient.Client(base_url=self.address, headers=headers)
        self._run = ExitStack()
        write_tiny_language_model(folder / "tiny.gguf")

    def start(self, key: str = KEY) -> None:
        """Run it with this key."""
        words = (SCRIPT, self._folder / "tiny.gguf", self.port, key)
        self._run.enter_context(LLAMA.running(self._folder / "llama.log", self._is_up, *words))

    def stop(self) -> None:
        self._run.close()

    def _is_up(self) -> bool:
        return self.client.get("/health").is_success

    def complete(self, prompt: str, tokens: int) -> str:
        """How the model continues the text: at temperature 0 always in the same way."""
        body = {"model": MODEL, "prompt": prompt, "max_tokens": tokens, "temperature": 0}
        answer = self.client.post("/v1/completions", json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["choices"][0]["text"])

    def written_tokens(self) -> int:
        """How many tokens it has written since it was started."""
        found = re.search(r"^llamacpp:tokens_predicted_total (\d+)", self.client.get("/metrics").text, re.M)
        assert found is not None
        return int(found[1])


@contextmanager
def llama_server(folder: Path) -> Iterator[LlamaServer]:
    """Run the server while the block runs."""
    server = LlamaServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        server.client.close()
