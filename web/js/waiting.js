// Before the start of a match.

export {};
