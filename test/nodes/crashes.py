# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A test whose process crashes or hangs is tried once more, in a new process.

Fast DDS may hang when somebody leaves the graph (its issue 6502: the receiving thread has the lock
that the event thread waits for, and waits for the event thread). `make test` ends a
process that hangs by pytest's `faulthandler_timeout`.
"""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The scheduler of --dist loadfile, whose run would hang after a crash."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        """Corrects pytest-xdist 3.8 by what its issues 1323 and 1327 propose."""

        tried_again: frozenset[str] = frozenset()

        def remove_node(self, node: Any) -> Any:
            files = self.assigned_work[node].items()
            self.assigned_work[node] = {name: f for name, f in files if not all(f.values())}
            crashed = super().remove_node(node)
            if crashed in self.tried_again:
                for tests in self.workqueue.values():
                    tests |= dict.fromkeys(tests.keys() & {crashed}, True)
            return crashed

        def schedule(self) -> None:
            super().schedule()
            for node in self.nodes:  # who comes later waits for two tests before it begins
                self._reschedule(node)

    return Scheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: Any, sched: Any) -> None:
    """Count a first crash as skipped: the scheduler has given the test to somebody else."""
    if crashitem not in getattr(sched, "tried_again", [crashitem]):
        sched.tried_again |= {crashitem}
        report.outcome = "skipped"
        report.longrepr = (crashitem, 0, "its process crashed or hung, and it is tried again")
