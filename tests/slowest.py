"""Print the slowest test files at the end of a run: ``python -m pytest -p tests.slowest``.

With pytest-xdist the controlling process gets the reports of all workers, so the sums are those of the whole run.
"""

from collections import defaultdict

import pytest

SHOWN = 10


class SlowestFiles:
    """Add up how long the tests of each file take, set-up and tear-down included."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase of one test."""
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the files that took longest, worst first."""
        terminalreporter.section(f"slowest {SHOWN} files, of {sum(self.seconds.values()):.0f} s in all")
        for seconds, name in sorted(((seconds, name) for name, seconds in self.seconds.items()), reverse=True)[:SHOWN]:
            terminalreporter.line(f"{seconds:8.1f} s  {name}")


def pytest_configure(config: pytest.Config) -> None:
    """Watch in the process that prints; workers report to it."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SlowestFiles(), "slowest-files")
