"""MLKEM768-X25519 and HPKE as `cryptography` has them. Older versions, and OpenSSL without ML-KEM, have neither."""

import functools
import hashlib
from dataclasses import dataclass
from typing import Any

KEM_NAME = "MLKEM768-X25519"
PUBLIC_KEY_BYTES = 1216
SEED_BYTES = 32
SEALED_KEY_BYTES = 1168
_mlkem_public_key_bytes = 1184


@dataclass(frozen=True, repr=False)
class HybridKey:
    """A private key, ready for opening."""

    public_bytes: bytes
    key: Any


@functools.cache
def is_available() -> bool:
    """Whether this machine can open `sp2`."""
    try:
        _suite()
        import_seed(bytes(SEED_BYTES))
    except Exception:  # the module, the algorithm, or OpenSSL's support of it
        return False
    return True


def import_seed(seed: bytes) -> HybridKey:
    """The private key that follows from a seed of 32 bytes (draft-connolly-cfrg-xwing-kem: SHAKE-256)."""
    from cryptography.hazmat.primitives.asymmetric import mlkem, x25519
    from cryptography.hazmat.primitives.hpke import MLKEM768X25519PrivateKey

    expanded = hashlib.shake_256(seed).digest(96)
    lattice = mlkem.MLKEM768PrivateKey.from_seed_bytes(expanded[:64])
    curve = x25519.X25519PrivateKey.from_private_bytes(expanded[64:])
    public = lattice.public_key().public_bytes_raw() + curve.public_key().public_bytes_raw()
    return HybridKey(public, MLKEM768X25519PrivateKey(lattice, curve))


def open_content_key(key: HybridKey, sealed: bytes, bound: bytes) -> bytes:
    """The content key in `enc ‖ ct`. Raises an Exception when it was not sealed to this key with these bytes."""
    opened: bytes = _suite().decrypt(sealed, key.key, info=bound)
    return opened


def seal_content_key(public_bytes: bytes, content_key: bytes, bound: bytes) -> bytes:
    """`enc ‖ ct` for the owner of a public key. Raises an Exception for a public key that ML-KEM's check refuses."""
    from cryptography.hazmat.primitives.asymmetric import mlkem, x25519
    from cryptography.hazmat.primitives.hpke import MLKEM768X25519PublicKey

    lattice = mlkem.MLKEM768PublicKey.from_public_bytes(public_bytes[:_mlkem_public_key_bytes])
    curve = x25519.X25519PublicKey.from_public_bytes(public_bytes[_mlkem_public_key_bytes:])
    sealed: bytes = _suite().encrypt(content_key, MLKEM768X25519PublicKey(lattice, curve), info=bound)
    return sealed


def _suite() -> Any:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    return Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
