"""All scenarios by their number. A module of scenarios is one more name in this list."""

from tests.faults import workers
from tests.faults.trial import Scenario

SCENARIOS: dict[str, Scenario] = {scenario.id: scenario for module in (workers,) for scenario in module.SCENARIOS}
