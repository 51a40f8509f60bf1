"""Facts that a frozen value keeps."""

import msgspec

from domain.derived import derived

asked: list[int] = []


class Hand(msgspec.Struct, frozen=True, dict=True):
    cards: tuple[int, ...]

    @derived
    def points(self) -> int:
        """What the cards count."""
        asked.append(len(self.cards))
        return sum(self.cards)


def test_a_fact_is_worked_out_when_it_is_first_asked_for_and_never_again():
    asked.clear()
    hand = Hand((1, 2, 3))
    assert asked == []
    assert (hand.points, hand.points) == (6, 6)
    assert asked == [3]


def test_what_is_kept_is_no_part_of_the_value():
    hand, other = Hand((1, 2)), Hand((1, 2))
    assert hand.points == 3
    assert hand == other
    assert msgspec.json.encode(hand) == msgspec.json.encode(other)
    assert msgspec.structs.replace(hand, cards=(5,)).points == 5


def test_the_class_itself_knows_what_the_fact_is():
    assert Hand.points.__doc__ == "What the cards count."
