"""Verify and open Sealpost webhooks, and talk to the API."""

from ._encoding import Fields, JsonValue
from .files import (
    FileField,
    FileKey,
    FileNotOpenedError,
    create_file_key,
    open_file,
    open_file_to,
    parse_file_field,
    seal_file,
    sealed_file_size,
    to_file_field,
)
from .ids import create_id, is_id
from .keys import OpeningKey, fingerprint, load_key, parse_key
from .opening import NotOpened, Opened, open_payload
from .sealing import SealedPayload, seal
from .webhooks import (
    HeadersLike,
    NotVerified,
    Verified,
    create_webhook_secret,
    sign_service,
    sign_standard,
    verify,
    verify_service,
)

__all__ = [
    "Fields",
    "FileField",
    "FileKey",
    "FileNotOpenedError",
    "HeadersLike",
    "JsonValue",
    "NotOpened",
    "NotVerified",
    "Opened",
    "OpeningKey",
    "SealedPayload",
    "Verified",
    "create_file_key",
    "create_id",
    "create_webhook_secret",
    "fingerprint",
    "is_id",
    "load_key",
    "open_file",
    "open_file_to",
    "open_payload",
    "parse_file_field",
    "parse_key",
    "seal",
    "seal_file",
    "sealed_file_size",
    "sign_service",
    "sign_standard",
    "to_file_field",
    "verify",
    "verify_service",
]
