"""Signed lists and key logs, read by SPECIFICATION.md alone: sections 14, 20 and 23, in the order of their steps.

No program uses it. It shows that the text is enough to write such a reader.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = Any
number_max = 2**31 - 1


class Refusal(Exception):
    """Its text is the reason."""


def check(is_so: bool, reason: str) -> None:
    if not is_so:
        raise Refusal(reason)


# Section 23: forms.

hash_form = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
id_form = re.compile(r"[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}")
name_form = re.compile(r"[a-z][A-Za-z0-9_.-]{0,63}")
unusable_x25519 = [
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
]
unusable_ed25519 = [
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]
order = 2**252 + 27742317777372353535851937790883648493


def is_text(value: Json, form: re.Pattern[str]) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def is_hash(value: Json) -> bool:
    return is_text(value, hash_form)


def is_number(value: Json, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def is_time(value: Json) -> bool:
    if not is_text(value, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")):
        return False
    try:
        datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return False
    return not value.endswith((":60Z", ":61Z"))


def has(value: Json, *names: str) -> bool:
    """Exactly these members; their order is seen when the line is written again."""
    return isinstance(value, dict) and list(value) == list(names)


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_usable(key: bytes, unusable: list[str], ignored_bits: int) -> bool:
    number = int.from_bytes(key, "little") & (2 ** (256 - ignored_bits) - 1)
    bad = [0, 1, 2**255 - 20, *(int.from_bytes(bytes.fromhex(one), "little") for one in unusable)]
    return len(key) == 32 and number < 2**255 - 19 and number not in bad


def is_signing_key(value: Json) -> bool:
    return is_hash(value) and is_usable(decode(value), unusable_ed25519, 1)


def is_recipient(value: Json) -> bool:
    """Bech32, without a bound for its length: a hybrid recipient of age."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    if not is_text(value, re.compile(rf"age1pq1[{alphabet}]+")):
        return False
    values = [alphabet.index(letter) for letter in value[7:]]
    check_sum = 1
    expanded = [ord(letter) >> 5 for letter in "age1pq"] + [0] + [ord(letter) & 31 for letter in "age1pq"]
    for one in expanded + values:
        top = check_sum >> 25
        check_sum = (check_sum & 0x1FFFFFF) << 5 ^ one
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check_sum ^= generator if top >> bit & 1 else 0
    bits = "".join(f"{one:05b}" for one in values[:-6])
    size = len(bits) // 8
    if check_sum != 1 or size != 1216 or "1" in bits[size * 8 :] or len(bits) - size * 8 > 4:
        return False
    key = int(bits[: size * 8], 2).to_bytes(size, "big")
    coefficients = int.from_bytes(key[:1152], "little")
    return is_usable(key[1184:], unusable_x25519, 0) and all(
        coefficients >> 12 * place & 0xFFF < 3329 for place in range(768)
    )


def verify(label: str, line: bytes, signature: bytes, key: str) -> None:
    public = decode(key)
    is_formed = is_usable(public, unusable_ed25519, 1) and is_usable(signature[:32], unusable_ed25519, 1)
    check(is_formed and int.from_bytes(signature[32:], "little") < order, "not_signed")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, label.encode() + b"\n" + line)
    except (InvalidSignature, ValueError):
        raise Refusal("not_signed") from None


# Section 23: lines.


def split(data: bytes, line_max: int, pairs_max: int) -> list[tuple[bytes, bytes]]:
    lines = data.split(b"\n")
    check(lines.pop() == b"" and len(lines) > 0 and len(lines) % 2 == 0, "malformed")
    check(len(lines) // 2 <= pairs_max, "malformed")
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    check(all(len(line) <= line_max and len(signature) <= 102 for line, signature in pairs), "malformed")
    return pairs


def depth_of(text: str) -> int:
    deepest = depth = place = 0
    is_inside = False
    while place < len(text):
        letter = text[place]
        if is_inside:
            place += letter == "\\"
            is_inside = letter != '"'
        elif letter == '"':
            is_inside = True
        else:
            depth += (letter in "{[") - (letter in "}]")
            deepest = max(deepest, depth)
        place += 1
    return deepest


def refuse_constant(_: str) -> None:
    raise ValueError


def read_line(line: bytes) -> dict[str, Json]:
    """All but the form of its members: that it is written in the one spelling does not depend on them."""
    try:
        text = line.decode()
        check(depth_of(text) <= 64, "malformed")
        value: dict[str, Json] = json.loads(text, parse_constant=refuse_constant)
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        raise Refusal("malformed") from None
    check(isinstance(value, dict) and written == line, "malformed")
    return value


def read_signature(line: bytes) -> bytes:
    found = re.fullmatch(rb'\{"signature":"([A-Za-z0-9_-]{85}[AQgw])"\}', line)
    check(found is not None, "malformed")
    return decode(found[1].decode()) if found else b""


def is_value(value: Json) -> bool:
    if isinstance(value, dict):
        is_ordered = list(value) == sorted(value)
        return is_ordered and all(is_text(name, name_form) and is_value(one) for name, one in value.items())
    if isinstance(value, list):
        return all(is_value(one) for one in value)
    return value is None or isinstance(value, bool | str) or is_number(value, 0, 2**53 - 1)


def check_extensions(content: dict[str, Json]) -> None:
    extensions, critical = content["extensions"], content["critical"]
    check(isinstance(extensions, dict) and is_value(extensions) and isinstance(critical, list), "malformed")
    check(all(isinstance(name, str) and name in extensions for name in critical), "malformed")
    check(critical == sorted(set(critical)), "malformed")
    texts = [json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() for one in (extensions, critical)]
    check(sum(map(len, texts)) <= 1024, "malformed")


def hash_of(line: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(line).digest()).decode().rstrip("=")


# Section 14: lists.

roles = ("owner", "manager", "reader", "developer", "auditor", "program", "recovery")
members_of = {
    "add": ("member",),
    "replace": ("member",),
    "remove": ("member",),
    "vouch": ("members", "shown"),
    "name": ("name",),
    "note": (),
}


def check_member(member: Json) -> None:
    check(has(member, "id", "name", "role", "recipient", "signingKey"), "malformed")
    key, role = member["signingKey"], member["role"]
    check(is_text(member["id"], id_form) and is_hash(member["name"]) and role in roles, "malformed")
    check(is_recipient(member["recipient"]), "malformed")
    check(is_signing_key(key) if key is not None else role in ("program", "recovery"), "malformed")
    check(role != "program" or key is None, "malformed")


def check_entry(entry: dict[str, Json]) -> None:
    change = entry.get("change")
    check(isinstance(change, str) and change in members_of, "malformed")
    own = members_of[str(change)]
    head = ("format", "organizationId", "number", "previous", "writtenAt", "signedBy", "change", "admission")
    check(has(entry, *head, *own, "extensions", "critical"), "malformed")
    check(entry["format"] == "sealpost-list/1", "malformed")
    check(is_text(entry["organizationId"], id_form) and entry["organizationId"].startswith("acc_"), "malformed")
    check(is_number(entry["number"], 1, number_max), "malformed")
    check(is_hash(entry["previous"]) if entry["number"] > 1 else entry["previous"] is None, "malformed")
    check(is_time(entry["writtenAt"]) and is_text(entry["signedBy"], id_form), "malformed")
    admission = entry["admission"]
    if admission is not None:
        check(change in ("add", "replace") and has(admission, "id", "maker"), "malformed")
        is_id = is_text(admission["id"], id_form) and admission["id"].startswith("adm_")
        check(is_id and is_text(admission["maker"], id_form), "malformed")
    if change in ("add", "replace"):
        check_member(entry["member"])
    elif change == "remove":
        check(has(entry["member"], "id") and is_text(entry["member"]["id"], id_form), "malformed")
    elif change == "vouch":
        ids = entry["members"]
        check(isinstance(ids, list) and 1 <= len(ids) <= 64, "malformed")
        check(all(is_text(one, id_form) for one in ids) and ids == sorted(set(ids)), "malformed")
        check(is_number(entry["shown"], 1, entry["number"] - 1), "malformed")
    elif change == "name":
        check(is_hash(entry["name"]), "malformed")
    check_extensions(entry)


def may_sign(signer: dict[str, Json], entry: dict[str, Json], members: dict[str, dict[str, Json]]) -> bool:
    """The table of roles, and what everybody may do about themselves."""
    change, role = entry["change"], signer["role"]
    if role == "owner":
        return True
    after = entry["member"] if change in ("add", "replace") else None
    ids = entry["members"] if change == "vouch" else [entry["member"]["id"]] if "member" in entry else []
    before = [members[one] for one in ids if one in members]
    if role == "recovery":
        is_owner = after is not None and after["role"] == "owner"
        return is_owner and all(one["role"] != "recovery" for one in before)
    if ids == [signer["id"]] and change in ("replace", "remove"):
        return after is None or after["role"] == role
    high = ("owner", "manager", "recovery")
    about = [*before, *([after] if after is not None else [])]
    return role == "manager" and len(ids) > 0 and all(one["role"] not in high for one in about)


def verify_list(data: bytes, organization_id: str, trust: dict[str, Json]) -> tuple[dict[str, Json], list[str]]:
    pairs = split(data, 4096, 32768)
    head = trust.get("head")
    if head is not None:
        check(len(pairs) >= head["number"], "old_list")
        check(hash_of(pairs[head["number"] - 1][0]) == head["hash"], "forked")
    members: dict[str, dict[str, Json]] = {}
    used: set[str] = set()
    changed: dict[str, int] = {}
    signers: set[str] = set()
    previous, place = None, 0
    for number, (line, signature_line) in enumerate(pairs, 1):
        entry = read_line(line)
        check_entry(entry)
        signature = read_signature(signature_line)
        check(entry["organizationId"] == organization_id, "other_organization")
        change = entry["change"]
        is_next = entry["number"] == number and entry["previous"] == previous
        check(is_next and (number > 1 or change == "add"), "broken_chain")
        known = members if number > 1 else {entry["member"]["id"]: entry["member"]}
        signer = known.get(entry["signedBy"])
        if signer is None or signer["signingKey"] is None:
            raise Refusal("not_signed")
        verify("sealpost-list/1", line, signature, signer["signingKey"])
        place = 1 if number == 1 or signer["role"] in ("owner", "recovery") else place + 1
        check(place <= 1024 and may_sign(signer, entry, members), "not_allowed")
        check(not entry["critical"] or signer["role"] == "owner", "not_allowed")
        admission = entry["admission"]
        if admission is not None:
            maker = members.get(admission["maker"])
            check(admission["id"] not in used and maker is not None, "not_allowed")
            member = entry["member"]
            check(member["id"] not in (admission["maker"], entry["signedBy"]), "not_allowed")
            check(member["role"] not in ("program", "recovery"), "not_allowed")
            is_maker = maker is not None and maker["role"] in ("owner", "manager") and may_sign(maker, entry, members)
            check(is_maker, "not_allowed")
            used.add(admission["id"])
        if change == "vouch":
            check(all(changed.get(one, 0) <= entry["shown"] for one in entry["members"]), "not_allowed")
        apply(entry, members)
        if "member" in entry:
            changed[entry["member"]["id"]] = number
        check(not entry["critical"], "unknown_extension")
        signers.add(signer["signingKey"])
        previous = hash_of(line)
    check("signingKey" not in trust or trust["signingKey"] in signers, "not_vouched")
    return {"number": len(pairs), "hash": previous}, sorted(members)


def apply(entry: dict[str, Json], members: dict[str, dict[str, Json]]) -> None:
    change = entry["change"]
    if change == "vouch":
        check(all(one in members and one != entry["signedBy"] for one in entry["members"]), "not_allowed")
    elif "member" in entry:
        member = entry["member"]
        check((member["id"] in members) == (change != "add"), "not_allowed")
        if change == "remove":
            del members[member["id"]]
        else:
            members[member["id"]] = member
    all_members = members.values()
    for key in ("recipient", "signingKey"):
        keys = [one[key] for one in all_members if one[key] is not None]
        check(len(keys) == len(set(keys)), "not_allowed")
    check(any(one["role"] == "owner" for one in all_members) and len(members) <= 2048, "not_allowed")
    check(sum(one["role"] == "recovery" for one in all_members) <= 8, "not_allowed")


# Section 20: key logs.


def check_log_entry(entry: dict[str, Json]) -> None:
    head = ("format", "formId", "number", "place", "previous", "writtenAt", "signedBy", "key", "owners", "managers")
    check(has(entry, *head, "extensions", "critical") and entry["format"] == "sealpost-key-log/1", "malformed")
    check(is_text(entry["formId"], id_form) and entry["formId"].startswith("form_"), "malformed")
    check(is_number(entry["number"], 1, number_max) and is_number(entry["place"], 1, 1024), "malformed")
    check(is_hash(entry["previous"]) if entry["number"] > 1 else entry["previous"] is None, "malformed")
    check(is_time(entry["writtenAt"]) and is_hash(entry["signedBy"]), "malformed")
    key, owners, managers = entry["key"], entry["owners"], entry["managers"]
    check(has(key, "version", "fingerprint", "hybridFingerprint", "replyKey"), "malformed")
    check(is_number(key["version"], 1, number_max) and is_hash(key["fingerprint"]), "malformed")
    check(all(key[one] is None or is_hash(key[one]) for one in ("hybridFingerprint", "replyKey")), "malformed")
    for signers, least, most in ((owners, 1, 32), (managers, 0, 31)):
        check(isinstance(signers, list) and least <= len(signers) <= most, "malformed")
        check(all(is_hash(one) for one in signers) and signers == sorted(set(signers)), "malformed")
    check(len(owners) + len(managers) <= 32 and not set(owners) & set(managers), "malformed")
    check_extensions(entry)


def may_follow(entry: dict[str, Json], before: dict[str, Json], is_owner: bool) -> bool:
    own, key, former = entry["signedBy"], entry["key"], before["key"]
    is_same = key == former
    is_next = key["version"] == former["version"] + 1 and all(
        former[one] is None or key[one] is not None for one in ("hybridFingerprint", "replyKey")
    )
    if is_owner:
        is_free = former["version"] < key["version"] <= former["version"] + 32
        return entry["place"] == 1 and (is_same or (is_free if own in entry["owners"] else is_next))
    rest = [one for one in before["managers"] if one != own]
    is_leaving = entry["managers"] == rest
    is_kept = entry["owners"] == before["owners"] and (is_leaving or entry["managers"] == before["managers"])
    does = is_next or (is_leaving and is_same)
    return is_kept and does and not entry["critical"] and entry["place"] == before["place"] + 1


def verify_key_log(data: bytes, form_id: str, pin: dict[str, Json] | None) -> tuple[dict[str, Json], dict[str, Json]]:
    before: dict[str, Json] | None = None
    previous = ""
    for line, signature_line in split(data, 4096, number_max):
        is_pinned = pin is not None and before is None
        check(not is_pinned or pin is None or hash_of(line) == pin["hash"], "forked")
        entry = read_line(line)
        check_log_entry(entry)
        signature = read_signature(signature_line)
        check(entry["formId"] == form_id, "other_form")
        if is_pinned and pin is not None:
            check(entry["number"] == pin["number"], "broken_chain")
        else:
            number = 1 if before is None else before["number"] + 1
            check(entry["number"] == number and (before is None or entry["previous"] == previous), "broken_chain")
            signers = entry if before is None else before
            is_owner = entry["signedBy"] in signers["owners"]
            check(is_owner or entry["signedBy"] in signers["managers"], "not_signed")
            verify("sealpost-key-log/1", line, signature, entry["signedBy"])
            is_first = entry["place"] == 1 and (is_owner or not entry["critical"])
            check(is_first if before is None else may_follow(entry, before, is_owner), "not_allowed")
        check(not entry["critical"], "unknown_extension")
        before, previous = entry, hash_of(line)
    if before is None:
        raise Refusal("malformed")
    return {"number": before["number"], "hash": previous}, before
