"""The webhook secrets of a receiver: each speaks for its own form alone."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ._encoding import decode_base64
from .events import UnknownEvent, WebhookEvent
from .ids import is_id

WebhookSecrets: TypeAlias = str | Mapping[str, str | Sequence[str]]
"""
The secret of the only form that posts to a receiver, or those of each form by its id. Several of a form during a rotation, the new one and
earlier ones; a single one is enough, since the service tries all that are valid.
"""


class ReceiverSecrets:
    """The secrets, copied and checked: one that is malformed would never fit anything. Raises a ValueError that shows none."""

    def __init__(self, secrets: WebhookSecrets) -> None:
        if isinstance(secrets, str):
            self._forms = None
            self.all: tuple[str, ...] = (_parse_secret(secrets, "secrets"),)
            return
        if not isinstance(secrets, Mapping) or not secrets:
            raise ValueError(
                "secrets must be the webhook secret of one form, or a dict with those of each form by its id"
            )
        self._forms = {form_id: _parse_form(form_id, own) for form_id, own in secrets.items()}
        self.all = tuple(secret for own in self._forms.values() for secret in own)
        if len(set(self.all)) < len(self.all):
            raise ValueError("secrets has one secret twice: each belongs to one form")

    def of(self, event: WebhookEvent) -> tuple[str, ...]:
        """Those of the form that an event names: no other form's secret speaks for it."""
        return self.all if self._forms is None else self._forms.get(_form_id_of(event) or "", ())


def _parse_form(form_id: str, own: str | Sequence[str]) -> tuple[str, ...]:
    if not is_id("form", form_id):
        # Not shown: it could be a secret that came to the place of the id.
        raise ValueError("secrets has a name that is not the id of a form, form_…")
    if isinstance(own, str):
        return (_parse_secret(own, f"secrets[{form_id}]"),)
    if not isinstance(own, Sequence) or not own:
        raise ValueError(f"secrets[{form_id}] has no webhook secret")
    return tuple(_parse_secret(secret, f"secrets[{form_id}][{index}]") for index, secret in enumerate(own))


def _parse_secret(secret: object, name: str) -> str:
    text = secret if isinstance(secret, str) else ""
    key = decode_base64(text.removeprefix("whsec_")) if text.startswith("whsec_") else None
    # Standard Webhooks: 24 to 64 bytes. Fewer means that a part is missing.
    if key is None or len(key) < 24:
        raise ValueError(f"{name} is not a webhook secret: whsec_ and base64, without blanks or line breaks")
    return text


def _form_id_of(event: WebhookEvent) -> str | None:
    """The form's id also of an event that this version does not know; `None` where it names none."""
    if not isinstance(event, UnknownEvent):
        return event.form.id
    form: Any = event.body.get("form")
    form_id = form.get("id") if isinstance(form, dict) else None
    return form_id if isinstance(form_id, str) else None
