"""Read models. One folder a projection: a row type, the keys an event touches, a pure fold, and its SQL."""
