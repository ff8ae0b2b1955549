import base64
import hashlib
import io
import json
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
    NewerFile,
    create_file_key,
    create_id,
    open_file,
    open_file_to,
    parse_file_field,
    seal_file,
    sealed_file_size,
    to_file_field,
)
from sealpost._committed import derive_committed
from sealpost.sealing import padded_size

sources = read_vectors("files")["sources"]
vectors = read_vectors("files")["vectors"]


def key_of(source: dict[str, Any], claims: dict[str, Any] | None = None) -> FileKey:
    claimed = {**source, **(claims or {})}
    key = base64.b64decode(claimed["key"])
    return FileKey(claimed["formId"], claimed["submissionId"], claimed["fileId"], claimed["size"], key)


def content_of(size: int) -> bytes:
    return (bytes(range(251)) * (size // 251 + 1))[:size]


def seal_source(source: dict[str, Any]) -> bytes:
    """What a sealer made of a source; one with `pieces` or `binding` had a careless or hostile one."""
    if "sealed" in source:
        return base64.b64decode(source["sealed"])
    if "pieces" not in source and "binding" not in source:
        return b"".join(seal_file(io.BytesIO(content_of(source["size"])), key_of(source)))
    rest = padded_size(source["size"]) - 65_504
    lengths = [65_504, *(65_536 for _ in range(rest // 65_536)), rest % 65_536]
    ours = [{"length": length, "counter": at, "mark": at + 1 == len(lengths)} for at, length in enumerate(lengths)]
    lines = (source["formId"], source["submissionId"], source["fileId"], str(source["size"]))
    text = source.get("binding", "\n".join(("sealpost/spf1", *lines)))
    cipher_key, sealed = derive_committed(base64.b64decode(source["key"]), b"", text.encode())
    plaintext = io.BytesIO(content_of(source["size"]))
    for piece in source.get("pieces", ours):
        nonce = piece["counter"].to_bytes(11, "big") + bytes([piece["mark"]])
        part = plaintext.read(piece["length"]).ljust(piece["length"], b"\0")
        sealed += AESGCM(cipher_key).encrypt(nonce, part, None)
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
    key = create_file_key(create_id("form"), create_id("submission"), 200_000)
    sealed = b"".join(seal_file(io.BytesIO(content_of(200_000)), key))
    assert len(sealed) == sealed_file_size(200_000)
    for length in (0, 1, 15, 16, 17, 65_535, 65_536, 65_551, 65_552, 65_553, 131_104, len(sealed) - 1):
        with pytest.raises(FileNotOpenedError):
            list(open_file(io.BytesIO(sealed[:length]), key))


def test_a_file_of_another_size_than_at_first_is_not_sealed() -> None:
    key = create_file_key(create_id("form"), create_id("submission"), 10)
    for size in (0, 9, 11, 70_000):
        with pytest.raises(ValueError, match="another size"):
            list(seal_file(io.BytesIO(content_of(size)), key))
    with pytest.raises(ValueError):
        seal_file(io.BytesIO(), FileKey(key.form_id, key.submission_id, key.file_id, (1 << 40) + 1, key.key))


def test_a_file_needs_the_same_memory_whatever_its_size() -> None:
    def peak(size: int) -> int:
        key = create_file_key(create_id("form"), create_id("submission"), size)
        part = bytes(1 << 20)
        tracemalloc.start()
        opened = sum(len(piece) for piece in open_file(seal_file((part for _ in range(size >> 20)), key), key))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert opened == size
        return most

    assert peak(1 << 26) < 2 * peak(1 << 22)


@pytest.mark.parametrize("vector", read_vectors("files")["fields"], ids=lambda vector: vector["name"])
def test_each_field_is_a_file_one_of_a_newer_program_or_an_answer(vector: dict[str, Any]) -> None:
    read = parse_file_field(json.loads(vector["text"]), create_id("form"), create_id("submission"))
    assert {FileField: "file", NewerFile: "newer", type(None): "answer"}[type(read)] == vector["outcome"]
    assert ("" if read is None else read.name) == vector["file"]


def test_a_file_in_the_fields_is_read_back() -> None:
    form_id, submission_id = create_id("form"), create_id("submission")
    file = FileField("Zoë.pdf", "application/pdf", create_file_key(form_id, submission_id, 3))
    assert parse_file_field(to_file_field(file), form_id, submission_id) == file


def test_of_two_file_keys_for_one_sealed_file_only_the_one_that_it_commits_to_opens_it() -> None:
    first, second = (sources[f"one file for two keys: the {which}"] for which in ("first", "second"))
    assert first["sealed"] == second["sealed"] and first["key"] != second["key"]
    assert b"".join(open_file([seal_source(first)], key_of(first))) == content_of(1000)
    with pytest.raises(FileNotOpenedError):
        list(open_file([seal_source(second)], key_of(second)))
