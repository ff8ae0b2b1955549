"""Opening what visitors sealed (specification, section 7)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from . import _hybrid
from ._committed import decrypt_committed
from ._encoding import Fields, decode_base64, format_exactly, is_text_too_deep, parse_exactly, parse_json
from .keys import OAEP, OpeningKey

NotOpenedReason: TypeAlias = Literal["unknown_version", "no_key", "could_not_be_opened", "not_sealed"]


@dataclass(frozen=True)
class Opened:
    """What a visitor typed. `sealed` is false where nobody sealed it: the server could read it, and could have made it up."""

    fields: Fields
    sealed: bool = True
    opened: Literal[True] = True
    text: str = field(default="", compare=False)
    """The fields as JSON, with the digits that were sealed: `fields` has `inf` for `1e400`, and `0.1` for `0.10`."""
    sealpost: Fields | None = None
    """What the page has sealed along, `$sealpost`. As authentic as the fields: who has the public key can write it."""


@dataclass(frozen=True)
class NotOpened:
    """Why the fields can't be had. This is for the owner of the key, not for who sent the payload."""

    reason: NotOpenedReason
    message: str
    sealed: bool = True
    opened: Literal[False] = False


_unknown_version = NotOpened("unknown_version", "This payload has a format that this version cannot open")
_could_not_be_opened = NotOpened(
    "could_not_be_opened", "This payload could not be opened: it was changed, or sealed to another key"
)
_not_sealed = NotOpened(
    "not_sealed", "Nobody sealed this submission: the server could read it, and could have made it up", sealed=False
)


def open_payload(
    payload: Mapping[str, object],
    keys: Iterable[OpeningKey],
    *,
    form_id: str,
    key_version: int,
    submission_id: str,
    expected_fingerprint: str | None = None,
) -> Opened | NotOpened:
    """
    Opens a sealed payload (`sp1` or `sp2`) with whichever of `keys` fits. `expected_fingerprint` is that of the form's key of
    this version, where it is known; of a pair of RSA and hybrid key either will do. Every failure after a key was chosen looks
    the same.
    """
    version = payload.get("version")
    if (
        not isinstance(version, str)
        or version not in ("sp1", "sp2")
        or (version == "sp2" and not _hybrid.is_available())
    ):
        return _unknown_version
    candidates = _find_keys(_halves(keys, version, expected_fingerprint), form_id, key_version, expected_fingerprint)
    if not candidates:
        message = f"No private key available for key version {key_version} of this form"
        return NotOpened("no_key", message)
    for key in candidates:
        try:
            bound = additional_data(version, form_id, key_version, submission_id)
            return _parse_content(_decrypt(payload, key, bound))
        except Exception:  # whatever it is: the next key may fit, and nobody learns which step failed
            continue
    return _could_not_be_opened


def open_submission(
    form_id: str,
    submission_id: str,
    key_version: int | None,
    payload: Mapping[str, object],
    keys: Sequence[OpeningKey],
    *,
    expected_fingerprint: str | None = None,
    accept_plain: bool | None = None,
) -> Opened | NotOpened:
    """
    Opens a submission as a webhook or the API shows it, sealed or plain. To who has keys a plain one is `not_sealed`, unless
    `accept_plain` is true.
    """
    if payload.get("encrypted") is not False:
        return open_payload(
            payload,
            keys,
            form_id=form_id,
            key_version=key_version or 0,
            submission_id=submission_id,
            expected_fingerprint=expected_fingerprint,
        )
    fields = payload.get("fields")
    accepts = accept_plain if accept_plain is not None else not keys
    if not accepts or not isinstance(fields, dict):
        return _not_sealed
    return Opened(fields, sealed=False, text=format_exactly(fields))


def additional_data(version: str, form_id: str, key_version: int, submission_id: str) -> bytes:
    """The bytes that bind a payload to its place (specification, section 5)."""
    return f"sealpost/{version}\n{form_id}\n{key_version}\n{submission_id}".encode()


def _halves(keys: Iterable[OpeningKey], version: str, expected_fingerprint: str | None) -> list[OpeningKey]:
    """The keys of the payload's format; with a fingerprint, only of those pairs that have it in one half."""
    pairs = [[key] if key.hybrid is None else [key, key.hybrid] for key in keys]
    return [
        half
        for pair in pairs
        for half in pair
        if isinstance(half.key, _hybrid.HybridKey) == (version == "sp2")
        and (expected_fingerprint is None or any(key.fingerprint == expected_fingerprint for key in pair))
    ]


def _find_keys(
    keys: list[OpeningKey], form_id: str, key_version: int, expected_fingerprint: str | None
) -> list[OpeningKey]:
    if expected_fingerprint is not None:
        return keys  # chosen by it already
    candidates = [key for key in keys if key.form_id is None or key.form_id == form_id]
    labelled = [key for key in candidates if key.key_version == key_version]
    return labelled or [key for key in candidates if key.key_version is None]


def _decrypt(payload: Mapping[str, object], key: OpeningKey, bound: bytes) -> str:
    data, sealed_key, iv = (decode_base64(payload.get(name)) for name in ("data", "key", "iv"))
    if data is None or sealed_key is None or iv is None or len(iv) != 12:
        raise ValueError("malformed")
    content_key = _open_content_key(key.key, sealed_key, bound)
    if len(content_key) != 32:
        raise ValueError("malformed")
    decrypt = _decrypt_gcm if isinstance(key.key, rsa.RSAPrivateKey) else decrypt_committed
    return decrypt(content_key, iv, data, bound).decode("utf-8")


def _parse_content(text: str) -> Opened:
    if is_text_too_deep(text):
        raise ValueError("malformed")
    fields, exact = parse_json(text.encode()), parse_exactly(text)
    if not isinstance(fields, dict):
        raise ValueError("malformed")
    sealpost = fields.get("$sealpost")
    if not isinstance(sealpost, dict):  # an answer may have our name
        return Opened(fields, text=format_exactly(exact))
    del fields["$sealpost"], exact["$sealpost"]
    return Opened(fields, text=format_exactly(exact), sealpost=sealpost)


def _decrypt_gcm(content_key: bytes, iv: bytes, data: bytes, bound: bytes) -> bytes:
    return AESGCM(content_key).decrypt(iv, data, bound)


def _open_content_key(key: rsa.RSAPrivateKey | _hybrid.HybridKey, sealed: bytes, bound: bytes) -> bytes:
    if isinstance(key, rsa.RSAPrivateKey):
        return key.decrypt(sealed, OAEP)
    if len(sealed) != _hybrid.SEALED_KEY_BYTES:
        raise ValueError("malformed")
    return _hybrid.open_content_key(key, sealed, bound)
