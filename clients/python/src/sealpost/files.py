"""Files of any size in constant memory, the format `spf1` (specification, section 13)."""

import itertools
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ._committed import COMMITMENT_BYTES, derive_committed, is_commitment
from ._encoding import JsonValue, decode_base64, encode_base64
from .ids import create_id, is_id
from .sealing import padded_size

FILE_BYTES_MAX = 1 << 40
_piece_bytes = 65_536
_tag_bytes = 16
_changed = "The file has another size than at first: it was changed while it was read"


class FileNotOpenedError(Exception):
    """A sealed file was changed, or is not complete. It does not say what."""

    def __init__(self) -> None:
        super().__init__("This file could not be opened: it was changed or is not complete")


@dataclass(frozen=True)
class FileKey:
    """Everything that sealing or opening a file takes. A file that is sealed again takes another key."""

    form_id: str
    submission_id: str
    file_id: str
    size: int
    key: bytes = field(repr=False)


@dataclass(frozen=True)
class FileField:
    """A file as the value of a field. `name` and `type` are the visitor's claims: for display, to be trusted in nothing."""

    name: str
    type: str
    file_key: FileKey


@dataclass(frozen=True)
class NewerFile:
    """A file that a newer program sealed, in a format that this one does not know. Show its name alone."""

    name: str


def create_file_key(form_id: str, submission_id: str, size: int) -> FileKey:
    """A fresh key and id for a file of `size` bytes."""
    return FileKey(form_id, submission_id, create_id("file"), size, secrets.token_bytes(32))


def parse_file_field(value: JsonValue, form_id: str, submission_id: str) -> FileField | NewerFile | None:
    """The file that the value of a field refers to; `None` for any other value, which is an ordinary answer."""
    file = value.get("$file") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(file, dict) or not isinstance(file.get("format"), str):
        return None
    if file["format"] != "spf1":
        shown = file.get("name")
        return NewerFile(shown if isinstance(shown, str) else "")
    identifier, name, kind, size = (file.get(member) for member in ("id", "name", "type", "size"))
    key = decode_base64(file.get("key"))
    # An int was digits alone: 3.0 and 3e0 are no sizes.
    if (
        not isinstance(identifier, str)
        or not is_id("file", identifier)
        or not _is_size(size)
        or not isinstance(size, int)
    ):
        return None
    if not isinstance(name, str) or not isinstance(kind, str) or key is None or len(key) != 32:
        return None
    return FileField(name, kind, FileKey(form_id, submission_id, identifier, size, key))


def to_file_field(file: FileField) -> dict[str, JsonValue]:
    """The value of a field that refers to a sealed file."""
    key = file.file_key
    members: dict[str, JsonValue] = {
        "id": key.file_id,
        "name": file.name,
        "type": file.type,
        "size": key.size,
        "key": encode_base64(key.key),
        "format": "spf1",
    }
    return {"$file": members}


def sealed_file_size(size: int) -> int:
    """The size in bytes of a file of `size` bytes once it is sealed."""
    return padded_size(size) + COMMITMENT_BYTES + _piece_count(size) * _tag_bytes


def seal_file(source: BinaryIO | Iterable[bytes], file_key: FileKey) -> Iterator[bytes]:
    """
    The sealed bytes of a file, piece by piece. Raises a ValueError when the file has not the size that `file_key` says: it may
    change while it is read.
    """
    if not _is_size(file_key.size):
        raise ValueError(f"A file has 0 to {FILE_BYTES_MAX} bytes")
    return _seal(source, file_key)


def open_file(source: BinaryIO | Iterable[bytes], file_key: FileKey) -> Iterator[bytes]:
    """
    The bytes of a sealed file, piece by piece, each of them authentic. **The file is whole only when the iterator has ended**
    without a FileNotOpenedError; `open_file_to` keeps nothing before that.
    """
    if not _is_size(file_key.size):
        raise FileNotOpenedError
    cipher_key, commitment = _derive(file_key)
    cipher = AESGCM(cipher_key)
    left, sealed_left = file_key.size, sealed_file_size(file_key.size)
    for index, (piece, is_last) in enumerate(_with_last(_pieces(_chunks(source), _piece_bytes + _tag_bytes))):
        sealed_left -= len(piece)
        if sealed_left < 0 or is_last != (sealed_left == 0):
            raise FileNotOpenedError
        if index == 0 and not is_commitment(piece[:COMMITMENT_BYTES], commitment):
            raise FileNotOpenedError
        plaintext = _open_piece(cipher, piece[COMMITMENT_BYTES:] if index == 0 else piece, index, is_last)[:left]
        left -= len(plaintext)
        if plaintext:
            yield plaintext
    if sealed_left > 0:
        raise FileNotOpenedError


def open_file_to(source: BinaryIO | Iterable[bytes], file_key: FileKey, path: str | os.PathLike[str]) -> None:
    """
    Opens a sealed file into the file `path`, which appears, or is replaced, only once everything was checked. Raises a
    FileNotOpenedError or an OSError, and leaves nothing.
    """
    folder, name = os.path.split(os.path.abspath(path))
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as target:
            for piece in open_file(source, file_key):
                target.write(piece)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _seal(source: BinaryIO | Iterable[bytes], file_key: FileKey) -> Iterator[bytes]:
    cipher_key, commitment = _derive(file_key)
    cipher = AESGCM(cipher_key)
    # The commitment has its room in the first piece.
    padded = itertools.chain([bytes(COMMITMENT_BYTES)], _padded(_chunks(source), file_key.size))
    for index, (piece, is_last) in enumerate(_with_last(_pieces(padded, _piece_bytes))):
        if index == 0:
            yield commitment + cipher.encrypt(_nonce(index, is_last), piece[COMMITMENT_BYTES:], None)
        else:
            yield cipher.encrypt(_nonce(index, is_last), piece, None)


def _padded(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    received = 0
    for chunk in chunks:
        received += len(chunk)
        if received > size:
            raise ValueError(_changed)
        yield chunk
    if received != size:
        raise ValueError(_changed)
    for start in range(size, padded_size(size), _piece_bytes):
        yield bytes(min(padded_size(size) - start, _piece_bytes))


def _open_piece(cipher: AESGCM, piece: bytes, index: int, is_last: bool) -> bytes:
    try:
        return cipher.decrypt(_nonce(index, is_last), piece, None)
    except InvalidTag:
        raise FileNotOpenedError from None


def _nonce(index: int, is_last: bool) -> bytes:
    return index.to_bytes(11, "big") + bytes([is_last])


def _derive(file_key: FileKey) -> tuple[bytes, bytes]:
    # HKDF takes keys of any length, and no opener takes the field then.
    if len(file_key.key) != 32:
        raise ValueError("A file key has 32 bytes")
    lines = ("sealpost/spf1", file_key.form_id, file_key.submission_id, file_key.file_id, str(file_key.size))
    return derive_committed(file_key.key, b"", "\n".join(lines).encode())


def _piece_count(size: int) -> int:
    return -(-(padded_size(size) + COMMITMENT_BYTES) // _piece_bytes)


def _chunks(source: BinaryIO | Iterable[bytes]) -> Iterator[bytes]:
    read = getattr(source, "read", None)
    # A file read by lines could be one line of any length.
    return iter(lambda: read(_piece_bytes), b"") if read is not None else iter(source)


def _pieces(chunks: Iterator[bytes], length: int) -> Iterator[bytes]:
    """The same bytes in pieces of `length`; the last may be shorter, and is never empty."""
    gathered = bytearray()
    for chunk in chunks:
        with memoryview(chunk) as view:
            for start in range(0, len(view), length):
                gathered += view[start : start + length]
                if len(gathered) >= length:
                    yield bytes(gathered[:length])
                    del gathered[:length]
    if gathered:
        yield bytes(gathered)


def _with_last(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each piece with whether it is the last one."""
    held: bytes | None = None
    for piece in pieces:
        if held is not None:
            yield held, False
        held = piece
    if held is not None:
        yield held, True


def _is_size(size: object) -> bool:
    return isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= FILE_BYTES_MAX
