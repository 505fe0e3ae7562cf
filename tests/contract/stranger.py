"""A stranger's server: `python -m llama_cpp.server` with a model of ours, on loopback."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "sesame"


@contextmanager
def serving(model: str, alias: str, *options: str) -> Iterator[dict[str, str]]:
    """Run the server and yield the credentials it is reached with. options: of its command line."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    command = [sys.executable, "-m", "llama_cpp.server", "--model", model, "--model_alias", alias]
    command += ["--host", "127.0.0.1", "--port", port, "--api_key", KEY, *options]
    pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stderr
        log = iter(process.stderr)
        said = next((line for line in log if "running on" in line), None)
        assert said, "the server did not start"
        drain = threading.Thread(target=lambda: [None for _ in log], daemon=True)
        drain.start()
        yield {"base_url": f"http://127.0.0.1:{port}", "api_key": KEY, "server": "llama_cpp_python"}
        process.terminate()
        process.wait(timeout=20)
        drain.join(timeout=5)
