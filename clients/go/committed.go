package sealpost

import (
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/subtle"
)

const commitmentBytes = 32

// deriveCommitted makes a cipher key of a content key or a file key, and a commitment: a hash of the key and what it is bound to
// (specification, sections 3 and 13). AES-GCM alone commits to no key: somebody who chooses two can make one ciphertext of two
// contents.
func deriveCommitted(key, salt, bound []byte) (cipherKey, commitment []byte) {
	derived, err := hkdf.Key(sha256.New, key, salt, string(bound), contentKeyBytes+commitmentBytes)
	if err != nil {
		panic(err) // only more bytes than HKDF gives
	}
	return derived[:contentKeyBytes], derived[contentKeyBytes:]
}

// sealCommitted is the data of sp2: commitment, ciphertext and tag.
func sealCommitted(contentKey, iv, plaintext, bound []byte) []byte {
	cipherKey, commitment := deriveCommitted(contentKey, iv, bound)
	return newGCM(cipherKey).Seal(commitment, iv, plaintext, bound)
}

// openCommitted is the way back. Its commitment is compared in constant time.
func openCommitted(contentKey, iv, data, bound []byte) ([]byte, bool) {
	cipherKey, commitment := deriveCommitted(contentKey, iv, bound)
	if len(data) < commitmentBytes || subtle.ConstantTimeCompare(data[:commitmentBytes], commitment) != 1 {
		return nil, false
	}
	plaintext, err := newGCM(cipherKey).Open(nil, iv, data[commitmentBytes:], bound)
	return plaintext, err == nil
}
