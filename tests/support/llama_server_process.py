"""llama.cpp's own server in a process of its own: `python llama_server_process.py MODEL PORT KEY`.

Run by the Python of `.venv/counterparties/llama`, without the packages of Patchbay.
"""

import importlib
import signal
import sys


def main(model: str, port: str, key: str) -> None:
    """Serve the model on 127.0.0.1 for those who have the key, until the process is ended."""
    xllamacpp = importlib.import_module("xllamacpp")
    options = xllamacpp.CommonParams()
    options.model.path, options.model_alias = model, {"tiny"}
    options.hostnames, options.port, options.api_keys = ["127.0.0.1"], int(port), [key]
    options.n_ctx, options.endpoint_metrics, options.ui = 512, True, False
    server = xllamacpp.Server(options)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
