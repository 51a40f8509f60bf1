"""A frame as high as the terminal: what does not fit is cut out of its middle, never off its end."""

import textwrap
from collections.abc import Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.segment import Segment, SegmentLines
from rich.text import Text

BORDER: Final = 2
"""Lines of the frame's border."""
MARGIN: Final = 4
"""Columns of the frame's border and padding."""
HARD: Final = "\N{NO-BREAK SPACE}"

Lines = list[list[Segment]]


class Frame:
    """``head``, ``middle`` and ``foot`` in a border, and below it ``keys``, never broken within one of them.

    In a low terminal the blank lines go first, then the end of the middle, then that of the foot; the keys stay.
    """

    def __init__(
        self,
        *,
        title: str,
        head: RenderableType,
        middle: RenderableType,
        foot: RenderableType,
        keys: Sequence[str],
    ) -> None:
        self._title = title
        self._parts = head, middle, foot
        self._keys = keys

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        keys = key_lines(self._keys, options.max_width - BORDER)
        height = max(BORDER + 1, (options.height or console.height) - len(keys))
        inside = options.update(width=max(1, options.max_width - MARGIN), height=None)
        parts = [console.render_lines(part, inside, pad=False) for part in self._parts]
        body = Group(*(SegmentLines(part, new_lines=True) for part in fitted(parts, height - BORDER)))
        yield Panel(body, title=self._title, border_style="blue", height=height)
        yield Text("\n".join(f" {line}" for line in keys), "dim", no_wrap=True, overflow="crop")


def key_lines(keys: Sequence[str], width: int) -> list[str]:
    """The keys in as many lines as they need."""
    text = "  ".join(key.replace(" ", HARD) for key in keys)
    return [line.replace(HARD, " ") for line in textwrap.wrap(text, max(1, width), break_long_words=False)]


def fitted(parts: Sequence[Lines], room: int) -> list[Lines]:
    """Head, middle and foot in ``room`` lines: apart where there is room for it, and else shortened."""
    head, middle, foot = parts
    blank: Lines = [[]]
    if len(head) + len(middle) + len(foot) + 2 <= room:
        return [head, blank, middle, blank, foot]
    middle = [line for line in middle if any(segment.text.strip() for segment in line)]
    head = head[: max(0, room - 1)]
    rest = room - len(head)
    foot = foot[: max(1, (rest + 1) // 2, rest - len(middle))]
    left = max(0, rest - len(foot))
    if len(middle) > left:
        missing = len(middle) - left + 1
        more = f"... {missing} more lines in a higher window"
        middle = [*middle[: left - 1], [Segment(more)]] if left else []
    return [head, middle, foot]
