package sealpost

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hpke"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
)

// The ways in which a payload does not open. Every failure after a key was chosen is the one ErrCouldNotBeOpened, to the letter:
// whoever learns which step failed learns something about the private key.
var (
	ErrUnknownVersion   = errors.New("sealpost: this payload has a format that this version cannot open")
	ErrNoKey            = errors.New("sealpost: no private key available for this form and key version")
	ErrCouldNotBeOpened = errors.New("sealpost: this payload could not be opened: it was changed, or sealed to another key")
	// ErrNotSealed is for those who expect sealed submissions and got a plain one.
	ErrNotSealed = errors.New("sealpost: nobody sealed this submission: the server could read it, and could have made it up")
)

// Sealed is a payload to open, with what it claims to belong to.
type Sealed struct {
	Binding
	Payload Payload
	// ExpectedFingerprint is that of the form's key of this version (from the form's list of keys), of a pair of RSA and
	// hybrid key either one; empty where it is not known. Only the key with this fingerprint is used then.
	ExpectedFingerprint string
}

// Open opens a sealed payload with whichever of the keys fits: sp1 with RSA keys, sp2 with hybrid ones. The error is
// ErrUnknownVersion, ErrNoKey or ErrCouldNotBeOpened. An opened payload proves that nobody changed it since it was sealed, not
// who sealed it: the key is public. Its numbers are of type json.Number, which has the digits that were sealed.
func Open(sealed Sealed, keys []*OpeningKey) (Fields, error) {
	fields, _, err := OpenAlong(sealed, keys)
	return fields, err
}

// OpenAlong is Open that also gives what the page has sealed along, $sealpost; nil where there is none. It is as authentic as the
// fields: who has the public key can write it.
func OpenAlong(sealed Sealed, keys []*OpeningKey) (fields, sealpost Fields, err error) {
	version := sealed.Payload.Version
	if version != VersionRSA && version != VersionHybrid {
		return nil, nil, ErrUnknownVersion
	}
	chosen := chooseKeys(sealed, keys)
	if len(chosen) == 0 {
		return nil, nil, ErrNoKey
	}
	for _, key := range chosen {
		if fields, ok := decrypt(sealed, key); ok {
			return fields, takeOurs(fields), nil
		}
	}
	return nil, nil, ErrCouldNotBeOpened
}

const ourName = "$sealpost"

// takeOurs takes what is ours out of the fields: an object. An answer may have our name.
func takeOurs(fields Fields) Fields {
	sealpost, ok := fields[ourName].(map[string]any)
	if !ok {
		return nil
	}
	delete(fields, ourName)
	return sealpost
}

// chooseKeys gives, of the keys for the payload's format, the one with the expected fingerprint; else those of this key
// version; else those whose version is not known.
func chooseKeys(sealed Sealed, keys []*OpeningKey) []*OpeningKey {
	var expected, labelled, unlabelled []*OpeningKey
	for _, key := range keys {
		half := key.half(sealed.Payload.Version)
		if half == nil {
			continue
		}
		if key.hasFingerprint(sealed.ExpectedFingerprint) {
			expected = append(expected, half)
		}
		if key.FormID != "" && key.FormID != sealed.FormID {
			continue
		}
		switch key.KeyVersion {
		case 0:
			unlabelled = append(unlabelled, half)
		case sealed.KeyVersion:
			labelled = append(labelled, half)
		}
	}
	switch {
	case sealed.ExpectedFingerprint != "":
		return expected
	case len(labelled) > 0:
		return labelled
	}
	return unlabelled
}

// half is the key itself or its paired one, whichever is for this version of a payload; nil where neither is.
func (key *OpeningKey) half(version string) *OpeningKey {
	if key != nil && (key.hybrid != nil) != (version == VersionHybrid) {
		key = key.paired
	}
	if key == nil || (key.hybrid != nil) != (version == VersionHybrid) {
		return nil
	}
	return key
}

// hasFingerprint is for the fingerprint of either key of a pair.
func (key *OpeningKey) hasFingerprint(fingerprint string) bool {
	return key.fingerprint == fingerprint || key.paired != nil && key.paired.fingerprint == fingerprint
}

func decrypt(sealed Sealed, key *OpeningKey) (Fields, bool) {
	data, dataRight := decodeBase64(sealed.Payload.Data)
	sealedKey, keyRight := decodeBase64(sealed.Payload.Key)
	iv, ivRight := decodeBase64(sealed.Payload.IV)
	if !dataRight || !keyRight || !ivRight || len(iv) != 12 {
		return nil, false
	}
	bound := sealed.additionalData(sealed.Payload.Version)
	contentKey, ok := key.openContentKey(sealedKey, bound)
	if !ok {
		return nil, false
	}
	plaintext, ok := decryptData(sealed.Payload.Version, contentKey, iv, data, bound)
	if !ok {
		return nil, false
	}
	if isTooDeep(plaintext) {
		return nil, false
	}
	fields, err := parseObject(plaintext)
	return fields, err == nil
}

func decryptData(version string, contentKey, iv, data, bound []byte) ([]byte, bool) {
	if version == VersionHybrid {
		return openCommitted(contentKey, iv, data, bound)
	}
	plaintext, err := newGCM(contentKey).Open(nil, iv, data, bound)
	return plaintext, err == nil
}

const (
	contentKeyBytes      = 32
	hybridSealedKeyBytes = 1168
)

func (key *OpeningKey) openContentKey(sealedKey, bound []byte) ([]byte, bool) {
	var contentKey []byte
	var err error
	if key.hybrid != nil {
		if len(sealedKey) != hybridSealedKeyBytes {
			return nil, false
		}
		contentKey, err = hpke.Open(key.hybrid, hpke.HKDFSHA256(), hpke.AES256GCM(), bound, sealedKey)
	} else {
		// The standard library takes shorter ciphertexts for numbers that begin with zeros.
		if key.rsa == nil || len(sealedKey) != key.rsa.Size() {
			return nil, false
		}
		contentKey, err = rsa.DecryptOAEP(sha256.New(), nil, key.rsa, sealedKey, nil)
	}
	return contentKey, err == nil && len(contentKey) == contentKeyBytes
}

// newGCM is AES-256-GCM with 12-byte nonces and 16-byte tags. The key must have 32 bytes.
func newGCM(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // only another length than AES has
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only another block size than that of AES
	}
	return gcm
}
