"""Verify and open Sealpost webhooks, and talk to the API."""

from . import types
from ._encoding import Fields, JsonValue
from ._receiver_secrets import WebhookSecrets
from .api_error import ApiError
from .client import Client
from .events import (
    EventForm,
    FormKeys,
    FormKeysRotated,
    FormUpdated,
    ReceivedSubmission,
    SubmissionCreated,
    SubmissionDeleted,
    UnknownEvent,
    WebhookEvent,
    parse_event,
)
from .files import (
    FileField,
    FileKey,
    FileNotOpenedError,
    NewerFile,
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
from .opening import NotOpened, Opened, open_payload, open_submission
from .receiver import Received, Receiver
from .sealing import SealedPayload, seal
from .submissions import (
    AcceptedSubmission,
    BinnedSubmission,
    OpenedSubmission,
    PreparedSubmission,
    Submission,
    SubmissionPage,
)
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
    "AcceptedSubmission",
    "ApiError",
    "BinnedSubmission",
    "Client",
    "EventForm",
    "Fields",
    "FileField",
    "FileKey",
    "FileNotOpenedError",
    "FormKeys",
    "FormKeysRotated",
    "FormUpdated",
    "HeadersLike",
    "JsonValue",
    "NewerFile",
    "NotOpened",
    "NotVerified",
    "Opened",
    "OpenedSubmission",
    "OpeningKey",
    "PreparedSubmission",
    "Received",
    "ReceivedSubmission",
    "Receiver",
    "SealedPayload",
    "Submission",
    "SubmissionCreated",
    "SubmissionDeleted",
    "SubmissionPage",
    "UnknownEvent",
    "Verified",
    "WebhookEvent",
    "WebhookSecrets",
    "create_file_key",
    "create_id",
    "create_webhook_secret",
    "fingerprint",
    "is_id",
    "load_key",
    "open_file",
    "open_file_to",
    "open_payload",
    "open_submission",
    "parse_event",
    "parse_file_field",
    "parse_key",
    "seal",
    "seal_file",
    "sealed_file_size",
    "sign_service",
    "sign_standard",
    "to_file_field",
    "types",
    "verify",
    "verify_service",
]
