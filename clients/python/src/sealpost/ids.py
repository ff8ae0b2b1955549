"""Ids: TypeIDs, a prefix and a UUIDv7 in base32 (specification, section 8)."""

import re
import secrets
import time
from typing import Literal, TypeAlias

IdKind: TypeAlias = Literal["form", "submission", "api_key", "delivery", "event", "account", "file"]

_prefixes: dict[str, str] = {
    "form": "form",
    "submission": "sub",
    "api_key": "key",
    "delivery": "dlv",
    "event": "evt",
    "account": "acc",
    "file": "fil",
}
_alphabet = "0123456789abcdefghjkmnpqrstvwxyz"


def create_id(kind: IdKind, milliseconds: int | None = None) -> str:
    """A fresh id. `milliseconds` since the Unix epoch is the moment in it: now, unless given."""
    moment = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    return encode_id(kind, (moment << 80) | (7 << 76) | (secrets.randbits(12) << 64) | (2 << 62) | secrets.randbits(62))


def encode_id(kind: IdKind, uuid: int) -> str:
    """The id with these 128 bits."""
    return f"{_prefixes[kind]}_" + "".join(_alphabet[(uuid >> shift) & 31] for shift in range(125, -1, -5))


def is_id(kind: IdKind, text: object) -> bool:
    """Whether `text` is an id of this kind. Lower case only."""
    return isinstance(text, str) and re.fullmatch(f"{_prefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{{25}}", text) is not None
