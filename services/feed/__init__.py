"""Who is told that a match has moved, and how often somebody may ask: what processes share by Redis.

The store is the truth and a poll the guarantee; the feed only makes it quick. What is counted here is no truth at all.
"""

from services.feed.buckets import Away, Buckets, Level
from services.feed.feed import Feed, Watch

__all__ = ["Away", "Buckets", "Feed", "Level", "Watch"]
