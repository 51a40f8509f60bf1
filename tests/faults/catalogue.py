"""All scenarios by their number. A module of scenarios is one more name in this list."""

from tests.faults import crowds, duplicates, order, outages, readmodels, workers
from tests.faults.trial import Scenario

MODULES = (workers, outages, duplicates, order, crowds, readmodels)
SCENARIOS: dict[str, Scenario] = {scenario.id: scenario for module in MODULES for scenario in module.SCENARIOS}
