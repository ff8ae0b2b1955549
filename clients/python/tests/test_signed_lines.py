from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from signed_lines import Refusal, decode, is_usable, order, unusable_ed25519, verify, verify_key_log, verify_list
from vectors import read_vectors

lists = [*read_vectors("signed-lists"), *read_vectors("signed-lines")]
logs = read_vectors("key-logs")


def outcome_of(read: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "verified", read()
    except Refusal as refusal:
        return str(refusal), None


@pytest.mark.parametrize("vector", lists, ids=lambda vector: vector["name"])
def test_a_list_is_verified_or_refused_as_its_vector_says(vector: dict[str, Any]) -> None:
    data = base64.b64decode(vector["listBase64"]) if "listBase64" in vector else vector["list"].encode()
    outcome, result = outcome_of(lambda: verify_list(data, vector["organizationId"], vector["trust"]))
    assert outcome == vector["outcome"]
    if result is not None and "head" in vector:
        assert result == (vector["head"], sorted(vector["members"]))


@pytest.mark.parametrize("vector", logs, ids=lambda vector: vector["name"])
def test_a_key_log_is_verified_or_refused_as_its_vector_says(vector: dict[str, Any]) -> None:
    outcome, result = outcome_of(lambda: verify_key_log(vector["log"].encode(), vector["formId"], vector["head"]))
    assert outcome == vector["outcome"]
    if result is not None:
        head, entry = result
        newest = {"head": head, **{name: entry[name] for name in ("place", "key", "owners", "managers")}}
        assert newest == vector["newest"]


def test_a_signature_is_right_as_its_vector_says() -> None:
    for vector in read_vectors("ed25519"):
        key, signature = decode(vector["publicKey"]), decode(vector["signature"])
        is_formed = is_usable(key, unusable_ed25519, 1) and is_usable(signature[:32], unusable_ed25519, 1)
        assert (is_formed and int.from_bytes(signature[32:], "little") < order) == vector["isUsable"], vector["name"]
        message = decode(vector["message"])
        label, newline, line = message.partition(b"\n")
        if newline:
            outcome, _ = outcome_of(partial(verify, label.decode("latin-1"), line, signature, vector["publicKey"]))
            assert (outcome == "verified") == vector["isRight"], vector["name"]


def test_what_other_versions_wrote_is_malformed() -> None:
    signing_key = read_vectors("personal-keys")["owner"]["signingKey"]
    for vector in read_vectors("drafts"):
        data = vector["lines"].encode()
        content = json.loads(data.split(b"\n")[0])
        expected = "verified" if vector["name"].endswith(": of today") else "malformed"
        if vector["label"] == "sealpost-list/1":
            organization_id = content.get("organizationId", "")
            outcome, _ = outcome_of(partial(verify_list, data, organization_id, {"signingKey": signing_key}))
        elif vector["label"] == "sealpost-key-log/1":
            outcome, _ = outcome_of(partial(verify_key_log, data, content.get("formId", ""), None))
        else:
            continue
        assert outcome == expected, vector["name"]
