"""The service as a process of its own: from a call over HTTP to the stored end, and its memory at rest."""

import statistics
import time
from pathlib import Path

import httpx
from tests.benchmarks.lines import Line, commit_rate, folder, line, memory_mb
from tests.support import flow_files as files
from tests.support.processes import Interface, Service, until

PER_SECOND = 5
SAMPLE = 60
SETTLE_SECONDS = 2.0


def bench_webhook() -> list[Line]:
    """Milliseconds from sending the call to the execution's stored end, at five calls a second over HTTP."""
    with folder() as place, Service(place / "data", fresh=True) as service:
        rate = commit_rate(place)
        taken = _calls(service, place)
    detail = {"over": "HTTP", "sample": SAMPLE, "per_second": PER_SECOND, "disk_commits_per_s": rate}
    slow = statistics.quantiles(taken, n=20)[-1]
    return [
        line("webhook_to_finished_p50", statistics.median(taken), "ms", **detail),
        line("webhook_to_finished_p95", slow, "ms", **detail),
    ]


def bench_memory() -> Line:
    """Resident memory of a service that has started and has nothing to do."""
    with folder() as place, Service(place / "data", fresh=True) as service:
        time.sleep(SETTLE_SECONDS)
        return line("memory_idle_serve_mb", memory_mb(service.process.pid), "MB", process="patchbay serve")


def three_steps(name: str) -> files.Document:
    """Webhook → formatter → filter."""
    return files.flow(
        name,
        files.catch(),
        files.trimmed("{{step.#1.body.customer}}"),
        files.only_if("{{step.#2.output}}", "contains", "Ada"),
    )


def publish(service: Service, place: Path, document: files.Document) -> str:
    """Import and publish a flow; the address of its webhook."""
    file = files.write(place / "flow.json", document)
    [made] = service.command("flow", "import", file, "--publish", "--json").json
    return f"{service.address}/webhooks/flows/{made['id']}"


def _calls(service: Service, place: Path) -> list[float]:
    hook, sent = publish(service, place, three_steps("Timed")), {}
    with httpx.Client() as http:
        for number in range(SAMPLE + 5):  # the first five warm up
            start = time.time()
            http.post(hook, json={"customer": " Ada ", "n": number}).raise_for_status()
            sent[number] = start * 1000
            time.sleep(max(0.0, start + 1 / PER_SECOND - time.time()))
    interface = Interface(service)
    ended = until(lambda: _ends(interface), seconds=20)
    interface.close()
    return [ended[number] - sent[number] for number in range(5, SAMPLE + 5)]


def _ends(interface: Interface) -> dict[int, float]:
    """When each call's execution ended, once all have."""
    found = interface.data("/v1/executions", limit=200)
    if len(found) < SAMPLE + 5 or not all(item["finishedAt"] for item in found):
        return {}
    steps = ((item, interface.steps(item["id"])[0]) for item in found)
    return {step["dataOut"]["body"]["n"]: item["finishedAt"] for item, step in steps}
