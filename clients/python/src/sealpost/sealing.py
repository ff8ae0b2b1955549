"""Sealing fields to the owner of a form, as the script in a page does (specification, sections 3 and 4)."""

import json
import re
import secrets
from collections.abc import Mapping
from typing import Literal, TypedDict

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from . import _hybrid
from ._committed import encrypt_committed
from ._encoding import encode_base64, is_too_deep
from .ids import is_id
from .keys import OAEP, parse_public_key
from .opening import additional_data


class SealedPayload(TypedDict):
    """What is sent instead of the fields; all three texts are base64."""

    encrypted: Literal[True]
    version: Literal["sp1", "sp2"]
    data: str
    key: str
    iv: str


def seal(
    fields: Mapping[str, object],
    public_key: Mapping[str, object],
    *,
    form_id: str,
    key_version: int,
    submission_id: str,
) -> SealedPayload:
    """
    Seals fields to a public key, RSA (`sp1`) or hybrid (`sp2`). Raises a ValueError for what is no public key, for fields
    that are nested more than 64 levels deep, for numbers that JSON does not have, and for names that are those of Sealpost
    itself: `$sealpost…`, and a value whose one member begins with `$`, unless it is a file. Each call draws a fresh key: to
    send a payload again, send the same one.
    """
    key = parse_public_key(dict(public_key))
    version: Literal["sp1", "sp2"] = "sp2" if isinstance(key, bytes) else "sp1"
    bound = additional_data(version, form_id, key_version, submission_id)
    content_key, iv = secrets.token_bytes(32), secrets.token_bytes(12)
    sealed_key = _seal_content_key(key, content_key, bound)
    data = encrypt_text(encode_fields(fields), version, content_key, iv, bound)
    return {
        "encrypted": True,
        "version": version,
        "data": encode_base64(data),
        "key": encode_base64(sealed_key),
        "iv": encode_base64(iv),
    }


def padded_size(length: int) -> int:
    """The size in bytes that `length` bytes are padded to (specification, section 4)."""
    for size in (1024, 2048, 4096):
        if length <= size:
            return size
    exponent = length.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return -(-length // step) * step


def encode_fields(fields: Mapping[str, object]) -> bytes:
    """The fields as JSON in UTF-8, not padded yet."""
    if is_too_deep(fields):
        raise ValueError("Fields may be nested 64 levels deep, not more")
    if any(re.match(r"\$+sealpost", str(name)) for name in fields):
        raise ValueError("Names of fields that begin with $sealpost are those of Sealpost itself")
    # The fields themselves may be one alone, whose name is the visitor's.
    if any(_holds_ours(value) for value in fields.values()):
        raise ValueError("A value whose one member begins with $ is one of Sealpost itself: give it another name")
    return json.dumps(_well_formed(fields), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def encrypt_text(text: bytes, version: str, content_key: bytes, iv: bytes, bound: bytes) -> bytes:
    """`data` of a payload, before base64."""
    padded = text.ljust(padded_size(len(text)), b" ")
    if version == "sp2":
        return encrypt_committed(content_key, iv, padded, bound)
    return AESGCM(content_key).encrypt(iv, padded, bound)


def _seal_content_key(key: rsa.RSAPublicKey | bytes, content_key: bytes, bound: bytes) -> bytes:
    if isinstance(key, rsa.RSAPublicKey):
        return key.encrypt(content_key, OAEP)
    if not _hybrid.is_available():
        raise ValueError("Sealing to a hybrid key needs a newer version of the package cryptography")
    try:
        return _hybrid.seal_content_key(key, content_key, bound)
    except Exception:
        raise ValueError("Not a usable hybrid public key") from None


def _holds_ours(value: object) -> bool:
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    if isinstance(value, Mapping) and len(value) == 1:
        [(name, member)] = value.items()
        if str(name).startswith("$") and not (name == "$file" and _is_file(member)):
            return True
    return any(map(_holds_ours, value.values() if isinstance(value, Mapping) else value))


def _is_file(value: object) -> bool:
    """Whether it is of a field that `to_file_field` makes."""
    return isinstance(value, Mapping) and is_id("file", value.get("id")) and value.get("format") == "spf1"


def _well_formed(value: object) -> object:
    """Halves of surrogate pairs become U+FFFD. Names that become alike are one, and the last value counts."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {_well_formed(name): _well_formed(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_well_formed(member) for member in value]
    return value
