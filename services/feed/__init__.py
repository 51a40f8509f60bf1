"""Who is told that a match has moved. The store is the truth and a poll the guarantee; this only makes it quick."""

from services.feed.feed import Feed, Watch

__all__ = ["Feed", "Watch"]
