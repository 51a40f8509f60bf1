"""Everything that touches the world: the store, the feed, the clock, the dealer, the API, the command line."""
