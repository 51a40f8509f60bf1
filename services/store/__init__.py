"""The event store: the only place that speaks SQL to the event tables."""
