package sealpost

import (
	"crypto/hpke"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
)

const (
	kindRSA         = "RSA"
	kindHybrid      = "AKP"
	hybridAlgorithm = "MLKEM768-X25519"
	publicExponent  = "AQAB"
	modulusBitsMin  = 2048
	modulusBitsMax  = 4096
)

// PublicKey is a form's public key as JWK: RSA with N and E, to seal sp1, or hybrid with Alg and Pub, to seal sp2.
type PublicKey struct {
	Kty string `json:"kty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	Alg string `json:"alg,omitempty"`
	Pub string `json:"pub,omitempty"`
}

// ParsePublicKey reads a public key that comes from outside. It takes exactly the members of a public key: a private
// member means that somebody is about to give away what only the owner may have.
func ParsePublicKey(text []byte) (PublicKey, error) {
	object, err := parseObject(text)
	if err != nil {
		return PublicKey{}, errors.New("sealpost: a public key is a JWK")
	}
	return toPublicKey(object)
}

func toPublicKey(object map[string]any) (PublicKey, error) {
	jwk := &members{object: object}
	var key PublicKey
	if key.Kty = jwk.text("kty"); key.Kty == kindHybrid {
		key.Alg, key.Pub = jwk.text("alg"), jwk.text("pub")
	} else {
		key.N, key.E = jwk.text("n"), jwk.text("e")
	}
	if jwk.wrong || len(object) != 3 {
		return PublicKey{}, errors.New("sealpost: a public key has exactly kty, n and e, or kty, alg and pub")
	}
	return key, key.check()
}

// Fingerprint is the key's RFC 7638 thumbprint with SHA-256, in base64url.
func (key PublicKey) Fingerprint() string {
	text := fmt.Sprintf(`{"e":"%s","kty":"RSA","n":"%s"}`, key.E, key.N)
	if key.Kty == kindHybrid {
		text = fmt.Sprintf(`{"alg":"%s","kty":"AKP","pub":"%s"}`, key.Alg, key.Pub)
	}
	digest := sha256.Sum256([]byte(text))
	return encodeBase64URL(digest[:])
}

func (key PublicKey) check() error {
	var err error
	if key.Kty == kindHybrid {
		_, err = key.hybrid()
	} else {
		_, err = key.rsa()
	}
	return err
}

// rsa is the key in the form of the standard library, if it may be used.
func (key PublicKey) rsa() (*rsa.PublicKey, error) {
	if key.Kty != kindRSA || key.E != publicExponent || key.Alg != "" || key.Pub != "" {
		return nil, errors.New("sealpost: the key must be RSA with the public exponent 65537 (e: AQAB)")
	}
	modulus, ok := decodeNumber(key.N)
	if !ok || modulus.Bit(0) == 0 {
		return nil, errors.New("sealpost: the key must have an odd modulus n in base64url without padding or leading zeros")
	}
	if bits := modulus.BitLen(); bits < modulusBitsMin || bits > modulusBitsMax {
		return nil, fmt.Errorf("sealpost: the key must have %d to %d bits, this one has %d", modulusBitsMin, modulusBitsMax, bits)
	}
	return &rsa.PublicKey{N: modulus, E: 65537}, nil
}

func (key PublicKey) hybrid() (hpke.PublicKey, error) {
	pub, ok := decodeBase64URL(key.Pub)
	if key.Kty != kindHybrid || key.Alg != hybridAlgorithm || key.N != "" || key.E != "" || !ok {
		return nil, errors.New("sealpost: the key must be one for " + hybridAlgorithm + " (kty: AKP)")
	}
	public, err := hpke.MLKEM768X25519().NewPublicKey(pub)
	if err != nil {
		return nil, errors.New("sealpost: the key's pub is not a public key of " + hybridAlgorithm)
	}
	return public, nil
}

// decodeNumber reads a positive number, big-endian in base64url without leading zero bytes. JWKs over 16,384 bits are
// not even decoded.
func decodeNumber(text string) (*big.Int, bool) {
	if len(text) > 2731 {
		return nil, false
	}
	bytes, ok := decodeBase64URL(text)
	if !ok || len(bytes) == 0 || bytes[0] == 0 {
		return nil, false
	}
	return new(big.Int).SetBytes(bytes), true
}
