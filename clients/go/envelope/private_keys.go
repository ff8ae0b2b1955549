package envelope

import (
	"bytes"
	"crypto/hpke"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"sync"
)

const publicExponent = 65537

// rightKeys has the hashes of keys that were found right: a key is checked once, and opened in as many envelopes and revisions as there are.
var rightKeys = struct {
	sync.Mutex
	hashes map[string]bool
}{hashes: map[string]bool{}}

const rightKeysMax = 10_000

// isRight says whether every number of the private keys of a version is right, and both are the keys of their fingerprints (specification, section 2).
func (key FormKey) isRight() bool {
	// All of it: a fingerprint says nothing of the private numbers.
	text, err := json.Marshal(key)
	if err != nil {
		return false
	}
	name := hashOf(text)
	rightKeys.Lock()
	isKnown := rightKeys.hashes[name]
	rightKeys.Unlock()
	if isKnown {
		return true
	}
	if !key.isNamedRight() || !key.PrivateKey.opens() || key.HybridPrivateKey != nil && !key.HybridPrivateKey.isWhole() {
		return false
	}
	rightKeys.Lock()
	defer rightKeys.Unlock()
	if len(rightKeys.hashes) < rightKeysMax {
		rightKeys.hashes[name] = true
	}
	return true
}

func (key FormKey) isNamedRight() bool {
	quote := func(text string) string {
		quoted, _ := json.Marshal(text)
		return string(quoted)
	}
	thumbprint := hashOf([]byte(`{"e":` + quote(key.PrivateKey.E) + `,"kty":"RSA","n":` + quote(key.PrivateKey.N) + `}`))
	if thumbprint != key.Fingerprint || key.HybridPrivateKey == nil {
		return thumbprint == key.Fingerprint
	}
	return hashOf([]byte(`{"alg":"MLKEM768-X25519","kty":"AKP","pub":`+quote(key.HybridPrivateKey.Pub)+`}`)) == *key.HybridFingerprint
}

// opens says whether the numbers of a key belong together, and a text sealed to it opens.
func (jwk PrivateKey) opens() bool {
	var numbers [7]*big.Int
	for index, text := range []string{jwk.N, jwk.D, jwk.P, jwk.Q, jwk.DP, jwk.DQ, jwk.QI} {
		decoded, ok := decodeStrictly(text)
		// A number has one spelling, as JavaScript takes it.
		if !ok || len(decoded) == 0 || decoded[0] == 0 {
			return false
		}
		numbers[index] = new(big.Int).SetBytes(decoded)
	}
	n, d, p, q, dp, dq, qi := numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]
	if jwk.E != "AQAB" || n.BitLen() < 2048 || n.BitLen() > 4096 || !belongTogether(n, d, p, q, dp, dq, qi) {
		return false
	}
	key := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: n, E: publicExponent}, D: d, Primes: []*big.Int{p, q}}
	key.Precompute()
	if key.Validate() != nil {
		return false
	}
	// Nobody has looked whether the primes are some.
	text := make([]byte, 32)
	rand.Read(text)
	sealed, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &key.PublicKey, text, nil)
	if err != nil {
		return false
	}
	opened, err := rsa.DecryptOAEP(sha256.New(), nil, key, sealed, nil)
	return err == nil && bytes.Equal(opened, text)
}

func belongTogether(n, d, p, q, dp, dq, qi *big.Int) bool {
	one := big.NewInt(1)
	times := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	modulo := func(value, modulus *big.Int) *big.Int { return new(big.Int).Mod(value, modulus) }
	if p.Cmp(one) <= 0 || q.Cmp(one) <= 0 || times(p, q).Cmp(n) != 0 || d.Cmp(n) >= 0 || qi.Cmp(p) >= 0 {
		return false
	}
	for _, half := range []struct{ prime, remainder *big.Int }{{p, dp}, {q, dq}} {
		less := new(big.Int).Sub(half.prime, one)
		if modulo(times(d, big.NewInt(publicExponent)), less).Cmp(one) != 0 || modulo(d, less).Cmp(half.remainder) != 0 {
			return false
		}
	}
	return modulo(times(qi, q), p).Cmp(one) == 0
}

// isWhole says whether the public half is that of the seed.
func (jwk HybridPrivateKey) isWhole() bool {
	seed, ok := decodeStrictly(jwk.Priv)
	if !ok || len(seed) != 32 {
		return false
	}
	key, err := hpke.MLKEM768X25519().NewPrivateKey(seed)
	return err == nil && base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) == jwk.Pub
}
