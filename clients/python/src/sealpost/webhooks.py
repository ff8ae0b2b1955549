"""Signatures of webhooks (specification, section 9)."""

import hashlib
import hmac
import re
import secrets as randomness
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from ._encoding import decode_base64, encode_base64

TOLERANCE_SECONDS = 300
_signatures_max = 32


class HeaderItems(Protocol):
    """Headers of a framework: Starlette's, Werkzeug's, Django's, `email.message.Message`."""

    def items(self) -> Iterable[tuple[str, str]]: ...


HeadersLike: TypeAlias = (
    HeaderItems
    | Mapping[str, str]
    | Mapping[str, Sequence[str]]
    | Iterable[tuple[str, str]]
    | Iterable[tuple[bytes, bytes]]
)


@dataclass(frozen=True)
class Verified:
    """A request that was signed with one of the secrets, just now."""

    delivery_id: str
    """The signed `webhook-id`. It stays the same over all attempts of a delivery: remember it to drop duplicates."""
    sent_at: int
    """When this attempt was sent, in milliseconds since the Unix epoch."""
    body: bytes = field(repr=False)
    verified: Literal[True] = True


@dataclass(frozen=True)
class NotVerified:
    """Why a request is not one that Sealpost sent to this receiver just now. `message` is for your log, not for the sender."""

    reason: Literal["missing_header", "invalid_signature", "timestamp_out_of_tolerance", "malformed_body", "wrong_form"]
    message: str
    verified: Literal[False] = False


def verify(
    secrets: Sequence[str], headers: HeadersLike, body: bytes | str, now: float | None = None
) -> Verified | NotVerified:
    """
    Checks the signature of a request (Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`) under any of
    `secrets`, and that it was sent within five minutes of `now` (seconds since the Unix epoch). Never raises on what a
    stranger sent. `body` is the raw body; a str is taken as the text that was decoded from UTF-8. Says nothing about what the body
    means: give it the secrets of one form, and compare the form that the event names, or use `Receiver`.
    """
    if isinstance(secrets, str):
        raise TypeError("secrets must be a list of secrets, not one")
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    pairs = list_headers(headers)
    values = {name: find_header(pairs, name) for name in names}
    if missing := [name for name, value in values.items() if not value]:
        return NotVerified("missing_header", f"The request lacks {' and '.join(missing)}")
    identifier, timestamp, signature = (values[name] or "" for name in names)
    content = _raw_bytes(body)
    if content is None:
        return NotVerified("malformed_body", "The body must be the raw bytes, before any parser")
    outcome = verify_standard(secrets, identifier, timestamp, signature, content, time.time() if now is None else now)
    if outcome == "valid":
        return Verified(identifier, int(timestamp) * 1000, content)
    if outcome == "invalid_signature":
        return NotVerified(outcome, "No signature fits the body under any secret of this receiver")
    return NotVerified(outcome, "The request is signed, but was sent more than five minutes from now")


def verify_standard(
    secrets: Iterable[str], identifier: str, timestamp: str, signature: str, body: bytes, now: float
) -> Literal["valid", "invalid_signature", "timestamp_out_of_tolerance"]:
    """The same for the three headers as they came; one that is missing is empty. Constant time in the signature."""
    keys = [key for secret in secrets if (key := _secret_bytes(secret))]
    # The signed content is `id.timestamp.body`: a dot inside the id could move the borders between the three.
    if not identifier or "." in identifier or re.fullmatch("[1-9][0-9]{0,11}", timestamp) is None:
        return "invalid_signature"
    try:
        content = f"{identifier}.{timestamp}.".encode() + body
    except UnicodeEncodeError:
        return "invalid_signature"
    values = signature.split(" ")[:_signatures_max]
    signatures = [decode_base64(value.removeprefix("v1,")) for value in values if value.startswith("v1,")]
    if not any(
        given is not None and hmac.compare_digest(_hmac(key, content), given) for key in keys for given in signatures
    ):
        return "invalid_signature"
    # Asked this way round, because a clock that says NaN must not accept everything.
    return "valid" if abs(now - int(timestamp)) <= TOLERANCE_SECONDS else "timestamp_out_of_tolerance"


def verify_service(secrets: Iterable[str], body: bytes, header: str | None) -> bool:
    """
    Whether `header` is the `X-Service-Signature` of `body` under one of `secrets`. It has no timestamp, and so does not notice a
    repeated request.
    """
    if header is None or re.fullmatch("sha256=[0-9a-f]{64}", header) is None:
        return False
    return any(hmac.compare_digest(sign_service(secret, body), header) for secret in secrets if secret)


def sign_standard(secret: str, identifier: str, timestamp: int, body: bytes) -> str:
    """One value of `webhook-signature`, for tests of a receiver. Raises a ValueError on a secret that is none."""
    key = _secret_bytes(secret)
    if key is None:
        raise ValueError("A webhook secret is whsec_ followed by base64")
    return "v1," + encode_base64(_hmac(key, f"{identifier}.{timestamp}.".encode() + body))


def sign_service(secret: str, body: bytes) -> str:
    """The value of `X-Service-Signature`, for tests of a receiver."""
    return "sha256=" + _hmac(secret.encode(), body).hex()


def create_webhook_secret() -> str:
    """A fresh webhook secret."""
    return "whsec_" + encode_base64(randomness.token_bytes(32))


def find_header(headers: HeadersLike, name: str) -> str | None:
    """
    The value of a header (its name in lower case), or `None`. One that occurs several times is joined by `, `, which no
    single value of a webhook contains, so a doubled id or timestamp never passes for one of its values; signatures are a list.
    """
    found = [value for key, value in list_headers(headers) if key.lower() == name]
    return ", ".join(found) if found else None


def list_headers(headers: HeadersLike) -> list[tuple[str, str]]:
    """The headers as pairs, which can be looked at more than once."""
    items = getattr(headers, "items", None)
    pairs: Any = items() if items is not None else headers
    return [
        (_text(name), _text(value))
        for name, values in pairs
        for value in (values if isinstance(values, (list, tuple)) else [values])
    ]


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _raw_bytes(body: object) -> bytes | None:
    if isinstance(body, str):
        try:
            return body.encode()
        except UnicodeEncodeError:
            return None
    return bytes(body) if isinstance(body, (bytes, bytearray, memoryview)) else None


def _secret_bytes(secret: str) -> bytes | None:
    decoded = decode_base64(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else None
    return decoded or None


def _hmac(key: bytes, content: bytes) -> bytes:
    return hmac.digest(key, content, hashlib.sha256)
