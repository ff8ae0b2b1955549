"""The vectors of the specification, section 10."""

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from sealpost import OpeningKey, parse_key

_folder = Path(__file__).parents[3] / "packages" / "wire" / "vectors"


def read_vectors(name: str) -> Any:
    return json.loads((_folder / f"{name}.json").read_text(encoding="utf-8"))


keys: dict[str, Any] = {**read_vectors("keys"), **read_vectors("hybrid-keys")}


def key_of(label: dict[str, Any]) -> OpeningKey:
    """The key of a vector, with what it is known to belong to."""
    return _labelled_key(**label)


@functools.cache
def _labelled_key(name: str, **known: Any) -> OpeningKey:
    return parse_key({**known, "privateKey": keys[name]["privateKey"]})


def derive(what: str, name: str) -> bytes:
    """What a vector has in the place of randomness."""
    return hashlib.sha256(f"Sealpost vector: {what}: {name}".encode()).digest()
