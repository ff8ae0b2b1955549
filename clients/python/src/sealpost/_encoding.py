"""Base64 and JSON to the letter: what a strict reader refuses is malformed (specification, sections 1 and 7)."""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
Fields: TypeAlias = dict[str, JsonValue]

LEVELS_MAX = 64


def decode_base64(text: object) -> bytes | None:
    """The bytes of canonical, padded base64; `None` for anything else, so that no two texts mean the same bytes."""
    if not isinstance(text, str) or re.fullmatch("[A-Za-z0-9+/]*={0,2}", text) is None:
        return None
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return decoded if encode_base64(decoded) == text else None


def decode_base64url(text: object) -> bytes | None:
    """The bytes of canonical base64url without padding; `None` for anything else."""
    if not isinstance(text, str) or re.fullmatch("[A-Za-z0-9_-]*", text) is None:
        return None
    return decode_base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))


def encode_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def encode_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def as_utf8(data: bytes) -> bytes:
    """A file's text in UTF-8 without the byte order mark that editors and Windows PowerShell, which writes UTF-16, begin it with."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def parse_json(data: bytes) -> JsonValue:
    """A JSON text in UTF-8 (RFC 8259). Raises an Exception at a byte order mark, `NaN` and all else that is no JSON."""
    text = data.decode("utf-8")
    value: JsonValue = json.loads(text, parse_constant=_refuse, parse_int=_parse_integer)
    return value


class DoubledNameError(ValueError):
    """An object has a member twice."""


def parse_single(data: bytes) -> JsonValue:
    """`parse_json` of a text in which no object has a member twice: programs would read different values."""
    text = data.decode("utf-8")
    value: JsonValue = json.loads(
        text, parse_constant=_refuse, parse_int=_parse_integer, object_pairs_hook=_single_members
    )
    return value


def _single_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise DoubledNameError("a member twice")
    return members


class Digits(str):
    """A number of JSON as it was written."""


def parse_exactly(text: str) -> Any:
    """The value of a JSON text, each number as `Digits`."""
    return json.loads(text, parse_constant=_refuse, parse_int=Digits, parse_float=Digits)


def format_exactly(value: Any) -> str:
    """JSON without white space, in which `Digits` are numbers. Halves of surrogate pairs, which UTF-8 does not have, are escapes."""
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, Mapping):
        members = (f"{format_exactly(str(name))}:{format_exactly(member)}" for name, member in value.items())
        return f"{{{','.join(members)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(format_exactly, value))}]"
    return re.sub("[\ud800-\udfff]", _escape, json.dumps(value, ensure_ascii=False))


_texts_and_brackets = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)


def is_text_too_deep(text: str) -> bool:
    """Whether a JSON text is nested deeper than any opener has to read, also where a later member replaces what is deep."""
    levels = 0
    for match in _texts_and_brackets.finditer(text):
        levels += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match[0], 0)
        if levels > LEVELS_MAX:
            return True
    return False


def is_too_deep(value: object, levels: int = LEVELS_MAX) -> bool:
    """Whether objects and arrays are nested deeper than any opener has to read (specification, section 4)."""
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    members = value.values() if isinstance(value, Mapping) else value
    return levels == 0 or any(is_too_deep(member, levels - 1) for member in members)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _parse_integer(text: str) -> int | float:
    # As an integer it would lose its sign.
    if text == "-0":
        return -0.0
    # Python refuses to make an integer of thousands of digits; as in other languages it is as large as a float can say.
    return int(text) if len(text) <= 4000 else float(text)
