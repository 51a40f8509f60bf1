"""All scenarios by their number. A module of scenarios is one more name in this list."""

from tests.faults import (
    backup,
    clocks,
    crowds,
    database,
    disk,
    duplicates,
    mixture,
    order,
    outages,
    readmodels,
    workers,
)
from tests.faults.trial import Scenario

MODULES = (
    workers, database, disk, clocks, backup, mixture, outages, duplicates, order, crowds, readmodels,
)  # fmt: skip
_ALL = [scenario for module in MODULES for scenario in module.SCENARIOS]
SCENARIOS: dict[str, Scenario] = {scenario.id: scenario for scenario in sorted(_ALL, key=lambda one: int(one.id[1:]))}
