"""Events that webhooks bring (contract, section 9.2). Times are milliseconds since the Unix epoch."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ._encoding import parse_json

_number_max = 2**53 - 1


@dataclass(frozen=True)
class EventForm:
    id: str
    name: str


@dataclass(frozen=True)
class ReceivedSubmission:
    """A submission, still sealed. `timestamp` is the visitor's clock, `received_at` the server's."""

    id: str
    payload: dict[str, Any] = field(repr=False)
    key_version: int | None
    timestamp: int
    received_at: int


@dataclass(frozen=True)
class FormKeys:
    key_version: int
    previous_key_version: int
    public_key: dict[str, Any]
    rotated_at: int
    hybrid_public_key: dict[str, Any] | None = None
    """Only where the new version has one."""


@dataclass(frozen=True)
class SubmissionCreated:
    """A submission was received. `test`: sent by the dashboard's button, with sample data."""

    form: EventForm
    timestamp: int
    test: bool
    submission: ReceivedSubmission
    event: Literal["submission.created"] = "submission.created"


@dataclass(frozen=True)
class SubmissionDeleted:
    """A submission is gone for good."""

    form: EventForm
    timestamp: int
    test: bool
    submission_id: str
    event: Literal["submission.deleted"] = "submission.deleted"


@dataclass(frozen=True)
class FormUpdated:
    """`name` and `settings` are what changed, with the new values; a setting's name is as in the API."""

    form: EventForm
    timestamp: int
    test: bool
    name: str | None
    settings: dict[str, Any]
    event: Literal["form.updated"] = "form.updated"


@dataclass(frozen=True)
class FormKeysRotated:
    """The form has a new key pair. Earlier private keys are still needed for what was sealed to them."""

    form: EventForm
    timestamp: int
    test: bool
    keys: FormKeys
    event: Literal["form.keys_rotated"] = "form.keys_rotated"


@dataclass(frozen=True)
class UnknownEvent:
    """A kind of event that this version does not know. Answer 204, as to any other."""

    name: str
    body: dict[str, Any]
    test: bool
    event: Literal["unknown"] = "unknown"


WebhookEvent: TypeAlias = SubmissionCreated | SubmissionDeleted | FormUpdated | FormKeysRotated | UnknownEvent

_known = ("submission.created", "submission.deleted", "form.updated", "form.keys_rotated")


def parse_event(body: bytes) -> WebhookEvent | str:
    """The event in a verified body, or the sentence that says what is wrong with it. Never raises."""
    try:
        value: Any = parse_json(body)
    except Exception:
        return "The body is not JSON in UTF-8"
    if not isinstance(value, dict):
        return "The body is not an event"
    name, test = value.get("event"), value.get("test") is True
    if isinstance(name, str) and name and name not in _known:
        return UnknownEvent(name, value, test)
    try:
        form = EventForm(_text(value["form"]["id"]), _text(value["form"]["name"]))
        return _parse_known(name, value, (form, _whole(value["timestamp"]), test))
    except (KeyError, TypeError, ValueError):
        return "The event is malformed"


def parse_payload(value: Any) -> dict[str, Any]:
    """A sealed payload of any version, or a plain one. Raises a ValueError for anything else."""
    if isinstance(value, dict) and value.get("encrypted") is True:
        return {"encrypted": True, **{name: _text(value.get(name)) for name in ("version", "data", "key", "iv")}}
    if isinstance(value, dict) and value.get("encrypted") is False and value.get("version") == "plain1":
        if isinstance(value.get("fields"), dict):
            return {"encrypted": False, "version": "plain1", "fields": value["fields"]}
    raise ValueError("not a payload")


def _parse_known(name: object, value: dict[str, Any], common: tuple[EventForm, int, bool]) -> WebhookEvent:
    if name == "submission.created":
        return SubmissionCreated(*common, _parse_submission(value["submission"]))
    if name == "submission.deleted":
        return SubmissionDeleted(*common, _text(value["submission"]["id"]))
    if name == "form.updated":
        changes = _object(value["changes"])
        new_name, settings = changes.get("name"), changes.get("settings", {})
        return FormUpdated(*common, None if new_name is None else _text(new_name), _object(settings))
    if name == "form.keys_rotated":
        keys = value["keys"]
        hybrid = keys.get("hybridPublicKey")
        rotated = FormKeys(
            key_version=_whole(keys["keyVersion"]),
            previous_key_version=_whole(keys["previousKeyVersion"]),
            public_key=_object(keys["publicKey"]),
            rotated_at=_whole(keys["rotatedAt"]),
            hybrid_public_key=None if hybrid is None else _object(hybrid),
        )
        return FormKeysRotated(*common, rotated)
    raise ValueError("not an event")


def _parse_submission(value: dict[str, Any]) -> ReceivedSubmission:
    payload = parse_payload(value["payload"])
    # Only a plain payload may come without the version of a key.
    key_version = _whole(value["keyVersion"]) if payload["encrypted"] or "keyVersion" in value else None
    if key_version is not None and key_version < 1:
        raise ValueError("not a key version")
    return ReceivedSubmission(
        _text(value["id"]), payload, key_version, _whole(value["timestamp"]), _whole(value["receivedAt"])
    )


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _number_max:
        raise ValueError("not a whole number")
    return value
