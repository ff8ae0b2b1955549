"""Verify and open in one call, for the program at a form's webhook URL."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ._receiver_secrets import ReceiverSecrets, WebhookSecrets
from .events import SubmissionCreated, WebhookEvent, parse_event
from .keys import OpeningKey
from .opening import NotOpened, Opened, open_submission
from .webhooks import HeadersLike, NotVerified, list_headers, verify


@dataclass(frozen=True)
class Received:
    """A verified request. `opened` is about the submission of a `submission.created`, and `None` for other events."""

    delivery_id: str
    sent_at: int
    event: WebhookEvent
    opened: Opened | NotOpened | None
    verified: Literal[True] = True


class Receiver:
    """
    A receiver of webhooks. `secrets`: the webhook secret of the only form that posts here; or the secrets of each form by its id, of
    which each speaks for its own form alone. `keys`: the private keys of those forms, of all key versions still in use; empty if all the forms have `encryption: false`. A plain submission is `not_sealed` to who
    has keys unless `accept_plain` is true. Raises a ValueError, which shows no secret, when it could not do its work.
    """

    def __init__(
        self,
        secrets: WebhookSecrets,
        keys: Sequence[OpeningKey],
        *,
        accept_plain: bool | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = ReceiverSecrets(secrets)
        self._keys = tuple(keys)
        if not all(isinstance(key, OpeningKey) for key in self._keys):
            raise ValueError("keys must be what load_key or parse_key made")
        self._accept_plain = accept_plain
        self._clock = clock

    def receive(self, headers: HeadersLike, body: bytes | str) -> Received | NotVerified:
        """
        Verifies a request and opens its submission. Never raises on what a stranger sent. Answer 401 unless `verified`, else
        204 alike whether a submission could be opened or not.
        """
        pairs, now = list_headers(headers), self._clock()
        verification = verify(self._secrets.all, pairs, body, now)
        if isinstance(verification, NotVerified):
            return verification
        event = parse_event(verification.body)
        if isinstance(event, str):
            return NotVerified("malformed_body", event)
        if not verify(self._secrets.of(event), pairs, verification.body, now).verified:
            return NotVerified("wrong_form", "No signature fits under a secret of the form that the event names")
        opened = self._open(event) if isinstance(event, SubmissionCreated) else None
        return Received(verification.delivery_id, verification.sent_at, event, opened)

    def _open(self, event: SubmissionCreated) -> Opened | NotOpened:
        submission = event.submission
        return open_submission(
            event.form.id,
            submission.id,
            submission.key_version,
            submission.payload,
            self._keys,
            accept_plain=self._accept_plain,
        )
