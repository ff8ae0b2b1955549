import base64
import hashlib
import io
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from vectors import read_vectors

from sealpost import (
    FileField,
    FileKey,
    FileNotOpenedError,
    create_file_key,
    create_id,
    open_file,
    open_file_to,
    parse_file_field,
    seal_file,
    sealed_file_size,
    to_file_field,
)

sources = read_vectors("files")["sources"]
vectors = read_vectors("files")["vectors"]


def key_of(source: dict[str, Any], claims: dict[str, Any] | None = None) -> FileKey:
    claimed = {**source, **(claims or {})}
    key = base64.b64decode(claimed["key"])
    return FileKey(claimed["formId"], claimed["fileId"], claimed["size"], key)


def content_of(size: int) -> bytes:
    return (bytes(range(251)) * (size // 251 + 1))[:size]


def seal_source(source: dict[str, Any]) -> bytes:
    """What a sealer made of a source; one with `pieces` or `additionalData` had a careless or hostile one."""
    if "pieces" not in source and "additionalData" not in source:
        return b"".join(seal_file(io.BytesIO(content_of(source["size"])), key_of(source)))
    whole = [65_536] * (source["size"] // 65_536)
    ours = [{"length": length, "counter": index, "mark": index + 1 == len(whole)} for index, length in enumerate(whole)]
    text = source.get("additionalData", f"sealpost/spf1\n{source['formId']}\n{source['fileId']}")
    plaintext, sealed = io.BytesIO(content_of(source["size"])), b""
    for piece in source.get("pieces", ours):
        nonce = piece["counter"].to_bytes(11, "big") + bytes([piece["mark"]])
        part = plaintext.read(piece["length"]).ljust(piece["length"], b"\0")
        sealed += AESGCM(base64.b64decode(source["key"])).encrypt(nonce, part, text.encode())
    return sealed


def portions(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), 50_021):
        yield data[start : start + 50_021]


@pytest.mark.parametrize("name", sources)
def test_each_source_is_sealed_to_its_bytes(name: str) -> None:
    sealed = seal_source(sources[name])
    digest = base64.urlsafe_b64encode(hashlib.sha256(sealed).digest()).decode().rstrip("=")
    assert (len(sealed), digest) == (sources[name]["sealedSize"], sources[name]["sealedSha256"])


@pytest.mark.parametrize("vector", vectors, ids=lambda vector: vector["name"])
def test_each_vector_has_its_outcome(vector: dict[str, Any], tmp_path: Path) -> None:
    slices = [seal_source(sources[part["source"]])[part["from"] : part["to"]] for part in vector["bytes"]]
    sealed = bytearray(b"".join(slices))
    for bit in vector.get("flipped", []):
        sealed[bit >> 3] ^= 0x80 >> (bit & 7)
    claims = {name: value for name, value in vector["claims"].items() if name != "source"}
    key = key_of(sources[vector["claims"]["source"]], claims)
    target = tmp_path / "opened"
    if vector["outcome"] == "opened":
        expected = content_of(key.size)
        assert b"".join(open_file(portions(bytes(sealed)), key)) == expected
        open_file_to(io.BytesIO(sealed), key, target)
        assert target.read_bytes() == expected
    else:
        with pytest.raises(
            FileNotOpenedError, match="^This file could not be opened: it was changed or is not complete$"
        ):
            list(open_file(portions(bytes(sealed)), key))
        with pytest.raises(FileNotOpenedError):
            open_file_to(io.BytesIO(sealed), key, target)
        assert os.listdir(tmp_path) == []


def test_a_file_that_is_cut_at_any_border_is_not_opened() -> None:
    key = create_file_key(create_id("form"), 200_000)
    sealed = b"".join(seal_file(io.BytesIO(content_of(200_000)), key))
    assert len(sealed) == sealed_file_size(200_000)
    for length in (0, 1, 15, 16, 17, 65_535, 65_536, 65_551, 65_552, 65_553, 131_104, len(sealed) - 1):
        with pytest.raises(FileNotOpenedError):
            list(open_file(io.BytesIO(sealed[:length]), key))


def test_a_file_of_another_size_than_at_first_is_not_sealed() -> None:
    key = create_file_key(create_id("form"), 10)
    for size in (0, 9, 11, 70_000):
        with pytest.raises(ValueError, match="another size"):
            list(seal_file(io.BytesIO(content_of(size)), key))
    with pytest.raises(ValueError):
        seal_file(io.BytesIO(), FileKey(key.form_id, key.file_id, (1 << 40) + 1, key.key))


def test_a_file_needs_the_same_memory_whatever_its_size() -> None:
    def peak(size: int) -> int:
        key = create_file_key(create_id("form"), size)
        part = bytes(1 << 20)
        tracemalloc.start()
        opened = sum(len(piece) for piece in open_file(seal_file((part for _ in range(size >> 20)), key), key))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert opened == size
        return most

    assert peak(1 << 26) < 2 * peak(1 << 22)


def test_a_file_in_the_fields_is_read_and_anything_that_deviates_is_an_ordinary_answer() -> None:
    form_id = create_id("form")
    file = FileField("Zoë.pdf", "application/pdf", create_file_key(form_id, 3))
    value = to_file_field(file)
    assert parse_file_field(value, form_id) == file
    members: Any = value["$file"]
    for change in (
        {"id": create_id("submission")},
        {"size": -1},
        {"size": 1.5},
        {"size": True},
        {"size": (1 << 40) + 1},
        {"key": "AAE="},
        {"key": None},
        {"format": "spf2"},
        {"name": None},
        {"type": 1},
    ):
        assert parse_file_field({"$file": {**members, **change}}, form_id) is None, change
    others: list[Any] = [{**value, "more": 1}, {"$file": []}, [], "x", None, {}]
    for other in others:
        assert parse_file_field(other, form_id) is None
