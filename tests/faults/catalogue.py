"""All scenarios by their number. A module of scenarios is one more name in this list."""

from tests.faults import backup, clocks, database, disk, mixture, workers
from tests.faults.trial import Scenario

_ALL = [scenario for module in (workers, database, disk, clocks, backup, mixture) for scenario in module.SCENARIOS]
SCENARIOS: dict[str, Scenario] = {scenario.id: scenario for scenario in sorted(_ALL, key=lambda one: int(one.id[1:]))}
