from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from .api_error import ApiError

_Item = TypeVar("_Item")


def each_of(load_page: Callable[[str | None], tuple[Sequence[_Item], str | None]]) -> Iterator[_Item]:
    """All items of a list, one page fetched at a time while they are consumed."""
    cursor: str | None = None
    while True:
        items, following = load_page(cursor)
        yield from items
        if following is None:
            return
        if following == cursor:
            raise ApiError("The server's list has no end", status=200)
        cursor = following
