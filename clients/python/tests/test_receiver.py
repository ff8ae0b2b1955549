import json
from pathlib import Path
from typing import Any

import pytest
from vectors import keys, read_vectors

from sealpost import (
    FormKeysRotated,
    FormUpdated,
    HeadersLike,
    NotOpened,
    NotVerified,
    Opened,
    Received,
    Receiver,
    SubmissionCreated,
    SubmissionDeleted,
    UnknownEvent,
    create_id,
    create_webhook_secret,
    load_key,
    parse_key,
    sign_standard,
)

secret = create_webhook_secret()
moment = 1_704_067_200
vector = read_vectors("good")[0]
form = {"id": vector["formId"], "name": "Zoë"}
times = {"timestamp": 1, "receivedAt": 2}
sealed = {"id": vector["submissionId"], "payload": vector["payload"], "keyVersion": vector["keyVersion"], **times}
plain = {**sealed, "payload": {"encrypted": False, "version": "plain1", "fields": {"a": 1}}}
opening_key = parse_key(keys["first"]["privateKey"])


def receive(body: bytes, *, with_keys: bool = True, accept_plain: bool | None = None) -> Received | NotVerified:
    signature = sign_standard(secret, "dlv_1", moment, body)
    headers: HeadersLike = {
        "webhook-id": "dlv_1",
        "webhook-timestamp": str(moment),
        "webhook-signature": signature,
    }
    opening = [opening_key] if with_keys else []
    return Receiver(secret, opening, accept_plain=accept_plain, clock=lambda: moment).receive(headers, body)


def event_of(name: str, **members: object) -> bytes:
    return json.dumps({"event": name, "timestamp": 5, "form": form, "new": 1, **members}).encode()


def received(body: bytes, **options: Any) -> Received:
    result = receive(body, **options)
    assert isinstance(result, Received)
    assert (result.delivery_id, result.sent_at) == ("dlv_1", moment * 1000)
    return result


def test_a_sealed_submission_arrives_opened() -> None:
    result = received(event_of("submission.created", submission=sealed))
    assert result.opened == Opened(json.loads(vector["plaintext"]))
    assert isinstance(result.event, SubmissionCreated)
    assert (result.event.submission.received_at, result.event.form.name, result.event.test) == (2, "Zoë", False)
    unlabelled = received(event_of("submission.created", submission=sealed), with_keys=False)
    assert isinstance(unlabelled.opened, NotOpened) and unlabelled.opened.reason == "no_key"


def test_a_submission_that_nobody_sealed_is_only_taken_by_who_expects_it() -> None:
    body = event_of("submission.created", submission=plain)
    refused = received(body)
    assert isinstance(refused.opened, NotOpened) and refused.opened.reason == "not_sealed"
    for options in ({"with_keys": False}, {"accept_plain": True}):
        assert received(body, **options).opened == Opened({"a": 1}, sealed=False)
    assert isinstance(received(body, with_keys=False, accept_plain=False).opened, NotOpened)


@pytest.mark.parametrize("given", read_vectors("webhook-receivers"), ids=lambda given: given["name"])
def test_a_secret_speaks_for_its_own_form_alone_as_its_vector_says(given: dict[str, Any]) -> None:
    names = {"webhook-id": "id", "webhook-timestamp": "timestamp", "webhook-signature": "signature"}
    headers = ((name, given[member]) for name, member in names.items())  # pairs that can be looked at once
    result = Receiver(given["secrets"], [], clock=lambda: given["now"]).receive(headers, given["body"])
    assert (result.reason if isinstance(result, NotVerified) else "received") == given["outcome"]


def test_every_other_event_has_its_type() -> None:
    deleted = received(event_of("submission.deleted", submission={"id": "sub_x"}, test=True)).event
    assert isinstance(deleted, SubmissionDeleted) and deleted.submission_id == "sub_x" and deleted.test
    updated = received(event_of("form.updated", changes={"settings": {"binDays": 3}})).event
    assert isinstance(updated, FormUpdated) and updated.settings == {"binDays": 3} and updated.name is None
    rotated_keys = {"keyVersion": 2, "previousKeyVersion": 1, "publicKey": {"kty": "RSA"}, "rotatedAt": 9}
    rotated = received(event_of("form.keys_rotated", keys=rotated_keys)).event
    assert isinstance(rotated, FormKeysRotated) and rotated.keys.key_version == 2
    assert rotated.keys.hybrid_public_key is None
    with_hybrid = received(
        event_of("form.keys_rotated", keys={**rotated_keys, "hybridPublicKey": {"kty": "AKP"}})
    ).event
    assert isinstance(with_hybrid, FormKeysRotated) and with_hybrid.keys.hybrid_public_key == {"kty": "AKP"}
    unknown = received(b'{"event": "file.created", "more": 1}').event
    assert isinstance(unknown, UnknownEvent) and unknown.name == "file.created"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"event": "submission.created"}',
        event_of("submission.created"),
        event_of("submission.created", submission={**sealed, "keyVersion": True}),
        event_of("submission.created", submission={**sealed, "keyVersion": 0}),
        event_of("submission.created", submission={**sealed, "payload": {}}),
        event_of("submission.created", submission={**sealed, "payload": {**vector["payload"], "data": 1}}),
        event_of("submission.deleted", submission=[]),
        event_of("form.updated", changes=[]),
        event_of("form.updated", changes={"name": 1}),
        event_of("form.keys_rotated", keys={}),
        event_of("form.updated", changes={}, form={"id": 1, "name": ""}),
    ],
)
def test_a_signed_body_that_is_not_an_event_is_malformed(body: bytes) -> None:
    result = receive(body)
    assert isinstance(result, NotVerified) and result.reason == "malformed_body"


def test_a_receiver_that_could_not_do_its_work_is_not_made_and_no_secret_is_shown() -> None:
    form_id, other_id = form["id"], create_id("form")
    wrong_secrets: list[Any] = [
        [],
        [secret],
        {},
        None,
        secret + "\n",
        "whsec_AAAA",
        "whsec_",
        {form_id: []},
        {form_id: None},
        {form_id: [secret, "whsec_"]},
        {secret: form_id},
        {"contact": secret},
        {form_id: secret, other_id: [secret]},
        {form_id: [secret, secret]},
    ]
    for secrets in wrong_secrets:
        with pytest.raises(ValueError) as raised:
            Receiver(secrets, [opening_key])
        assert secret[8:] not in str(raised.value)
    wrong: Any = [keys["first"]["privateKey"]]
    with pytest.raises(ValueError, match="load_key"):
        Receiver(secret, wrong)


def test_a_key_file_is_read_and_a_damaged_one_refused_without_showing_the_key(tmp_path: Path) -> None:
    path = tmp_path / "my.key.json"
    private = keys["first"]["privateKey"]
    file = {"sealpost": "private-key", "version": 1, "formId": form["id"], "keyVersion": 1, "privateKey": private}
    path.write_text(json.dumps({**file, "fingerprint": keys["first"]["fingerprint"]}))
    loaded = load_key(path)
    assert (loaded.form_id, loaded.key_version, loaded.fingerprint) == (form["id"], 1, keys["first"]["fingerprint"])
    for encoding in ("utf-8-sig", "utf-16"):  # as editors and Windows PowerShell write it
        path.write_text(json.dumps({**file, "formName": "Zoë"}), encoding=encoding)
        assert load_key(path).fingerprint == keys["first"]["fingerprint"]
    path.write_bytes(b"\xfe\xff" + json.dumps(file).encode("utf-16-be"))
    assert load_key(path).form_id == form["id"]
    hybrid = keys["hybrid first"]["privateKey"]
    damaged: list[tuple[object, str]] = [
        ({**file, "version": 2}, "newer format"),
        ({**file, "fingerprint": keys["second"]["fingerprint"]}, "another key"),
        ({**file, "keyVersion": 0}, "keyVersion"),
        ({**file, "formId": ""}, "formId"),
        ({**file, "privateKey": keys["first"]["publicKey"]}, "public key"),
        ({name: value for name, value in private.items() if name != "qi"}, "lacks qi"),
        ({**private, "n": keys["second"]["privateKey"]["n"]}, "do not fit"),
        ({**private, "d": private["d"] + "="}, "do not fit"),
        ({**hybrid, "pub": keys["hybrid second"]["publicKey"]["pub"]}, "do not fit"),
        (keys["hybrid first"]["publicKey"], "public key"),
        ({**hybrid, "priv": "AAAA"}, "do not fit"),
        ([], "not a private key"),
        ("text", "not a private key"),
    ]
    for value, message in damaged:
        path.write_text(json.dumps(value))
        with pytest.raises(ValueError, match=message) as raised:
            load_key(path)
        assert str(raised.value).startswith(str(path)) and private["d"][:20] not in str(raised.value)
    path.write_bytes(b"age-encryption.org/v1\n-> scrypt")
    with pytest.raises(ValueError, match="passphrase"):
        load_key(path)
    path.write_bytes(b"{")
    with pytest.raises(ValueError, match="not JSON"):
        load_key(path)
