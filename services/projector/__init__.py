"""The projector: brings the read models up to the newest event, sets aside what it cannot take, and rebuilds them."""

from services.projector.runner import NotParked, Parked, Projector, StillParked

__all__ = ["NotParked", "Parked", "Projector", "StillParked"]
