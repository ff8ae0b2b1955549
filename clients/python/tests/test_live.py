"""Against a real service (`npm run test:clients`)."""

import base64
import functools
import hashlib
import inspect
import json
import os
import re
import urllib.request
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import pytest
from conftest import LiveService
from test_readme import blocks, run

import sealpost
from sealpost import ApiError, Client, Opened, Received, Receiver, SubmissionCreated, fingerprint, types


@pytest.fixture
def client(live: LiveService) -> Client:
    return Client(live.url, live.api_key)


@pytest.fixture(scope="session")
def document(live: LiveService) -> Any:
    with urllib.request.urlopen(f"{live.url}/api/openapi.json") as response:
        return json.load(response)


def test_a_webhook_that_the_service_sent_is_verified_and_opened(live: LiveService) -> None:
    headers, body = live.webhook["headers"], base64.b64decode(live.webhook["body"])
    moment = int(headers["webhook-timestamp"])
    result = Receiver(live.webhook_secret, [live.key], clock=lambda: moment).receive(headers, body)
    assert isinstance(result, Received) and isinstance(result.event, SubmissionCreated)
    assert result.event.form.id == live.form_id
    assert result.opened == Opened(live.submissions[result.event.submission.id])
    assert sealpost.verify_service([live.webhook_secret], body, headers["x-service-signature"])
    assert not Receiver(live.webhook_secret, [live.key], clock=lambda: moment).receive(headers, body + b" ").verified


def test_every_submission_is_listed_exported_and_opened(live: LiveService, client: Client) -> None:
    assert len(live.submissions) > 100
    opened = list(client.submissions.open(live.form_id, [live.key]))
    found = {each.submission.id: each.result.fields for each in opened if each.result.opened}
    assert found == live.submissions
    listed = [each.id for each in client.submissions.all(live.form_id)]
    assert listed == [each.submission.id for each in opened][::-1]
    page = client.submissions.list(live.form_id, limit=2)
    assert (len(page.submissions), page.total) == (2, len(live.submissions))
    rest = list(client.submissions.export(live.form_id, after=opened[99].submission.id))
    assert [each.id for each in rest] == listed[::-1][100:]
    assert client.submissions.get(live.form_id, listed[0]) == page.submissions[0]


def test_what_is_sent_is_stored_once_and_deleted_for_good(live: LiveService, client: Client) -> None:
    form = client.forms.create("Made in Python", public_key=client.forms.get(live.form_id)["publicKey"])
    try:
        expected = live.key.fingerprint
        assert fingerprint(form["publicKey"]) == expected
        prepared = client.submissions.prepare(form["id"], {"name": "Zoë 😀"}, expected_fingerprint=expected)
        assert client.submissions.send(prepared) == client.submissions.send(prepared)
        key = sealpost.OpeningKey(expected, None, None, live.key.key)
        assert [each.result for each in client.submissions.open(form["id"], [key])] == [Opened({"name": "Zoë 😀"})]
        assert client.submissions.move_to_bin(form["id"], [prepared.id]) == 1
        assert [each.id for each in client.submissions.bin(form["id"])] == [prepared.id]
        assert client.submissions.restore(form["id"], [prepared.id]) == 1
        assert client.submissions.delete_binned(form["id"], [prepared.id]) == 0
        assert client.submissions.delete_many(form["id"], [prepared.id]) == 1
        assert list(client.submissions.all(form["id"])) == []
    finally:
        client.forms.delete(form["id"])


def test_forms_are_listed_changed_and_described(live: LiveService, client: Client) -> None:
    assert live.form_id in [form["id"] for form in client.forms.all()]
    changed = client.forms.update(live.form_id, settings={"binDays": 3})
    assert changed["settings"]["binDays"] == 3
    assert [key["fingerprint"] for key in client.forms.keys(live.form_id)] == [live.key.fingerprint]
    assert client.forms.prove_key(live.form_id, 1)["provedAt"] is not None
    assert client.forms.set_retention(live.form_id, 9) == client.forms.retention(live.form_id) == 9
    assert client.forms.set_retention(live.form_id, None) is None
    assert client.forms.stats(live.form_id, period="day")["stats"]["totalSubmissions"] == len(live.submissions)
    assert client.webhooks.secret(live.form_id)["secret"] == live.webhook_secret
    deliveries = list(client.webhooks.all_logs(live.form_id, status="success"))
    assert client.webhooks.log(live.form_id, deliveries[0]["id"])["attempts"][0]["number"] == 1
    assert any(form["id"] == live.form_id for form in client.account.usage()["forms"])


def test_organizations_members_and_invitations(live: LiveService) -> None:
    client = Client(live.url, live.session_token)
    council = client.organizations.create("Council")
    assert (council["role"], council["forms"], council["current"]) == ("owner", None, False)
    assert council["id"] in [each["id"] for each in client.organizations.list()["organizations"]]
    with pytest.raises(ApiError) as changed:
        Client(live.url, live.session_token, organization=council["id"]).forms.list()
    assert changed.value.reason == "organization_changed"
    with pytest.raises(ValueError):
        Client(live.url, organization="acc_1\r\nHost: example.org")
    created = client.invitations.create("python@example.com", "reader", forms=[live.form_id])
    assert created["invitation"]["forms"] == [live.form_id] and "#" in created["url"]
    invitation_id = created["invitation"]["id"]
    assert [each["id"] for each in client.invitations.list()["invitations"]] == [invitation_id]
    client.invitations.revoke(invitation_id)
    owner = client.members.list()["members"][0]
    assert client.members.change(owner["id"], role="owner") == owner
    for refused in (
        lambda: client.members.leave(),
        lambda: client.members.remove(owner["id"]),
        lambda: client.invitations.accept("token"),
        lambda: client.organizations.switch_to("acc_unknown"),
        lambda: client.organizations.rename(""),
        lambda: client.forms.hand_over(live.form_id, "acc_unknown"),
    ):
        with pytest.raises(ApiError) as refusal:
            refused()
        assert refusal.value.reason


def test_refusals_are_errors_with_their_codes(live: LiveService, client: Client) -> None:
    with pytest.raises(ApiError) as missing:
        client.forms.get(sealpost.create_id("form"))
    assert (missing.value.status, missing.value.code, missing.value.message) == (404, "not_found", "Form not found")
    with pytest.raises(ApiError) as invalid:
        client.forms.update(live.form_id, settings={"webhookUrl": "http://x"})
    assert invalid.value.details is not None and "webhookUrl" in invalid.value.details
    with pytest.raises(ApiError) as unknown:
        Client(live.url, "sp_wrong").forms.list()
    assert unknown.value.code == "unauthorized" and unknown.value.request_id


def test_an_envelope_is_read_as_its_bytes(live: LiveService, client: Client) -> None:
    [listed] = client.forms.envelopes(live.form_id)
    data = client.forms.envelope(live.form_id, listed["lowestVersion"])
    assert data.startswith(b"age-encryption.org/v1\n") and len(data) == listed["bytes"]
    assert base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") == listed["hash"]
    assert client.forms.envelope(live.form_id, 1, revision=1) == data
    revisions = client.forms.envelope_revisions(live.form_id, 1)
    assert [(one["revision"], one["hash"]) for one in revisions["revisions"]] == [(1, listed["hash"])]
    assert revisions["nextCursor"] is None
    with pytest.raises(ApiError) as missing:
        client.forms.envelope(live.form_id, 1, revision=2)
    assert missing.value.code == "not_found"
    with pytest.raises(ApiError) as none:
        client.members.signed_list()
    assert none.value.message == "This organization has no signed list of members yet"


@pytest.mark.skipif("SEALPOST_TEST_AGE" not in os.environ, reason="needs the program age: npm run test:clients")
def test_the_readme_s_lines_read_the_keys_of_an_envelope_with_age(live: LiveService) -> None:
    (block,) = (block for block in blocks if "def read_keys" in block)
    client = Client(live.url, os.environ["SEALPOST_ENVELOPE_TOKEN"])
    form_id = os.environ["SEALPOST_ENVELOPE_FORM_ID"]
    keys = run(block)["read_keys"](client, form_id, os.environ["SEALPOST_IDENTITY_FILE"])
    assert [key.key_version for key in keys] == [1, 2]
    webhooks = json.loads(Path(os.environ["SEALPOST_ENVELOPE_WEBHOOKS_FILE"]).read_text(encoding="utf-8"))
    for version, webhook in enumerate(webhooks, 1):
        clock = functools.partial(int, webhook["headers"]["webhook-timestamp"])
        receiver = Receiver(os.environ["SEALPOST_ENVELOPE_SECRET"], keys, clock=clock)
        result = receiver.receive(webhook["headers"], base64.b64decode(webhook["body"]))
        assert isinstance(result, Received) and result.opened == Opened({"name": f"Zoë, version {version}"})


def test_the_types_have_the_members_of_the_service_s_document(document: Any) -> None:
    compared = 0
    for name, schema in document["components"]["schemas"].items():
        ours = getattr(types, name, None)
        if ours is not None and is_typeddict(ours):
            compared += 1
            assert set(get_type_hints(ours)) == set(schema["properties"]), name
            assert ours.__required_keys__ == set(schema.get("required", [])), name
    assert compared > 15
    assert set(get_type_hints(types.FormSettingsInput)) == set(get_type_hints(types.FormSettings))


def test_every_operation_of_the_document_has_a_method(document: Any) -> None:
    folder = Path(inspect.getfile(sealpost)).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    ours = set(re.findall(r'"((?:GET|POST|PUT|PATCH|DELETE) /api/[^"]+)"', sources))
    operations = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert len(ours) > 30
    assert ours - operations == set()
    # What signing in, health and the document itself need no client for has no form, account, key or
    # organization in its path; and who asks what a link invites to is not signed in.
    needed = r"\w+ /api/(forms|usage|notifications|api-keys|audit-log|organizations?|members|invitations(?!/find))\b"
    theirs = {name for name in operations if re.match(needed, name)}
    # Nothing in Python makes envelopes, or checks and continues key logs, so nothing here stores or removes them.
    # Pages report refused keys.
    writing = (
        r"(POST /api/forms/reservations|(PUT|POST|DELETE) /api/forms/\{form_id\}/envelopes\b.*"
        r"|\w+ /api/forms/\{form_id\}/keys/log|POST /api/forms/\{form_id\}/keys/refused)"
    )
    assert {name for name in theirs if not re.fullmatch(writing, name)} - ours == set()
