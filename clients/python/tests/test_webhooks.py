from email.message import Message
from typing import Any

import pytest
from vectors import read_vectors

from sealpost import (
    HeadersLike,
    NotVerified,
    Verified,
    create_webhook_secret,
    sign_service,
    sign_standard,
    verify,
    verify_service,
)
from sealpost.webhooks import verify_standard

signatures = read_vectors("webhook-signatures")
moment = 1704067200


@pytest.mark.parametrize("vector", read_vectors("webhook-verification"), ids=lambda vector: vector["name"])
def test_each_request_has_its_outcome(vector: dict[str, Any]) -> None:
    names = ("id", "timestamp", "signature")
    headers = {f"Webhook-{name.title()}": vector[name] for name in names if vector.get(name) is not None}
    identifier, timestamp, signature = (vector.get(name) or "" for name in names)
    body = vector["body"].encode()
    secrets = [vector["secret"]]
    assert verify_standard(secrets, identifier, timestamp, signature, body, vector["now"]) == vector["outcome"]
    result = verify(secrets, headers, body, vector["now"])
    if vector["outcome"] == "valid":
        assert result == Verified(identifier, int(timestamp) * 1000, body)
    else:
        assert isinstance(result, NotVerified)
        assert result.reason in (vector["outcome"], "missing_header")


def test_signatures_are_those_of_the_vectors() -> None:
    for vector in signatures["service"]:
        assert sign_service(vector["secret"], vector["body"].encode()) == vector["signature"]
        assert verify_service([vector["secret"]], vector["body"].encode(), vector["signature"])
    for vector in signatures["standard"]:
        body = vector["body"].encode()
        assert sign_standard(vector["secret"], vector["id"], vector["timestamp"], body) == vector["signature"]


def test_what_the_vectors_refuse_is_refused() -> None:
    for vector in signatures["refusedService"]:
        assert not verify_service([vector["secret"]], vector["body"].encode(), vector["signature"]), vector["name"]
    assert not verify_service([""], b"", None)
    for vector in signatures["refusedStandard"]:
        identifier, timestamp, signature = (vector.get(name) or "" for name in ("id", "timestamp", "signature"))
        body = vector["body"].encode()
        outcome = verify_standard([vector["secret"]], identifier, timestamp, signature, body, moment)
        assert outcome != "valid", vector["name"]


def test_headers_are_found_as_any_framework_holds_them() -> None:
    secret, body = create_webhook_secret(), b"{}"
    pairs = [
        ("Webhook-Id", "dlv_1"),
        ("webhook-timestamp", str(moment)),
        ("WEBHOOK-SIGNATURE", sign_standard(secret, "dlv_1", moment, body)),
    ]
    message = Message()
    for name, value in pairs:
        message[name] = value
    raw = [(name.encode(), value.encode()) for name, value in pairs]
    lists = {name: [value] for name, value in pairs}
    shapes: list[HeadersLike] = [dict(pairs), pairs, iter(pairs), raw, lists, message]
    for headers in shapes:
        assert verify([create_webhook_secret(), secret], headers, body, moment).verified
    assert verify([secret], pairs, "{}", moment).verified
    doubled = verify([secret], [*pairs, ("webhook-id", "dlv_1")], body, moment)
    assert isinstance(doubled, NotVerified) and doubled.reason == "invalid_signature"


def test_whatever_a_stranger_sends_is_an_answer() -> None:
    secret, body = create_webhook_secret(), b"{}"
    signature = sign_standard(secret, "dlv_1", moment, body)
    headers = {"webhook-id": "dlv_1", "webhook-timestamp": str(moment), "webhook-signature": signature}
    assert verify([secret], headers, body, float("nan")) == NotVerified(
        "timestamp_out_of_tolerance", "The request is signed, but was sent more than five minutes from now"
    )
    for change in ({"webhook-id": "\ud800"}, {"webhook-timestamp": "١٧٠٤٠٦٧٢٠٠"}, {"webhook-signature": "v1,é"}):
        assert verify([secret], {**headers, **change}, body, moment).verified is False
    assert verify([secret], {}, body).verified is False
    parsed: Any = {"event": "submission.created"}
    result = verify([secret], headers, parsed, moment)
    assert isinstance(result, NotVerified) and result.reason == "malformed_body"
    one: Any = secret
    with pytest.raises(TypeError):
        verify(one, headers, body)
