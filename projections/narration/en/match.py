"""English for the match."""

from typing import Final

SENTENCES: Final = {
    "match.MatchOpened": "A table is opened: {game}, {seats}.",
    "match.MatchOpened.clock": "A turn lasts {seconds} at most.",
    "match.MatchOpened.bank": "Each seat has a bank of {seconds}.",
    "match.SeatTaken.human": "{who} sits down.",
    "match.SeatTaken.bot": "{who} sits down, a bot.",
    "match.SeatLeft": "The player on seat {seat} leaves; the seat is free.",
    "match.SeatPutOut": "Seat {seat} did not reveal its seed and is free again. Everybody commits to a new seed.",
    "match.SeedCommitted.own": "{who} commits to a new seed.",
    "match.SeedCommitted.server": "The server commits to a new seed for {who}.",
    "match.SeedRevealed.own": "{who} reveals the seed.",
    "match.SeedRevealed.server": "The server reveals the seed it kept for {who}.",
    "match.MatchStarted": "All seeds are revealed: the match starts.",
    "match.ClockExpired": "{who} has run out of time; the clock makes the move.",
    "match.TimeUsed": "{who} thinks for {used}.",
    "match.TimeUsed.bank": "{who} thinks for {used}; the bank is down to {after}.",
    "match.SeatResigned": "{who} resigns; the house moves for that seat from now on.",
    "match.HandEnded": "Hand {hand} is over and its secret is published. Points: {points}. Totals: {totals}.",
    "match.MatchEnded.one": "The match is over: {winners} wins.",
    "match.MatchEnded.other": "The match is over: {winners} share the win.",
    "match.MatchEnded.nobody": "The match is over, and nobody wins.",
    "match.MatchAbandoned.host": "The host closes the table before the start.",
    "match.MatchAbandoned.resigned": "The match is abandoned: no player is left.",
    "match.MatchAbandoned.expired": "The table was open for too long and is closed.",
    "match.MatchAbandoned.undecided": "The match is abandoned: it is undecided, and no further hand can be dealt.",
    "match.totals": "Totals: {totals}.",
    "match.DisputeOpened": "{who} disputes what happened from event {first} to event {last}.",
    "match.DisputeRuled.upheld": "An arbiter rules on the dispute (ruling {number}): what happened is upheld.",
    "match.DisputeRuled.void_hand": "An arbiter rules on the dispute (ruling {number}): a hand is voided.",
    "match.DisputeRuled.adjust": "An arbiter rules on the dispute (ruling {number}): the score is adjusted.",
    "match.reason": "The reason: “{reason}”.",
    "match.reason.clause": "The reason, by clause {clause}: “{reason}”.",
    "match.HandVoided": "Hand {hand} is void, its points count for nobody. Totals: {totals}.",
    "match.ScoreAdjusted": "Points by ruling: {points}. Totals: {totals}.",
    "match.winners": "The match is won by: {winners}.",
    "match.by_the_house": "(The house moved.)",
    "note.clock": "{who}: the clock moved {times}",
    "note.resigned": "{who} resigned",
}

NOUNS: Final = {
    "seat": {"one": "{n} seat", "other": "{n} seats"},
    "second": {"one": "{n} second", "other": "{n} seconds"},
    "time": {"one": "once", "other": "{n} times"},
    "card": {"one": "{n} card", "other": "{n} cards"},
}

WORDS: Final = {
    "seat": "Seat {n}",
    "and": "and",
    "decimal": ".",
    "no cards": "no cards",
}
