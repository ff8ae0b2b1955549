"""Admissions, read by SPECIFICATION.md alone: section 19, in the order of its steps.

No program uses it. It shows that the text is enough to write such a reader.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
from datetime import UTC, datetime

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from signed_lines import (
    Json,
    Refusal,
    apply,
    check,
    check_extensions,
    decode,
    has,
    hash_of,
    id_form,
    is_hash,
    is_number,
    is_recipient,
    is_signing_key,
    is_text,
    is_time,
    may_sign,
    number_max,
    read_line,
    read_signature,
    split,
    verify,
    verify_list,
)

Members = dict[str, dict[str, Json]]
day = 24 * 60 * 60 * 1000
hour = 60 * 60 * 1000
line_max = 4096
# In the order of section 19, step 5: the one who may do more comes first.
roles = ("owner", "manager", "reader", "developer", "auditor", "program", "recovery")


class List:
    """A list that verifies, with its members after each entry."""

    def __init__(self, data: bytes, organization_id: str, head: dict[str, Json]) -> None:
        verify_list(data, organization_id, {"head": head})
        lines = data.split(b"\n")[:-1:2]
        self.organization_id = organization_id
        self.entries = [json.loads(line) for line in lines]
        self.hashes = [hash_of(line) for line in lines]
        self.before: list[Members] = []
        members: Members = {}
        for entry in self.entries:
            self.before.append(dict(members))
            apply(entry, members)
        self.members = members

    def has_head(self, head: dict[str, Json]) -> bool:
        number, line_hash = head["number"], head["hash"]
        return self.hashes[number - 1 : number] == [line_hash]

    def after(self, number: int) -> list[tuple[dict[str, Json], Members]]:
        """The entries after this one, each with the members before it."""
        return list(zip(self.entries, self.before, strict=True))[number:]


# Forms.

turning = {0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF}
white_space = {
    *range(0x9, 0xE),
    *(0x20, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF),
    *range(0x2000, 0x200B),
}


def has_refused(text: str) -> bool:
    """Characters that section 14 refuses in names: Cc are control characters, Cs halves of pairs."""
    return any(ord(one) in turning or unicodedata.category(one) in ("Cc", "Cs") for one in text)


def is_name(value: Json) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 100 and not has_refused(value)


def is_address(value: Json) -> bool:
    if not isinstance(value, str) or not 3 <= len(value) <= 254 or has_refused(value):
        return False
    is_placed = value.count("@") == 1 and not value.startswith("@") and not value.endswith("@")
    return is_placed and not any(ord(one) in white_space for one in value)


def is_id(value: Json, prefix: str) -> bool:
    return is_text(value, id_form) and str(value).startswith(f"{prefix}_")


def check_terms_form(terms: dict[str, Json]) -> None:
    names = ("format", "admissionId", "organizationId", "person", "email", "name", "role", "list", "linkKey")
    check(has(terms, *names, "endsAt", "signedBy", "extensions", "critical"), "malformed")
    check(terms["format"] == "sealpost-admission/1", "malformed")
    check(is_id(terms["admissionId"], "adm") and is_id(terms["organizationId"], "acc"), "malformed")
    check(terms["person"] is None or is_id(terms["person"], "acc"), "malformed")
    check(is_address(terms["email"]) and is_name(terms["name"]) and terms["role"] in roles[:5], "malformed")
    check(has(terms["list"], "number", "hash"), "malformed")
    check(is_number(terms["list"]["number"], 1, number_max) and is_hash(terms["list"]["hash"]), "malformed")
    check(is_signing_key(terms["linkKey"]) and is_time(terms["endsAt"]), "malformed")
    check(is_id(terms["signedBy"], "acc"), "malformed")
    check_extensions(terms)


def check_answer_form(answer: dict[str, Json]) -> None:
    names = ("format", "admissionId", "organizationId", "terms", "personId", "recipient", "signingKey", "writtenAt")
    check(has(answer, *names, "extensions", "critical"), "malformed")
    check(answer["format"] == "sealpost-admission-answer/1", "malformed")
    check(is_id(answer["admissionId"], "adm") and is_id(answer["organizationId"], "acc"), "malformed")
    check(is_hash(answer["terms"]) and is_id(answer["personId"], "acc"), "malformed")
    check(is_recipient(answer["recipient"]) and is_signing_key(answer["signingKey"]), "malformed")
    check(is_time(answer["writtenAt"]), "malformed")
    check_extensions(answer)


def split_answer(data: bytes) -> tuple[bytes, bytes, bytes]:
    """The content, the line of the signature, the proof."""
    lines = data.split(b"\n")
    check(len(lines) == 4 and lines.pop() == b"", "malformed")
    content, signature, proof = lines
    check(len(content) <= line_max and len(signature) <= 102 and len(proof) <= 98, "malformed")
    found = re.fullmatch(rb'\{"proof":"([A-Za-z0-9_-]{85}[AQgw])"\}', proof)
    if found is None:
        raise Refusal("malformed")
    return content, signature, decode(found[1].decode())


# Terms.


def check_unused(terms: dict[str, Json], person: str | None, known: List) -> None:
    """Step 5."""
    used = [entry["admission"]["id"] for entry in known.entries if entry["admission"] is not None]
    check(terms["admissionId"] not in used, "used")
    adds = person is None or person not in known.members
    for entry, before in known.after(terms["list"]["number"]):
        if entry["change"] not in ("add", "replace", "remove"):
            continue
        member_id = entry["member"]["id"]
        check(member_id != person, "used")
        if adds and member_id in before:
            role = before[member_id]["role"]
            after = entry["member"].get("role")
            is_lesser = after is None or roles.index(after) > roles.index(role)
            check(role in ("program", "recovery") or not is_lesser, "used")


def check_maker(maker_id: str, terms: dict[str, Json], person: str | None, known: List) -> None:
    """Step 6."""
    maker = known.members.get(maker_id)
    if maker is None or maker["role"] not in ("owner", "manager") or maker_id == person:
        raise Refusal("not_allowed")
    change = "add" if person is None or person not in known.members else "replace"
    made = {"change": change, "member": {"id": person, "role": terms["role"]}}
    check(may_sign(maker, made, known.members), "not_allowed")


def check_terms(data: bytes, known: List, now: int) -> tuple[dict[str, Json], bytes]:
    [(line, signature_line)] = split(data, line_max, 1)
    terms = read_line(line)
    check_terms_form(terms)
    signature = read_signature(signature_line)
    check(terms["organizationId"] == known.organization_id, "other_organization")
    check(known.has_head(terms["list"]), "unknown_list")
    maker = known.members.get(terms["signedBy"])
    if maker is None or maker["signingKey"] is None:
        raise Refusal("not_signed")
    verify("sealpost-admission/1", line, signature, maker["signingKey"])
    check(not terms["critical"], "unknown_extension")
    check_unused(terms, terms["person"], known)
    check_maker(terms["signedBy"], terms, terms["person"], known)
    end = datetime.strptime(terms["endsAt"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    left = int(end.timestamp() * 1000) - now
    check(left > 0, "ended")
    check(left <= 7 * day + hour, "slow_clock")
    return terms, line


# Links and words.


def link_key(secret: bytes) -> str:
    seed = HKDF(hashes.SHA256(), 32, salt=None, info=b"sealpost-admission-key/1").derive(secret)
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return base64.urlsafe_b64encode(public).decode().rstrip("=")


def see(data: bytes, link: dict[str, Json], known: List, now: int) -> None:
    """By the person, who gets terms and list from the server and the link from the maker."""
    terms, _ = check_terms(data, known, now)
    is_link = terms["admissionId"] == link["admissionId"] and terms["list"] == link["head"]
    check(is_link and terms["linkKey"] == link_key(decode(link["secret"])), "wrong_link")


def link_of_words(words: list[str], data: bytes) -> dict[str, Json]:
    is_formed = len(words) == 6 and all(re.fullmatch(r"[a-z-]{1,32}", word) for word in words)
    check(is_formed, "wrong_words")
    terms = read_line(data.split(b"\n")[0])
    head = terms["list"]
    about = {name: terms[name] for name in ("admissionId", "organizationId")} | {
        "number": head["number"],
        "hash": head["hash"],
    }
    salt = "sealpost-admission-words/1\n" + json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    secret = hashlib.pbkdf2_hmac("sha256", " ".join(words).encode(), salt.encode(), 600_000, 16)
    text = base64.urlsafe_b64encode(secret).decode().rstrip("=")
    return {"admissionId": terms["admissionId"], "secret": text, "head": head}


# Answers.


def finish(data: bytes, answer_data: bytes, finisher: str, known: List, now: int) -> dict[str, Json]:
    terms, terms_line = check_terms(data, known, now)
    line, signature_line, proof = split_answer(answer_data)
    answer = read_line(line)
    check_answer_form(answer)
    signature = read_signature(signature_line)
    person_id = answer["personId"]
    is_of_terms = all(answer[name] == terms[name] for name in ("admissionId", "organizationId"))
    check(is_of_terms and answer["terms"] == hash_of(terms_line), "wrong_answer")
    check(terms["person"] in (None, person_id), "wrong_answer")
    for label, signed, key in (
        ("sealpost-admission-proof/1", proof, terms["linkKey"]),
        ("sealpost-admission-answer/1", signature, answer["signingKey"]),
    ):
        try:
            verify(label, line, signed, key)
        except Refusal:
            raise Refusal("wrong_answer") from None
    check(not answer["critical"], "unknown_extension")
    check_unused(terms, person_id, known)
    check_maker(terms["signedBy"], terms, person_id, known)
    is_member = person_id in known.members
    check(terms["person"] is not None or not is_member, "wrong_answer")
    check_maker(finisher, terms, person_id, known)
    return {
        "change": "replace" if is_member else "add",
        "admission": {"id": terms["admissionId"], "maker": terms["signedBy"]},
        "member": {
            "id": person_id,
            "name": terms["name"],
            "role": terms["role"],
            "recipient": answer["recipient"],
            "signingKey": answer["signingKey"],
        },
    }
