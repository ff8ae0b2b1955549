"""Stored submissions, sealed and opened. Times are milliseconds since the Unix epoch, of `received_at`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPMessage
from typing import Any, NoReturn

from ._calls import Calls
from ._paging import each_of
from .api_error import ApiError
from .events import parse_payload
from .ids import create_id, is_id
from .keys import OpeningKey, fingerprint
from .opening import NotOpened, Opened, open_submission
from .sealing import SealedPayload, seal

_ids_max = 1000
_answers_max = 10_000  # of one export: a proxy that ends each after a part of it is asked so often
_time_max = 8_640_000_000_000_000


@dataclass(frozen=True)
class Submission:
    """A stored submission. `timestamp` is the visitor's clock, `received_at` the server's."""

    id: str
    form_id: str
    payload: dict[str, Any] = field(repr=False)
    key_version: int
    timestamp: int
    received_at: int


@dataclass(frozen=True)
class BinnedSubmission(Submission):
    """One in a form's bin: since when, and when it is deleted for good."""

    binned_at: int
    purge_at: int


@dataclass(frozen=True)
class SubmissionPage:
    submissions: list[Submission]
    total: int
    next_cursor: str | None


@dataclass(frozen=True)
class OpenedSubmission:
    submission: Submission
    result: Opened | NotOpened


@dataclass(frozen=True)
class PreparedSubmission:
    """A sealed submission, ready to be sent, as often as it takes: the same id and bytes are one submission."""

    id: str
    form_id: str
    key_version: int
    payload: SealedPayload = field(repr=False)


@dataclass(frozen=True)
class AcceptedSubmission:
    id: str
    timestamp: int
    received_at: int


class Submissions:
    """Submissions of the account's forms. Made by `Client`."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call
        self._lines = calls.lines

    def list(
        self,
        form_id: str,
        *,
        limit: int = 50,
        cursor: str | None = None,
        start: int | None = None,
        end: int | None = None,
    ) -> SubmissionPage:
        """One page, newest first, received from `start` to `end`."""
        query = {"limit": limit, "cursor": cursor, "from": start, "to": end}
        page = self._call("GET /api/forms/{form_id}/submissions", {"form_id": form_id}, query)
        submissions = [parse_submission(value) for value in page["submissions"]]
        return SubmissionPage(submissions, page["total"], page["nextCursor"])

    def all(self, form_id: str, *, start: int | None = None, end: int | None = None) -> Iterator[Submission]:
        """All of them, newest first, page after page as you consume them. `export` is cheaper for many."""

        def load(cursor: str | None) -> tuple[Sequence[Submission], str | None]:
            page = self.list(form_id, limit=100, cursor=cursor, start=start, end=end)
            return page.submissions, page.next_cursor

        return each_of(load)

    def get(self, form_id: str, submission_id: str) -> Submission:
        path = {"form_id": form_id, "submission_id": submission_id}
        return parse_submission(self._call("GET /api/forms/{form_id}/submissions/{submission_id}", path)["submission"])

    def export(
        self, form_id: str, *, start: int | None = None, end: int | None = None, after: str | None = None
    ) -> Iterator[Submission]:
        """
        All of them in one streamed answer, oldest first. `after` continues after the submission of this id. Where a proxy has ended the
        answer at the end of a line, so that it looks whole, the rest is asked for.
        """
        first: str | None = None
        is_asked_again = False
        for number in range(_answers_max):
            query = {"from": start, "to": end, "after": after}
            headers: list[HTTPMessage] = []
            operation = "GET /api/forms/{form_id}/submissions/export"
            count = 0
            for line in self._lines(operation, {"form_id": form_id}, query, headers.append):
                submission = parse_submission(line)
                if number > 0 and submission.id == first:
                    raise ApiError(f"The server gave {first} twice", status=200)
                yield submission
                first = first or submission.id
                after = submission.id
                count += 1
            # The last one may have been deleted since the answer began: then nothing more is named.
            expected = headers[0].get("sealpost-last-submission")
            if count == 0 if expected is None else expected == after:
                return
            if count == 0 and is_asked_again:
                raise ApiError("The server's answer ended twice before its first line", status=200)
            is_asked_again = count == 0
        raise ApiError("The server's export has no end", status=200)

    def open(
        self,
        form_id: str,
        keys: Sequence[OpeningKey],
        *,
        start: int | None = None,
        end: int | None = None,
        after: str | None = None,
        accept_plain: bool | None = None,
    ) -> Iterator[OpenedSubmission]:
        """The export, each submission opened with whichever of `keys` fits, or with why it could not be."""
        for submission in self.export(form_id, start=start, end=end, after=after):
            place = (form_id, submission.id, submission.key_version, submission.payload)
            yield OpenedSubmission(submission, open_submission(*place, keys, accept_plain=accept_plain))

    def prepare(
        self, form_id: str, fields: Mapping[str, object], *, expected_fingerprint: str | None = None
    ) -> PreparedSubmission:
        """
        Seals fields to the form's newest key, which the server names. With `expected_fingerprint`, known from elsewhere, it raises
        a ValueError, and seals nothing, when the server names another key.
        """
        form = self._call("GET /api/forms/{form_id}/public", {"form_id": form_id})["form"]
        public_key, key_version = form["publicKey"], form["keyVersion"]
        if expected_fingerprint is not None and fingerprint(public_key) != expected_fingerprint:
            raise ValueError("The server names another key than the expected one: nothing was sealed")
        identifier = create_id("submission")
        payload = seal(fields, public_key, form_id=form_id, key_version=key_version, submission_id=identifier)
        return PreparedSubmission(identifier, form_id, key_version, payload)

    def send(self, prepared: PreparedSubmission) -> AcceptedSubmission:
        """Sends it, again after a lost connection: the server takes one id once. It can be called again too."""
        body = {"id": prepared.id, "payload": prepared.payload, "keyVersion": prepared.key_version}
        path = {"form_id": prepared.form_id}
        answer = self._call("POST /api/forms/{form_id}/submissions", path, body=body, is_repeatable=True)["submission"]
        return AcceptedSubmission(answer["id"], answer["timestamp"], answer["receivedAt"])

    def bin(self, form_id: str) -> Iterator[BinnedSubmission]:
        """What is in the form's bin, the latest first, page after page."""

        def load(cursor: str | None) -> tuple[Sequence[BinnedSubmission], str | None]:
            query = {"limit": 100, "cursor": cursor}
            page = self._call("GET /api/forms/{form_id}/submissions/bin", {"form_id": form_id}, query)
            return [_parse_binned(value) for value in page["submissions"]], page["nextCursor"]

        return each_of(load)

    def move_to_bin(self, form_id: str, ids: Sequence[str]) -> int:
        """Moves these to the form's bin; where its `binDays` is 0 they are deleted. How many there were."""
        answers = self._each_part("POST /api/forms/{form_id}/submissions/bin", form_id, ids)
        return sum(answer["binned"]["submissionsBinned"] + answer["binned"]["submissionsDeleted"] for answer in answers)

    def restore(self, form_id: str, ids: Sequence[str]) -> int:
        """Restores these from the form's bin. How many there were."""
        answers = self._each_part("POST /api/forms/{form_id}/submissions/bin/restore", form_id, ids)
        return sum(answer["restored"]["submissionsRestored"] for answer in answers)

    def empty_bin(self, form_id: str, before: int | None = None) -> int:
        """Deletes for good what was moved to the form's bin before this time, or all of it. How many there were."""
        query = {"confirm": "EMPTY_BIN", "before": before}
        answer = self._call("DELETE /api/forms/{form_id}/submissions/bin", {"form_id": form_id}, query)
        return int(answer["deleted"]["submissionsDeleted"])

    def delete(self, form_id: str, submission_id: str) -> None:
        """Deletes one for good, at once."""
        path = {"form_id": form_id, "submission_id": submission_id}
        self._call("DELETE /api/forms/{form_id}/submissions/{submission_id}", path)

    def delete_many(self, form_id: str, ids: Sequence[str]) -> int:
        """Deletes these for good. How many there were."""
        answers = self._each_part("POST /api/forms/{form_id}/submissions/delete", form_id, ids)
        return sum(answer["deleted"]["submissionsDeleted"] for answer in answers)

    def delete_binned(self, form_id: str, ids: Sequence[str]) -> int:
        """Deletes those of these for good that are in the form's bin; what was restored is left. How many there were."""
        only = {"onlyInBin": True}
        answers = self._each_part("POST /api/forms/{form_id}/submissions/delete", form_id, ids, only)
        return sum(answer["deleted"]["submissionsDeleted"] for answer in answers)

    def delete_before(self, form_id: str, before: int) -> int:
        """Deletes for good what was received before this time. How many there were."""
        query = {"confirm": "DELETE_SUBMISSIONS", "before": before}
        answer = self._call("DELETE /api/forms/{form_id}/submissions", {"form_id": form_id}, query)
        return int(answer["deleted"]["submissionsDeleted"])

    def _each_part(
        self, operation: str, form_id: str, ids: Sequence[str], more: Mapping[str, Any] | None = None
    ) -> Iterator[Any]:
        for place in range(0, len(ids), _ids_max):
            yield self._call(
                operation, {"form_id": form_id}, body={"ids": [*ids[place : place + _ids_max]], **(more or {})}
            )


def parse_submission(value: Any) -> Submission:
    """The submission in an answer, and nothing else of it. Raises an ApiError for anything else."""
    return Submission(*_members(value))


def _parse_binned(value: Any) -> BinnedSubmission:
    if not isinstance(value, dict):
        _unexpected()
    times = (_whole(value.get(name), _time_max) for name in ("binnedAt", "purgeAt"))
    return BinnedSubmission(*_members(value), *times)


def _members(value: Any) -> tuple[str, str, dict[str, Any], int, int, int]:
    if (
        not isinstance(value, dict)
        or not is_id("submission", value.get("id"))
        or not is_id("form", value.get("formId"))
    ):
        _unexpected()
    try:
        payload = parse_payload(value.get("payload"))
    except ValueError:
        _unexpected()
    timestamp, received_at = (_whole(value.get(name), _time_max) for name in ("timestamp", "receivedAt"))
    return value["id"], value["formId"], payload, _whole(value.get("keyVersion"), 2**53 - 1), timestamp, received_at


def _whole(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > most:
        _unexpected()
    return value


def _unexpected() -> NoReturn:
    raise ApiError("The server's answer holds something that is no submission", status=200)
