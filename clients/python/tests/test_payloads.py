import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest
from vectors import derive, key_of, keys, read_vectors

from sealpost import Fields, Opened, _hybrid, fingerprint, is_id, load_key, open_payload, parse_key, seal
from sealpost._encoding import decode_base64, encode_base64, encode_base64url, is_text_too_deep, parse_json
from sealpost.files import FileField, create_file_key, to_file_field
from sealpost.ids import create_id, encode_id
from sealpost.keys import parse_public_key
from sealpost.opening import additional_data
from sealpost.sealing import encode_fields, encrypt_text, padded_size

good = read_vectors("good")
hybrid = read_vectors("hybrid")
all_vectors = [*good, *read_vectors("hostile"), *read_vectors("foreign"), *hybrid]


def open_vector(vector: dict[str, Any]) -> Any:
    return open_payload(
        vector["payload"],
        [key_of(label) for label in vector["keys"]],
        form_id=vector["formId"],
        key_version=vector["keyVersion"],
        submission_id=vector["submissionId"],
        expected_fingerprint=vector.get("expectedFingerprint"),
    )


def expected_of(vector: dict[str, Any]) -> Opened:
    text = vector.get("text", vector.get("plaintext"))
    fields = vector["fields"] if text is None else parse_json(text.encode())
    assert isinstance(fields, dict)
    return Opened(fields, sealpost=vector.get("sealpost"))


@pytest.mark.parametrize("vector", all_vectors, ids=lambda vector: vector["name"])
def test_each_vector_has_its_outcome(vector: dict[str, Any]) -> None:
    result = open_vector(vector)
    if vector.get("outcome", "opened") == "opened":
        assert result == expected_of(vector)
        assert result.text == vector.get(
            "text", json.dumps(result.fields, ensure_ascii=False, separators=(",", ":"))
        ) or (
            # Languages write numbers such as 1e-7, and halves of surrogate pairs, each in their own way.
            result.text == vector.get("plaintext")
        )
    else:
        assert result.reason == vector["outcome"]


def test_whatever_hinders_opening_once_a_key_is_chosen_the_answer_is_the_same() -> None:
    failed = [vector for vector in all_vectors if vector.get("outcome") == "could_not_be_opened"]
    assert len(failed) > 80
    assert len({repr(open_vector(vector)) for vector in failed}) == 1


@pytest.mark.parametrize(
    "vector",
    [vector for vector in [*good, *hybrid] if "plaintext" in vector and vector["name"] != "lone surrogates"],
    ids=lambda vector: vector["name"],
)
def test_sealing_makes_the_data_of_the_vectors(vector: dict[str, Any]) -> None:
    content_key, iv = derive("content key", vector["name"]), derive("iv", vector["name"])[:12]
    version = vector["payload"]["version"]
    bound = additional_data(version, vector["formId"], vector["keyVersion"], vector["submissionId"])
    text = vector["plaintext"].encode()
    fields = json.loads(text)
    if "typed" in vector:
        with pytest.raises(ValueError, match="Sealpost itself"):
            encode_fields(fields)
        return
    assert json.loads(encode_fields(fields)) == fields
    # Languages write numbers such as 1e-7 each in their own way.
    assert encode_fields(fields) == text or vector["name"] == "other JSON values"
    data = encrypt_text(text, version, content_key, iv, bound)
    assert encode_base64(data) == vector["payload"]["data"]
    assert encode_base64(iv) == vector["payload"]["iv"]


@pytest.mark.parametrize("vector", [good[0], hybrid[0]], ids=["sp1", "sp2"])
def test_no_bit_of_a_payload_can_be_changed_and_no_member_be_that_of_another(vector: dict[str, Any]) -> None:
    draw = random.Random(1)
    for member in ("data", "key", "iv"):
        data = base64.b64decode(vector["payload"][member])
        for bit in [0, 255, 256, len(data) * 8 - 1, *(draw.randrange(len(data) * 8) for _ in range(40))]:
            changed = bytearray(data)
            changed[bit // 8 % len(data)] ^= 0x80 >> bit % 8
            payload = {**vector["payload"], member: encode_base64(bytes(changed))}
            assert not open_vector({**vector, "payload": payload}).opened, (member, bit)
    others = (hybrid if vector is hybrid[0] else good)[1:4]
    for member in ("data", "key", "iv"):
        for other in others:
            payload = {**vector["payload"], member: other["payload"][member]}
            assert not open_vector({**vector, "payload": payload}).opened, (member, other["name"])


@pytest.mark.parametrize("name", keys)
def test_what_is_sealed_to_a_key_opens_with_it_and_in_no_other_place(name: str) -> None:
    fields = {"name": "Zoë 😀", "half\ud800": "\udc00\ud83d\ude00", "list": [1, 2.5, None, True]}
    form_id, submission_id = create_id("form"), create_id("submission")
    place = {"form_id": form_id, "submission_id": submission_id}
    payload = seal(fields, keys[name]["publicKey"], key_version=2, **place)
    opening = [parse_key(keys[name]["privateKey"])]
    expected: Fields = {"name": "Zoë 😀", "half\ufffd": "\ufffd😀", "list": [1, 2.5, None, True]}
    assert open_payload(payload, opening, key_version=2, **place) == Opened(expected)
    assert not open_payload(payload, opening, key_version=1, **place).opened
    assert not open_payload(
        payload, opening, form_id=form_id, key_version=2, submission_id=create_id("submission")
    ).opened


def test_sealing_refuses_what_openers_do_not_read() -> None:
    place: dict[str, Any] = {"form_id": create_id("form"), "key_version": 1, "submission_id": create_id("submission")}
    deep: object = "x"
    for _ in range(64):
        deep = [deep]
    with pytest.raises(ValueError, match="64 levels"):
        seal({"deep": deep}, keys["first"]["publicKey"], **place)
    with pytest.raises(ValueError):
        seal({"number": float("nan")}, keys["first"]["publicKey"], **place)
    refused: list[dict[str, object]] = [
        {"$sealpost": {}},
        {"a": 1, "$$sealpost2": 2},
        {"a": {"$file": "b"}},
        {"a": [{"$oid": "b"}]},
        {"a": {"$file": {"id": "fil_1", "format": "spf1"}}},
    ]
    for fields in refused:
        with pytest.raises(ValueError, match="Sealpost itself"):
            seal(fields, keys["first"]["publicKey"], **place)
    file = to_file_field(FileField("a", "b", create_file_key(place["form_id"], place["submission_id"], 1)))
    seal({"$price": "1", "a": {"$b": 1, "$c": 2}, "photos": [file]}, keys["first"]["publicKey"], **place)
    for alone in ({"$price": "1"}, {"$file": "a"}):
        seal(alone, keys["first"]["publicKey"], **place)
    with pytest.raises(ValueError, match="Not a public key"):
        seal({}, keys["first"]["privateKey"], **place)
    public = {**keys["hybrid first"]["publicKey"], "pub": encode_base64url(b"\xff" * 1216)}
    with pytest.raises(ValueError, match="Not a usable hybrid public key"):
        seal({}, public, **place)


def test_depth_is_counted_over_the_text() -> None:
    for text in ("[" * 65, '{"a":' * 65, '{"a":"\\\\","b":' + "[" * 64, '{"a":' + "[" * 64 + "]" * 64 + ',"a":1}'):
        assert is_text_too_deep(text)
    for text in ("[" * 64, '["' + "[" * 99 + '"]', '{"a":"\\"' + "[" * 99 + '\\\\"}', "[]" * 99):
        assert not is_text_too_deep(text)


def test_without_the_key_encapsulation_sp2_is_a_format_that_cannot_be_opened_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opening = [parse_key(keys["hybrid first"]["privateKey"])]
    monkeypatch.setattr(_hybrid, "is_available", lambda: False)
    vector = hybrid[0]
    place = {"form_id": vector["formId"], "submission_id": vector["submissionId"]}
    result = open_payload(vector["payload"], opening, key_version=vector["keyVersion"], **place)
    assert not result.opened and result.reason == "unknown_version"
    with pytest.raises(ValueError, match="newer version of the package cryptography"):
        parse_key(keys["hybrid first"]["privateKey"])


def test_every_key_has_its_fingerprint() -> None:
    for pair in keys.values():
        assert fingerprint(pair["publicKey"]) == pair["fingerprint"] == parse_key(pair["privateKey"]).fingerprint


def test_public_keys_are_taken_and_refused_as_the_vectors_say() -> None:
    vectors = read_vectors("public-keys")
    for vector in vectors["accepted"]:
        parse_public_key(vector["publicKey"])
        assert fingerprint(vector["publicKey"]) == vector["fingerprint"]
    for vector in vectors["refused"]:
        with pytest.raises(ValueError):
            parse_public_key(vector["publicKey"])


def test_every_size_has_its_padded_size() -> None:
    for vector in read_vectors("padding"):
        assert padded_size(vector["size"]) == vector["padded"], vector


def test_ids_are_written_taken_and_refused_as_the_vectors_say() -> None:
    vectors = read_vectors("ids")
    for vector in vectors["accepted"]:
        kind = snake_case(vector["kind"])
        assert encode_id(kind, int(vector["uuid"].replace("-", ""), 16)) == vector["id"]
        assert is_id(kind, vector["id"])
        created = create_id(kind, vector["milliseconds"])
        assert is_id(kind, created) and created[:-16] == vector["id"][:-16]
    for vector in vectors["refused"]:
        assert not is_id(snake_case(vector["kind"]), vector["text"]), vector["name"]
    assert not is_id("form", create_id("form") + "\n")


def snake_case(kind: str) -> Any:
    return "api_key" if kind == "apiKey" else kind


def test_base64_is_canonical_or_nothing() -> None:
    assert decode_base64("AAE=") == b"\0\1"
    for text in ("AAF=", "AAE", "AAE==", "AA E=", "AAE=\n", "AA-_", "AAE=AAE=", "====", "=", "é", None, b"AAE="):
        assert decode_base64(text) is None, text


@pytest.mark.parametrize("vector", read_vectors("key-files"), ids=lambda vector: vector["name"])
def test_key_files_are_taken_and_refused_as_the_vectors_say(vector: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text(vector["file"], encoding="utf-8")
    if vector["outcome"] == "taken":
        assert load_key(path).fingerprint == vector["fingerprint"]
        return
    with pytest.raises(ValueError) as refused:
        load_key(path)
    assert ("newer format" in str(refused.value)) == (vector["outcome"] == "newer_format")
    assert not any(pair["privateKey"]["d"][:12] in str(refused.value) for pair in read_vectors("keys").values())


rsa_pair, hybrid_pair = keys["first"], keys["hybrid first"]
key_file: dict[str, Any] = {
    "sealpost": "private-key",
    "version": 1,
    "keyVersion": 2,
    "fingerprint": rsa_pair["fingerprint"],
    "privateKey": rsa_pair["privateKey"],
    "hybridFingerprint": hybrid_pair["fingerprint"],
    "hybridPrivateKey": hybrid_pair["privateKey"],
}


@pytest.mark.parametrize("pair", [rsa_pair, hybrid_pair])
def test_a_key_file_of_both_keys_opens_what_is_sealed_to_either(pair: dict[str, Any]) -> None:
    opening = [parse_key(key_file)]
    place: dict[str, Any] = {"form_id": create_id("form"), "key_version": 2, "submission_id": create_id("submission")}
    payload = seal({"name": "Zoë"}, pair["publicKey"], **place)
    for expected in (None, rsa_pair["fingerprint"], hybrid_pair["fingerprint"]):
        assert open_payload(payload, opening, expected_fingerprint=expected, **place) == Opened({"name": "Zoë"})
    other = open_payload(payload, opening, expected_fingerprint="another", **place)
    assert not other.opened and other.reason == "no_key"


def test_half_a_key_file_is_refused() -> None:
    wrong: dict[str, dict[str, Any]] = {
        "lacks privateKey": {"privateKey": None},
        "lacks hybridPrivateKey": {"hybridPrivateKey": None},
        "not a hybrid private key": {"hybridPrivateKey": hybrid_pair["publicKey"]},
        "another hybrid key": {"hybridPrivateKey": keys["hybrid second"]["privateKey"]},
    }
    for message, members in wrong.items():
        with pytest.raises(ValueError, match=message):
            parse_key({**key_file, **members})
