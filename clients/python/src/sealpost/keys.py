"""Public and private keys of forms as JSON Web Keys, their fingerprints, and key files (specification, section 2)."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from . import _hybrid
from ._encoding import DoubledNameError, as_utf8, decode_base64url, encode_base64url, is_text_too_deep, parse_single

OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)

_private_members = ("n", "e", "d", "p", "q", "dp", "dq", "qi")
_key_file_bytes_max = 1 << 20


@dataclass(frozen=True)
class OpeningKey:
    """A private key that is ready for opening, and what it is known to belong to. `hybrid` is that of the same key version."""

    fingerprint: str
    form_id: str | None
    key_version: int | None
    key: rsa.RSAPrivateKey | _hybrid.HybridKey = field(repr=False)
    hybrid: "OpeningKey | None" = field(default=None, repr=False)


def fingerprint(key: Mapping[str, object]) -> str:
    """The RFC 7638 thumbprint (SHA-256, base64url) of a public or private key, RSA or hybrid."""
    names = ("e", "kty", "n") if key.get("kty") == "RSA" else ("alg", "kty", "pub")
    text = json.dumps({name: key[name] for name in names}, separators=(",", ":"))
    return encode_base64url(hashlib.sha256(text.encode()).digest())


def parse_public_key(key: object) -> rsa.RSAPublicKey | bytes:
    """
    An RSA public key, or the bytes of a hybrid one. Raises a ValueError for anything but exactly the members of the
    specification: a private member means that somebody is giving away what only the owner may have.
    """
    if isinstance(key, dict) and set(key) == {"kty", "n", "e"} and key["kty"] == "RSA" and key["e"] == "AQAB":
        modulus = decode_base64url(key["n"])
        if modulus and _is_modulus(modulus):
            return rsa.RSAPublicNumbers(65537, int.from_bytes(modulus, "big")).public_key()
    if (
        isinstance(key, dict)
        and set(key) == {"kty", "alg", "pub"}
        and key["kty"] == "AKP"
        and key["alg"] == _hybrid.KEM_NAME
    ):
        public = decode_base64url(key["pub"])
        if public is not None and len(public) == _hybrid.PUBLIC_KEY_BYTES:
            return public
    raise ValueError("Not a public key of a form: exactly kty, n and e, or kty, alg and pub")


def load_key(path: str | os.PathLike[str]) -> OpeningKey:
    """The private key in a key file. Raises a ValueError that never shows the key, or an OSError."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        data = file.read(_key_file_bytes_max)
    data = as_utf8(data)
    if data.startswith((b"age-encryption.org/", b"-----BEGIN AGE")):
        raise ValueError(
            f"{name} has a passphrase: open it with the command line of Sealpost or with age, and keep the result safe"
        )
    try:
        value = parse_single(data)
    except DoubledNameError:
        raise ValueError(f"{name} has a member twice: programs would read different keys of it") from None
    except Exception:
        raise ValueError(f"{name} is not a key file: it is not JSON") from None
    if is_text_too_deep(data.decode("utf-8")):
        raise ValueError(f"{name} is not a key file: it is nested more than 64 levels deep")
    return parse_key(value, name)


def parse_key(value: object, name: str = "private key") -> OpeningKey:
    """
    A private key from the contents of a key file, or from a bare JWK. Raises a ValueError that begins with `name` and never
    shows the key. Where the package cryptography is too old for hybrid keys, that of a key file is left out.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a private key: a JWK or a key file, as a dict")
    is_file = any(member in value for member in _file_members)
    if is_file:
        _check_format(value, name)
    jwk = value["privateKey"] if is_file else value
    form_id, key_version = _parse_label(value, name) if is_file else (None, None)
    if not isinstance(jwk, dict) or jwk.get("kty") not in ("RSA", "AKP"):
        raise ValueError(f'{name} is not a private key as JWK (kty: "RSA" or "AKP")')
    key = _import_rsa(jwk, name) if jwk["kty"] == "RSA" else _import_hybrid(jwk, name)
    has_hybrid = value.get("hybridPrivateKey") is not None or value.get("hybridFingerprint") is not None
    hybrid = _parse_hybrid(value, name, form_id, key_version) if is_file and has_hybrid else None
    made = OpeningKey(fingerprint(jwk), form_id, key_version, key, hybrid)
    if is_file and value.get("fingerprint") not in (None, made.fingerprint):
        raise ValueError(f"{name} holds another key than its fingerprint says")
    return made


_file_members = ("sealpost", "privateKey", "hybridPrivateKey", "hybridFingerprint")
"""Members that only a key file has, and no bare JWK."""


def _check_format(file: dict[str, object], name: str) -> None:
    """In the order of the specification, section 2, so that each language refuses a file for the same reason."""
    if file.get("sealpost", "private-key") != "private-key":
        raise ValueError(f"{name} is a file of Sealpost, but not one with a private key")
    # Names that must be understood, of what a newer program wrote. There is none yet; other extensions are ignored.
    if _to_whole(file.get("version", 1)) != 1 or file.get("critical", []) != []:
        raise ValueError(f"{name} is a key file of a newer format than this version knows")
    if file.get("privateKey") is None:
        raise ValueError(f"{name} is half a key file: it lacks privateKey, the RSA key of the same version")


def _to_whole(value: object) -> int | None:
    """A whole number from 1, however JSON writes it (`1.0`); `None` for anything else, and for what other languages would round."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 1 <= value < 2**53 and value == int(value) else None


def _parse_hybrid(
    value: dict[str, object], name: str, form_id: str | None, key_version: int | None
) -> OpeningKey | None:
    jwk = value.get("hybridPrivateKey")
    if jwk is None:
        raise ValueError(f"{name} is half a key file: it lacks hybridPrivateKey, the key of its hybridFingerprint")
    if not isinstance(jwk, dict) or not all(
        isinstance(jwk.get(member), str) for member in ("kty", "alg", "pub", "priv")
    ):
        raise ValueError(f"{name}: hybridPrivateKey is not a hybrid private key as JWK")
    if not _hybrid.is_available():
        return None
    made = OpeningKey(fingerprint(jwk), form_id, key_version, _import_hybrid(jwk, name))
    if value.get("hybridFingerprint") not in (None, made.fingerprint):
        raise ValueError(f"{name} holds another hybrid key than its hybridFingerprint says")
    return made


def _parse_label(value: dict[str, object], name: str) -> tuple[str | None, int | None]:
    form_id, key_version = value.get("formId"), value.get("keyVersion")
    if form_id is not None and (not isinstance(form_id, str) or form_id == ""):
        raise ValueError(f"{name}: formId is not the id of a form")
    if key_version is not None and _to_whole(key_version) is None:
        raise ValueError(f"{name}: keyVersion is not a whole number from 1")
    return form_id, _to_whole(key_version)


def _import_rsa(jwk: Mapping[str, object], name: str) -> rsa.RSAPrivateKey:
    missing = [member for member in _private_members if not isinstance(jwk.get(member), str)]
    if "d" in missing:
        raise ValueError(f"{name} is a public key: opening needs the private key of the form")
    if missing:
        raise ValueError(f"{name} is an incomplete private key: it lacks {', '.join(missing)}")
    try:
        public = parse_public_key({member: jwk[member] for member in ("kty", "n", "e")})
        if not isinstance(public, rsa.RSAPublicKey):
            raise ValueError
        d, p, q, dp, dq, qi = (_integer(jwk[member]) for member in _private_members[2:])
        if not _belong_together(public.public_numbers().n, d, p, q, dp, dq, qi):
            raise ValueError
        key = rsa.RSAPrivateNumbers(p, q, d, dp, dq, qi, public.public_numbers()).private_key()
        # The owner of a damaged key should hear it now, and not that every submission was changed.
        text = secrets.token_bytes(32)
        if key.decrypt(public.encrypt(text, OAEP), OAEP) != text:
            raise ValueError
    except Exception:
        raise ValueError(f"{name} is not a usable RSA private key: its members do not fit each other") from None
    return key


def _belong_together(n: int, d: int, p: int, q: int, dp: int, dq: int, qi: int) -> bool:
    """Whether the numbers of a private key are those of one key (specification, section 2)."""
    if p <= 1 or q <= 1 or p * q != n or d >= n:
        return False
    are_inverse = 65537 * d % (p - 1) == 1 and 65537 * d % (q - 1) == 1
    return are_inverse and (dp, dq) == (d % (p - 1), d % (q - 1)) and qi < p and qi * q % p == 1


def _import_hybrid(jwk: Mapping[str, object], name: str) -> _hybrid.HybridKey:
    if "priv" not in jwk:
        raise ValueError(f"{name} is a public key: opening needs the private key of the form")
    if not _hybrid.is_available():
        raise ValueError(f"{name} is a hybrid key, which needs a newer version of the package cryptography")
    seed = decode_base64url(jwk["priv"])
    if jwk.get("alg") == _hybrid.KEM_NAME and seed is not None and len(seed) == _hybrid.SEED_BYTES:
        key = _hybrid.import_seed(seed)
        if encode_base64url(key.public_bytes) == jwk.get("pub"):
            return key
    raise ValueError(f"{name} is not a usable hybrid private key: its members do not fit each other")


def _integer(text: object) -> int:
    decoded = decode_base64url(text)
    if not decoded or decoded[0] == 0:
        raise ValueError("not base64url of a number without zero bytes in front")
    return int.from_bytes(decoded, "big")


def _is_modulus(modulus: bytes) -> bool:
    bits = int.from_bytes(modulus, "big").bit_length()
    return modulus[0] != 0 and modulus[-1] % 2 == 1 and 2048 <= bits <= 4096
