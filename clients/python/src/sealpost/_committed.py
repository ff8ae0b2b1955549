"""
A cipher key and a commitment out of a content key or a file key (specification, sections 3 and 13). AES-GCM alone commits to no key:
somebody who chooses two can make one ciphertext of two contents.
"""

import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

COMMITMENT_BYTES = 32


def derive_committed(key: bytes, salt: bytes, bound: bytes) -> tuple[bytes, bytes]:
    """The cipher key and the commitment."""
    derived = HKDF(SHA256(), 32 + COMMITMENT_BYTES, salt, bound).derive(key)
    return derived[:32], derived[32:]


def is_commitment(claimed: bytes, commitment: bytes) -> bool:
    """Whether they are the same, in constant time."""
    return hmac.compare_digest(claimed, commitment)


def encrypt_committed(content_key: bytes, iv: bytes, plaintext: bytes, bound: bytes) -> bytes:
    """`data` of `sp2`: commitment, ciphertext and tag."""
    cipher_key, commitment = derive_committed(content_key, iv, bound)
    return commitment + AESGCM(cipher_key).encrypt(iv, plaintext, bound)


def decrypt_committed(content_key: bytes, iv: bytes, data: bytes, bound: bytes) -> bytes:
    """The way back. Raises an InvalidTag for another commitment too."""
    cipher_key, commitment = derive_committed(content_key, iv, bound)
    if not is_commitment(data[:COMMITMENT_BYTES], commitment):
        raise InvalidTag
    return AESGCM(cipher_key).decrypt(iv, data[COMMITMENT_BYTES:], bound)
