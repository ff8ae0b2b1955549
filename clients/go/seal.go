package sealpost

import (
	"bytes"
	"crypto/hpke"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Seal seals fields to a form's public key: sp1 to an RSA key, sp2 to a hybrid one. Take the key and its version from the same
// answer of the service, and compare the key's fingerprint where you know it from elsewhere. To send the payload again,
// send the same payload: never seal the same submission twice. Names of Sealpost itself are refused: those of fields that begin with
// $sealpost, and the one member of a value if it begins with $ and is no file.
func Seal(fields Fields, binding Binding, key PublicKey) (Payload, error) {
	plaintext, err := encodeFields(fields)
	if err != nil {
		return Payload{}, err
	}
	return sealPlaintext(plaintext, binding, key, randomBytes(contentKeyBytes), randomBytes(12))
}

// sealPlaintext takes what is random as arguments, for the test vectors.
func sealPlaintext(plaintext []byte, binding Binding, key PublicKey, contentKey, iv []byte) (Payload, error) {
	version := VersionRSA
	if key.Kty == kindHybrid {
		version = VersionHybrid
	}
	bound := binding.additionalData(version)
	sealedKey, err := sealContentKey(contentKey, key, bound)
	if err != nil {
		return Payload{}, err
	}
	padded := bytes.Repeat([]byte{' '}, int(paddedSize(int64(len(plaintext)))))
	copy(padded, plaintext)
	var data []byte
	if version == VersionHybrid {
		data = sealCommitted(contentKey, iv, padded, bound)
	} else {
		data = newGCM(contentKey).Seal(nil, iv, padded, bound)
	}
	return Payload{Version: version, Data: encodeBase64(data), Key: encodeBase64(sealedKey), IV: encodeBase64(iv)}, nil
}

func sealContentKey(contentKey []byte, key PublicKey, bound []byte) ([]byte, error) {
	if key.Kty == kindHybrid {
		public, err := key.hybrid()
		if err != nil {
			return nil, err
		}
		return hpke.Seal(public, hpke.HKDFSHA256(), hpke.AES256GCM(), bound, contentKey)
	}
	public, err := key.rsa()
	if err != nil {
		return nil, err
	}
	return rsa.EncryptOAEP(sha256.New(), rand.Reader, public, contentKey, nil)
}

// encodeFields writes the plaintext without its padding. What is not UTF-8 becomes U+FFFD.
func encodeFields(fields Fields) ([]byte, error) {
	if fields == nil {
		fields = Fields{}
	}
	written, err := encodeJSON(fields)
	if err != nil {
		return nil, fmt.Errorf("sealpost: the fields are not JSON: %w", err)
	}
	// Read and written again: values of any type become objects only when they are written, and names may become alike.
	object, err := parseObject(written)
	if err != nil || isTooDeep(written) {
		return nil, fmt.Errorf("sealpost: fields may be nested %d levels deep, not more", nestingMax)
	}
	for name := range object {
		if strings.HasPrefix(name, "$") && strings.HasPrefix(strings.TrimLeft(name, "$"), "sealpost") {
			return nil, errors.New("sealpost: names of fields that begin with $sealpost are those of Sealpost itself")
		}
	}
	// The fields themselves may be one alone, whose name is the visitor's.
	for _, value := range object {
		if !holdsOurs(value) {
			continue
		}
		return nil, errors.New("sealpost: a value whose one member begins with $ is one of Sealpost itself: give it another name")
	}
	return encodeJSON(object)
}

// holdsOurs reports whether there is an object whose one member begins with $, but for those that Field makes.
func holdsOurs(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if len(value) == 1 && strings.HasPrefix(name, "$") && !(name == "$file" && isFile(member)) || holdsOurs(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, holdsOurs)
	}
	return false
}

func isFile(value any) bool {
	file := membersOf(value)
	return IsID(KindFile, file.text("id")) && file.text("format") == fileFormat
}

func randomBytes(length int) []byte {
	bytes := make([]byte, length)
	rand.Read(bytes) // never fails
	return bytes
}
