import json
import time
from itertools import permutations
from typing import Any

import pytest
from played_server import Answer, play
from vectors import keys

from sealpost import ApiError, Client, PreparedSubmission, create_id, seal
from sealpost._calls import Calls
from sealpost.api_error import parse_api_error

form_id = create_id("form")


class Sleeps(list[float]):
    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def calls_to(url: str, sleeps: Sleeps, **options: Any) -> Calls:
    return Calls(url, "sp_secret", **{"timeout": 30, "retries": 3, "wait_max": 60, "sleep": sleeps, **options})


def submission(place: int) -> dict[str, Any]:
    payload = {"encrypted": True, "version": "sp1", "data": "", "key": "", "iv": ""}
    times = {"timestamp": place, "receivedAt": place}
    return {"id": create_id("submission"), "formId": form_id, "payload": payload, "keyVersion": 1, **times}


def test_a_request_over_the_limit_waits_as_long_as_the_server_says_whatever_it_is() -> None:
    sleeps = Sleeps()
    limited = Answer(429, {"error": "rate_limited", "message": "Slow", "retryAfter": 7}, {"Retry-After": "7"})
    with play(limited, limited, Answer(body={"form": {"id": "x"}})) as server:
        assert calls_to(server.url, sleeps).call("POST /api/forms", body={"name": "x"}) == {"form": {"id": "x"}}
    assert sleeps == [7, 7]
    assert [request.body for request in server.requests] == [b'{"name": "x"}'] * 3


def test_a_wait_that_is_too_long_and_the_last_attempt_raise() -> None:
    sleeps = Sleeps()
    late = Answer(503, {"error": "unavailable", "message": "Full", "code": "quota_reached"}, {"Retry-After": "3600"})
    with play(late) as server, pytest.raises(ApiError) as raised:
        calls_to(server.url, sleeps).call("GET /api/forms")
    assert (raised.value.code, raised.value.reason, raised.value.retry_after) == ("unavailable", "quota_reached", 3600)
    with play(*[Answer(drops=True)] * 4) as server, pytest.raises(ConnectionError):
        calls_to(server.url, sleeps).call("GET /api/forms")
    assert len(server.requests) == 4
    assert len(sleeps) == 3 and all(0.5 <= seconds <= 8 * 1.25 for seconds in sleeps)


def test_only_what_can_be_repeated_is_repeated_after_a_lost_connection() -> None:
    whole = {"forms": [], "total": 0, "nextCursor": None}
    for lost in (Answer(drops=True), Answer(503, b""), Answer(body={"x": 1}, announced=5)):
        for operation, count in (
            ("GET /api/forms", 2),
            ("PUT /api/x", 2),
            ("POST /api/forms", 1),
            ("DELETE /api/x", 1),
        ):
            with play(lost, Answer(body=whole)) as server:
                calls = calls_to(server.url, Sleeps())
                if count == 1:
                    with pytest.raises((ApiError, OSError)):
                        calls.call(operation)
                else:
                    assert calls.call(operation) == whole
            assert len(server.requests) == count, (operation, lost)


def test_a_submission_is_sent_again_with_the_same_bytes() -> None:
    identifier = create_id("submission")
    place: dict[str, Any] = {"form_id": form_id, "key_version": 1, "submission_id": identifier}
    prepared = PreparedSubmission(identifier, form_id, 1, seal({"a": 1}, keys["first"]["publicKey"], **place))
    accepted = {"success": True, "submission": {"id": identifier, "timestamp": 1, "receivedAt": 2}}
    with play(Answer(drops=True), Answer(201, accepted)) as server:
        assert Client(server.url).submissions.send(prepared).received_at == 2
    first, second = server.requests
    assert first.body == second.body and json.loads(first.body)["id"] == identifier
    assert "authorization" not in first.headers


def test_nothing_is_sealed_to_another_key_than_the_expected_one() -> None:
    public = {"id": form_id, "publicKey": keys["second"]["publicKey"], "keyVersion": 1}
    with play(Answer(body={"form": public})) as server, pytest.raises(ValueError, match="another key"):
        Client(server.url).submissions.prepare(form_id, {}, expected_fingerprint=keys["first"]["fingerprint"])


def test_a_redirect_is_not_followed() -> None:
    with play(Answer(body={})) as other, play(Answer(302, {}, {"Location": other.url})) as server:
        with pytest.raises(ApiError) as raised:
            Client(server.url, "sp_secret").forms.list()
        assert (raised.value.status, raised.value.code) == (302, "unexpected_answer")
    assert other.requests == [] and server.requests[0].headers["authorization"] == "Bearer sp_secret"


def test_pages_are_fetched_while_they_are_consumed() -> None:
    page = {"submissions": [submission(1), submission(2)], "total": 3, "nextCursor": "two"}
    last = {"submissions": [submission(3)], "total": 3, "nextCursor": None}
    with play(Answer(body=page), Answer(body=last)) as server:
        found = Client(server.url).submissions.all(form_id, start=5)
        assert server.requests == []
        assert next(found).received_at == 1 and len(server.requests) == 1
        assert [each.received_at for each in found] == [2, 3]
    assert [request.path.split("?")[1] for request in server.requests] == [
        "limit=100&from=5",
        "limit=100&cursor=two&from=5",
    ]


def test_a_list_without_an_end_and_an_answer_of_something_else_are_errors() -> None:
    circle = Answer(body={"forms": [], "total": 0, "nextCursor": "again"})
    with play(circle, circle) as server, pytest.raises(ApiError, match="no end"):
        list(Client(server.url).forms.all())
    for body in (b"<html>", b'{"submissions": [{}], "total": 1, "nextCursor": null}'):
        with play(Answer(body=body)) as server, pytest.raises(ApiError) as raised:
            Client(server.url).submissions.list(form_id)
        assert raised.value.code == "unexpected_answer"


def test_an_export_that_ends_early_raises() -> None:
    submissions = [submission(place) for place in range(3)]
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in submissions)
    with play(Answer(body=lines, headers={"Sealpost-Last-Submission": submissions[-1]["id"]})) as server:
        assert [each.received_at for each in Client(server.url).submissions.export(form_id)] == [0, 1, 2]
    with play(Answer(body=lines[:-40])) as server, pytest.raises(ApiError):
        list(Client(server.url).submissions.export(form_id))
    for cut in (Answer(body=lines, announced=9), Answer(body=lines, is_cut_chunk=True)):
        with play(cut) as server, pytest.raises(ConnectionError):
            list(Client(server.url).submissions.export(form_id))


def test_an_export_that_a_proxy_ends_at_the_end_of_a_line_is_whole() -> None:
    submissions = [submission(place) for place in range(3)]
    last = submissions[-1]["id"]
    for headers, asked in (({"Sealpost-Last-Submission": last}, 3), ({}, 4)):
        lines = [Answer(body=json.dumps(each).encode() + b"\n", headers=headers) for each in submissions]
        with play(*lines, Answer(body=b"")) as server:
            found = list(Client(server.url).submissions.export(form_id, end=5))
        assert [each.received_at for each in found] == [0, 1, 2]
        paths = [f"?to=5&after={each['id']}" for each in submissions]
        assert [request.path[request.path.index("?") :] for request in server.requests] == ["?to=5", *paths][:asked]
    named = {"Sealpost-Last-Submission": last}
    whole = Answer(body=json.dumps(submissions[-1]).encode() + b"\n", headers=named)
    cut = Answer(body=b"", headers=named)
    complete: tuple[tuple[Answer, ...], ...] = ((whole,), (cut, whole))
    for answers in complete:
        with play(*answers) as server:
            assert [each.id for each in Client(server.url).submissions.export(form_id)] == [last]
    with play(cut, cut) as server, pytest.raises(ApiError, match="before its first line"):
        list(Client(server.url).submissions.export(form_id))
    with play(cut, Answer(body=b"")) as server:
        assert list(Client(server.url).submissions.export(form_id)) == []
    again = Answer(body=json.dumps(submissions[0]).encode() + b"\n")
    with play(again, again) as server, pytest.raises(ApiError, match="twice"):
        list(Client(server.url).submissions.export(form_id))


def test_a_silent_server_is_a_timeout_and_an_absent_one_a_connection_error() -> None:
    with play(Answer(body=b"{}", announced=5)) as server:
        url = server.url
        with pytest.raises(OSError):
            Client(url, retries=0, timeout=5).forms.list()
    with pytest.raises(ConnectionError):
        Client(url, retries=0).forms.list()


def test_what_would_reach_another_resource_is_not_sent() -> None:
    with play() as server:
        client = Client(server.url)
        for wrong in ("", "..", "a/b", "x?y", "é"):
            with pytest.raises(ValueError, match="Not an id"):
                client.submissions.delete(form_id, wrong)
    assert server.requests == []


def test_an_address_or_a_token_that_cannot_be_used_is_reported_at_once_and_no_token_is_shown() -> None:
    for address in ("", "forms.example.org", "ftp://x", "https://a:b@x", "https://x?y", "https://x#y", "https://x\n"):
        with pytest.raises(ValueError, match="base_url must be"):
            Client(address)
    with pytest.raises(ValueError) as raised:
        Client("https://forms.example.org", "sp_secret\n")
    assert "secret" not in str(raised.value)


def test_errors_have_the_members_of_either_shape() -> None:
    body = (
        b'{"error": "bad_request", "message": "Invalid request", "code": "invalid_request", "details": {"name": "No"}}'
    )
    error = parse_api_error(400, {"x-request-id": "r1"}, body, 0)
    assert (error.code, error.reason, error.details, error.request_id) == (
        "bad_request",
        "invalid_request",
        {"name": "No"},
        "r1",
    )
    sentence = parse_api_error(429, {"retry-after": "3"}, b'{"error": "Too many requests."}', 0)
    assert (str(sentence), sentence.code, sentence.retry_after) == ("Too many requests.", "rate_limited", 3)
    date = parse_api_error(503, {"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, b"", 40)
    assert date.retry_after == 60
    for odd in ("soon", "-1", "NaN", "", "9" * 400):
        assert parse_api_error(503, {"retry-after": odd}, b"[" * 5000, time.time()).retry_after is None


def test_a_key_is_limited_and_ends_as_asked_and_sessions_are_listed_and_ended() -> None:
    key = Answer(body={"key": {"id": "key_1"}, "warning": "", "warningCode": ""})
    sessions = Answer(body={"sessions": [{"id": "s1", "current": True}], "total": 1})
    with play(key, key, sessions, Answer(body={"success": True}), Answer(body={"ended": 2})) as server:
        client = Client(server.url, "token")
        client.account.create_api_key("One", forms=[form_id], expires_at="2027-01-01T00:00:00Z")
        client.account.create_api_key("All")
        assert client.sessions.list()["sessions"][0]["current"]
        client.sessions.end("s1")
        assert client.sessions.end_others() == 2
    bodies = [json.loads(request.body) for request in server.requests[:2]]
    assert bodies == [{"name": "One", "forms": [form_id], "expiresAt": "2027-01-01T00:00:00Z"}, {"name": "All"}]


@pytest.mark.parametrize("versions", [order for count in (2, 3) for order in permutations(range(1, count + 1))])
def test_keys_are_newest_first_and_envelopes_by_version_in_whatever_order_they_come(versions: tuple[int, ...]) -> None:
    listed = {"keys": [{"version": version} for version in versions]}
    envelopes = {
        "envelopes": [{"lowestVersion": version} for version in versions],
        "removals": [],
        "restorableUntil": None,
    }
    with play(Answer(body=listed), Answer(body=listed), Answer(body=envelopes)) as server:
        forms = Client(server.url, "sp_secret").forms
        newest_first = sorted(versions, reverse=True)
        assert [key["version"] for key in forms.keys(form_id)] == newest_first
        assert [key["version"] for key in forms.close_keys(form_id, below=2, at=None)] == newest_first
        assert [one["lowestVersion"] for one in forms.envelopes(form_id)] == sorted(versions)
