"""Workers that die, sleep, start together and stop: F1, F2, F19, F21."""

from tests.faults.trial import Scenario, Trial


async def kill_workers(trial: Trial) -> None:
    """Another worker goes on with the same matches; what was acknowledged by the dead one is there."""
    kills = trial.times(20, 3)
    for _ in range(kills):
        await trial.load.until(trial.chance.randint(3, 12))
        worker = trial.chance.choice(trial.world.workers)
        await worker.kill()
        await trial.load.until(3)  # the others do not wait for it
        await worker.start()
    trial.note(f"{kills} kills")


SCENARIOS = [
    Scenario(id="F1", title="kill -9 of a worker in the middle of appends", run=kill_workers),
]
