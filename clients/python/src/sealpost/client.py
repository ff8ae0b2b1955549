"""The API of one instance."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from . import types
from ._calls import Calls
from ._paging import each_of
from .organizations import Invitations, Members, Organizations
from .sessions import Sessions
from .submissions import Submissions

_test_timeout_seconds = 60.0


class Client:
    """
    The API of the instance at `base_url`, with an API key or a session token, or with what gives one for each request. Every
    method raises an ApiError when the server refuses, and an OSError when it can't be reached or is silent for `timeout` seconds.

    Requests over the rate limit are repeated up to `retries` times, after as many seconds as the server says, unless these are
    more than `wait_max`. Reads, and submissions, which have an id, are repeated after a lost connection and a 503 too.

    With the id of an `organization`, the server refuses requests whose session acts for another one by now (403,
    `organization_changed`). Without it they are about the one that the session or the API key acts for.
    """

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None = None,
        *,
        organization: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        wait_max: float = 60.0,
    ) -> None:
        calls = Calls(base_url, token, organization=organization, timeout=timeout, retries=retries, wait_max=wait_max)
        self.forms = Forms(calls)
        self.submissions = Submissions(calls)
        self.webhooks = Webhooks(calls)
        self.account = Account(calls)
        self.organizations = Organizations(calls)
        self.members = Members(calls)
        self.invitations = Invitations(calls)
        self.sessions = Sessions(calls)


class Forms:
    """The account's forms."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call
        self._data = calls.data

    def list(self, *, limit: int = 50, cursor: str | None = None) -> types.FormList:
        """One page, newest first."""
        return cast(types.FormList, self._call("GET /api/forms", query={"limit": limit, "cursor": cursor}))

    def all(self) -> Iterator[types.FormListItem]:
        """All of them, newest first, page after page as you consume them."""

        def load(cursor: str | None) -> tuple[Sequence[types.FormListItem], str | None]:
            page = self.list(limit=100, cursor=cursor)
            return page["forms"], page["nextCursor"]

        return each_of(load)

    def get(self, form_id: str) -> types.Form:
        """One form with all its settings and its `embedCode`."""
        return cast(types.Form, self._call("GET /api/forms/{form_id}", {"form_id": form_id})["form"])

    def create(
        self,
        name: str,
        *,
        settings: types.FormSettingsInput | None = None,
        public_key: Mapping[str, object] | None = None,
    ) -> types.CreatedForm:
        """
        Creates a form. With the `public_key` of a pair of your own the server never sees the private key; without it the answer
        holds the only copy of it.
        """
        body = _given(name=name, settings=settings, publicKey=public_key)
        return cast(types.CreatedForm, self._call("POST /api/forms", body=body)["form"])

    def update(
        self, form_id: str, *, name: str | None = None, settings: types.FormSettingsInput | None = None
    ) -> types.UpdatedForm:
        """Changes what is given and keeps the rest."""
        body = _given(name=name, settings=settings)
        return cast(
            types.UpdatedForm, self._call("PATCH /api/forms/{form_id}", {"form_id": form_id}, body=body)["form"]
        )

    def delete(self, form_id: str) -> int:
        """Deletes the form and all its submissions, for good. How many submissions there were."""
        answer = self._call("DELETE /api/forms/{form_id}", {"form_id": form_id}, {"confirm": "DELETE_FORM"})
        return int(answer["deleted"]["submissionsDeleted"])

    def set_hold(self, form_id: str, *, reason: str | None = None, until: int | None = None) -> types.FormHold:
        """Sets a legal hold, or changes it: nothing of the form is deleted before it is lifted. Needs a session token."""
        body = {"reason": reason, "until": until}
        answer = self._call("PUT /api/forms/{form_id}/hold", {"form_id": form_id}, body=body)
        return cast(types.FormHold, answer["hold"])

    def lift_hold(self, form_id: str) -> None:
        """Lifts the form's legal hold. Needs a session token."""
        self._call("DELETE /api/forms/{form_id}/hold", {"form_id": form_id})

    def hand_over(self, form_id: str, organization_id: str, *, webhook: Mapping[str, str] | None = None) -> None:
        """Hands the form to another organization that the person owns. Needs a session token.

        `webhook` is `{"url": …, "secret": "new" | "kept"}` with the form's present webhook address, to which its events
        continue. Without it a form that has an address is refused with the code `form_hand_over_webhook`; `update` removes it.
        """
        body = _given(organizationId=organization_id, webhook=webhook)
        self._call("POST /api/forms/{form_id}/hand-over", {"form_id": form_id}, body=body)

    def rotate_keys(self, form_id: str, *, public_key: Mapping[str, object] | None = None) -> types.RotatedForm:
        """Gives the form a new key pair, as with `create`. What was sealed to an older one needs its private key."""
        body = _given(publicKey=public_key)
        answer = self._call("POST /api/forms/{form_id}/rotate-keys", {"form_id": form_id}, body=body)
        return cast(types.RotatedForm, answer["form"])

    def keys(self, form_id: str) -> Sequence[types.FormKey]:
        """The public keys of all versions, newest first, whatever the order in which the service gives them."""
        return _newest_first(self._call("GET /api/forms/{form_id}/keys", {"form_id": form_id})["keys"])

    def close_keys(self, form_id: str, *, below: int, at: int | None) -> Sequence[types.FormKey]:
        """Ends the key versions below `below`: from `at` on nothing that is sealed to them is taken; `None`: without end."""
        answer = self._call(
            "POST /api/forms/{form_id}/keys/close", {"form_id": form_id}, body={"below": below, "at": at}
        )
        return _newest_first(answer["keys"])

    def envelopes(self, form_id: str) -> Sequence[types.Envelope]:
        """
        The newest revision of each of the form's envelopes by their key versions, without its bytes. Needs
        `submissions:read`.
        """
        answer = self._call("GET /api/forms/{form_id}/envelopes", {"form_id": form_id})
        return sorted(cast(list[types.Envelope], answer["envelopes"]), key=lambda envelope: envelope["lowestVersion"])

    def envelope(self, form_id: str, lowest_version: int, *, revision: int | None = None) -> bytes:
        """
        The bytes of an envelope, which `age -d` opens for its readers; the newest revision, or an older one. Nobody has checked who
        wrote it.
        """
        path = {"form_id": form_id, "lowest_version": str(lowest_version)}
        return self._data("GET /api/forms/{form_id}/envelopes/{lowest_version}", path, {"revision": revision})

    def envelope_revisions(
        self, form_id: str, lowest_version: int, *, limit: int = 50, cursor: str | None = None
    ) -> types.EnvelopeRevisionList:
        """One page of the revisions of an envelope that the service has, newest first, without their bytes."""
        path = {"form_id": form_id, "lowest_version": str(lowest_version)}
        query = {"limit": limit, "cursor": cursor}
        answer = self._call("GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions", path, query)
        return cast(types.EnvelopeRevisionList, answer)

    def prove_key(self, form_id: str, version: int) -> types.FormKey:
        """Says that the private key of a version opened something. It is the caller's word."""
        path = {"form_id": form_id, "version": str(version)}
        return cast(types.FormKey, self._call("POST /api/forms/{form_id}/keys/{version}/proved", path)["key"])

    def retention(self, form_id: str) -> int | None:
        """After how many days the form's submissions are deleted; `None` when they are kept."""
        return cast(int | None, self._call("GET /api/forms/{form_id}/retention", {"form_id": form_id})["days"])

    def set_retention(self, form_id: str, days: int | None) -> int | None:
        """Deletes submissions that are older than `days` days, now and from now on; `None` keeps them."""
        path = {"form_id": form_id}
        return cast(int | None, self._call("PUT /api/forms/{form_id}/retention", path, body={"days": days})["days"])

    def notifications(self, form_id: str) -> types.Notifications:
        """Whether emails notify of the form, and whether this instance sends any."""
        answer = self._call("GET /api/forms/{form_id}/notifications", {"form_id": form_id})
        return cast(types.Notifications, answer)

    def set_notifications(self, form_id: str, mail: bool) -> types.Notifications:
        """Switches emails about the form on or off."""
        answer = self._call("PUT /api/forms/{form_id}/notifications", {"form_id": form_id}, body={"mail": mail})
        return cast(types.Notifications, answer)

    def stats(self, form_id: str, *, period: Literal["day", "week", "month", "year"] = "month") -> types.Statistics:
        """What the form received."""
        answer = self._call("GET /api/forms/{form_id}/stats", {"form_id": form_id}, {"period": period})
        return cast(types.Statistics, answer)


class Webhooks:
    """Webhook secrets and deliveries of forms."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call

    def secret(self, form_id: str) -> types.WebhookSecret:
        """The current secret, and until when earlier ones stay valid."""
        return cast(types.WebhookSecret, self._call("GET /api/forms/{form_id}/webhook-secret", {"form_id": form_id}))

    def rotate_secret(self, form_id: str, *, revoke_previous: bool = False) -> types.RotatedWebhookSecret:
        """A new secret. Earlier ones stay valid for 24 hours unless `revoke_previous` ends them at once."""
        body = {"revokePrevious": revoke_previous}
        answer = self._call("POST /api/forms/{form_id}/webhook-secret/rotate", {"form_id": form_id}, body=body)
        return cast(types.RotatedWebhookSecret, answer)

    def test(self, form_id: str) -> types.Delivery:
        """Sends a test event now and tells how it went. The server gives the receiver 30 seconds."""
        path = {"form_id": form_id}
        answer = self._call("POST /api/forms/{form_id}/webhook/test", path, timeout=_test_timeout_seconds)
        return cast(types.Delivery, answer["delivery"])

    def logs(
        self,
        form_id: str,
        *,
        limit: int = 50,
        cursor: str | None = None,
        status: Literal["success", "failed"] | None = None,
    ) -> types.DeliveryLog:
        """One page of deliveries, newest first."""
        query = {"limit": limit, "cursor": cursor, "status": status}
        return cast(types.DeliveryLog, self._call("GET /api/forms/{form_id}/webhook/logs", {"form_id": form_id}, query))

    def all_logs(self, form_id: str, *, status: Literal["success", "failed"] | None = None) -> Iterator[types.Delivery]:
        """All logged deliveries, newest first, page after page as you consume them."""

        def load(cursor: str | None) -> tuple[Sequence[types.Delivery], str | None]:
            page = self.logs(form_id, limit=100, cursor=cursor, status=status)
            return page["logs"], page["nextCursor"]

        return each_of(load)

    def log(self, form_id: str, delivery_id: str) -> types.DeliveryDetail:
        """One delivery with its attempts and the body that was sent."""
        path = {"form_id": form_id, "delivery_id": delivery_id}
        answer = self._call("GET /api/forms/{form_id}/webhook/logs/{delivery_id}", path)
        return cast(types.DeliveryDetail, answer["log"])

    def resend(self, form_id: str, delivery_id: str) -> str:
        """Sends the same body again, as a new delivery, whose id is returned."""
        path = {"form_id": form_id, "delivery_id": delivery_id}
        answer = self._call("POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend", path)
        return str(answer["delivery"]["id"])


class Account:
    """The account as a whole. All but `usage` needs a session token."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call
        self._lines = calls.lines

    def usage(self) -> types.AccountUsage:
        """How much the account's submissions take, and may take."""
        return cast(types.AccountUsage, self._call("GET /api/usage")["usage"])

    def take_over_usage(self) -> None:
        """Has what the organization stores count for you, where it counts for a former owner. Needs a fresh session."""
        self._call("POST /api/usage/take-over")

    def api_keys(self) -> types.ApiKeyList:
        return cast(types.ApiKeyList, self._call("GET /api/api-keys"))

    def create_api_key(
        self,
        name: str,
        *,
        permissions: Sequence[str] | None = None,
        forms: Sequence[str] | None = None,
        expires_at: str | None = None,
    ) -> types.CreatedApiKey:
        """Creates a key; the answer holds its only copy. All four permissions unless fewer are named.

        ``forms`` limits it to these forms, and ``expires_at`` (ISO 8601 with a zone) ends it.
        """
        body = _given(name=name, permissions=permissions, forms=forms, expiresAt=expires_at)
        return cast(types.CreatedApiKey, self._call("POST /api/api-keys", body=body))

    def revoke_api_key(self, key_id: str) -> None:
        self._call("DELETE /api/api-keys/{key_id}", {"key_id": key_id})

    def notifications(self) -> types.AccountNotifications:
        """Whether emails notify of the account's forms, and whether this instance sends any."""
        return cast(types.AccountNotifications, self._call("GET /api/notifications"))

    def set_notifications(self, mail: bool, storage: bool | None = None) -> types.AccountNotifications:
        body = _given(mail=mail, storage=storage)
        return cast(types.AccountNotifications, self._call("PUT /api/notifications", body=body))

    def audit_log(self) -> Iterator[types.AuditEntry]:
        """What was done to the account, newest first, page after page as you consume it."""

        def load(cursor: str | None) -> tuple[Sequence[types.AuditEntry], str | None]:
            page = cast(types.AuditLog, self._call("GET /api/audit-log", query={"limit": 100, "cursor": cursor}))
            return page["entries"], page["nextCursor"]

        return each_of(load)

    def export_audit_log(self, after: int | None = None) -> Iterator[dict[str, Any]]:
        """Its lines in one streamed answer, oldest first, after the entry of this number: what `sealpost verify-log` checks."""
        return self._lines("GET /api/audit-log/export", {}, {"after": after})

    def shorten_audit_log(self, sequence: int, hash: str) -> int:
        """Removes the oldest entries, up to this one of an export whose file you keep; entries of the last 30 days stay. How many are gone then."""
        until = {"sequence": sequence, "hash": hash}
        answer = cast(types.ShortenedAuditLog, self._call("POST /api/audit-log/shorten", body={"until": until}))
        return answer["shortened"]["count"]


def _given(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _newest_first(keys: object) -> list[types.FormKey]:
    """Sorted where a list comes in, so that nobody has to assume its order."""
    return sorted(cast(list[types.FormKey], keys), key=lambda key: key["version"], reverse=True)
