"""Measures this checkout from outside, alone or against another commit, pair by pair.

`python -m tests.benchmarks.end_to_end [--base COMMIT] [--pairs N] [--only NAME,…]`. With a base, both
versions are measured in turn, and each figure is the ratio head / base of a pair, so that other work of the
machine affects both.
"""

import argparse
import statistics
from contextlib import ExitStack

from tests.benchmarks import measurements, measurements_postgresql
from tests.benchmarks.lines import Line, folder, line
from tests.benchmarks.measurements import Figures, Measurement
from tests.benchmarks.versions import Version, this_version, version_of

PAIRS = 5
MEASUREMENTS: dict[str, Measurement] = {
    "engine": measurements.engine_only,
    "webhooks": measurements.webhooks,
    "paced": measurements.paced,
    "serve": measurements.start_of_server,
    "window": measurements.window,
    "demo": measurements.demo_window,
    "commands": measurements.commands,
    "history": measurements.history,
    "postgresql": measurements_postgresql.postgresql,
    "workers": measurements_postgresql.workers,
}
SHARES = {
    "webhook_to_stored_of_engine_only [ratio]": ("webhook_to_stored [1/s]", "engine_only [1/s]"),
    "webhook_to_stored_cpu_of_engine_only [ratio]": ("webhook_to_stored_cpu [ms]", "engine_only_cpu [ms]"),
}
"""Figures of one version that are compared with each other, round by round."""

Rounds = dict[str, list[float]]


def measure(base: str | None, pairs: int, only: list[str]) -> list[Line]:
    """Print and return the figures of all measurements, or of those in `only`."""
    versions = [this_version(), *([version_of(base)] if base else [])]
    lines: list[Line] = []
    rounds: dict[str, Rounds] = {version.name: {} for version in versions}
    for name in [name for name in MEASUREMENTS if name in only] if only else list(MEASUREMENTS):
        found = _alternate(MEASUREMENTS[name], versions, pairs)
        lines += _report(versions, found)
        for version in versions:
            rounds[version.name] |= found[version.name]
    return lines + _shares(versions, rounds)


def _alternate(measurement: Measurement, versions: list[Version], pairs: int) -> dict[str, Rounds]:
    """All figures of each version: an uncounted round, then the pairs; every other pair starts with base."""
    found: dict[str, Rounds] = {version.name: {} for version in versions}
    with ExitStack() as stack:
        place = stack.enter_context(folder())
        measures = {}
        for version in versions:
            (place / version.name).mkdir()
            measures[version.name] = stack.enter_context(measurement(version, place / version.name))
        for measure_once in measures.values():
            measure_once()
        for number in range(pairs):
            for name in reversed(measures) if number % 2 else measures:
                _append(found[name], measures[name]())
    return found


def _append(rounds: Rounds, figures: Figures) -> None:
    for name, value in figures.items():
        rounds.setdefault(name, []).append(value)


def _report(versions: list[Version], found: dict[str, Rounds]) -> list[Line]:
    return [
        _line(figure, {version.name: found[version.name][figure] for version in versions}, versions)
        for figure in found[versions[0].name]
    ]


def _line(figure: str, values: Rounds, versions: list[Version]) -> Line:
    name, unit = figure.removesuffix("]").split(" [")
    medians = {each: round(statistics.median(some), 3) for each, some in values.items()}
    commits = {version.name: version.commit for version in versions}
    if len(versions) == 1:
        every = [round(value, 3) for value in values["head"]]
        return line(name, medians["head"], unit, every=every)
    ratios = [head / base for head, base in zip(values["head"], values["base"], strict=True)]
    return line(
        f"{name}_head_to_base",
        statistics.median(ratios),
        "ratio",
        lowest=round(min(ratios), 3),
        highest=round(max(ratios), 3),
        pairs=len(ratios),
        measured_in=unit,
        better="higher" if unit == "1/s" else "lower",
        **medians,
        commits=commits,
    )


def _shares(versions: list[Version], rounds: dict[str, Rounds]) -> list[Line]:
    lines = []
    for figure, (part, whole) in SHARES.items():
        shares = {
            name: [one / other for one, other in zip(some[part], some[whole], strict=True)]
            for name, some in rounds.items()
            if part in some and whole in some
        }
        if len(shares) == len(versions):
            lines.append(_line(figure, shares, versions))
    return lines


def print_table(lines: list[Line]) -> None:
    """Print the lines once more as a table for people."""
    width = max(len(item["name"]) for item in lines)
    for item in lines:
        detail = item["detail"]
        spread = f"{detail['lowest']:.3f} to {detail['highest']:.3f}" if "lowest" in detail else ""
        medians = f"{detail['base']} → {detail['head']} {detail['measured_in']}" if spread else ""
        print(f"{item['name']:<{width}}  {item['value']:>10.3f} {item['unit']:<6} {spread:<16}  {medians}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", help="the commit to compare with")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--only", default="", help=f"some of: {', '.join(MEASUREMENTS)}")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    if unknown := set(only) - set(MEASUREMENTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(MEASUREMENTS)}")
    print_table(measure(options.base or None, options.pairs, only))


if __name__ == "__main__":
    main()
