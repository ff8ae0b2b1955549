"""Whether an answer has what the API document promises."""

import re
from typing import Any

from ._answer_members import answer_members

_described: dict[str, list[str]] = {
    " ".join(words[:2]): words[2:] for words in (line.split(" ") for line in answer_members.strip().split("\n"))
}
_absent = object()


def find_unexpected_member(operation: str, answer: Any) -> str | None:
    """The first member that is missing or of another kind, `an object` where the answer is none; None where all are as promised."""
    members = _described.get(operation)
    if members is None:
        return None
    if not isinstance(answer, dict):
        return "an object"
    for member in members:
        path, kinds = member.split("=")
        if not _is_there(answer, re.findall(r"\[\]|[\w?]+", path), kinds.split("|")):
            return member
    return None


def _is_there(value: Any, path: list[str], kinds: list[str]) -> bool:
    if not path:
        return any(kind == "any" or _kind_of(value) == kind for kind in kinds)
    part, rest = path[0], path[1:]
    if part == "[]":
        return isinstance(value, list) and all(_is_there(item, rest, kinds) for item in value)
    inner = value.get(part.removesuffix("?"), _absent) if isinstance(value, dict) else _absent
    return part.endswith("?") if inner is _absent else _is_there(inner, rest, kinds)


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list", dict: "object"}
    return names[type(value)]
