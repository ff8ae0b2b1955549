package sealpost

import (
	"bytes"
	"crypto/hpke"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"strings"
)

// OpeningKey is a private key that is ready for opening, with what it is known to belong to. That of a key file may have
// a hybrid key too, of the same version.
type OpeningKey struct {
	// FormID is the form that the key belongs to; empty where that is not known.
	FormID string
	// KeyVersion counts from 1; 0 where it is not known.
	KeyVersion int

	fingerprint string
	rsa         *rsa.PrivateKey
	hybrid      hpke.PrivateKey
	// paired is the hybrid key of the same key file, or nil.
	paired *OpeningKey
}

// Fingerprint is that of the public half.
func (key *OpeningKey) Fingerprint() string { return key.fingerprint }

// ReadKeyFile reads a key file, or a file with a bare JWK.
func ReadKeyFile(path string) (*OpeningKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sealpost: %w", err)
	}
	return ParseOpeningKey(text)
}

// ParseOpeningKey reads a private key: a key file, an object with privateKey and perhaps formId and keyVersion, or a
// bare JWK, RSA or hybrid, in UTF-8, or in UTF-16 with a byte order mark. A bare one is tried for every form and version. Errors never show the key.
func ParseOpeningKey(text []byte) (*OpeningKey, error) {
	text = asUTF8(text)
	if strings.HasPrefix(string(text), "age-encryption.org/") || strings.HasPrefix(string(text), "-----BEGIN AGE") {
		return nil, errors.New("sealpost: the key file has a passphrase: decrypt it with age first")
	}
	object, err := parseObject(text)
	if err != nil {
		return nil, errors.New("sealpost: a private key is a key file or a JWK, as JSON")
	}
	if isTooDeep(text) {
		return nil, errors.New("sealpost: the key file is nested more than 64 levels deep")
	}
	if hasDoubledNames(text) {
		return nil, errors.New("sealpost: the key file has a member twice: programs would read different keys of it")
	}
	for _, name := range []string{"sealpost", "privateKey", "hybridPrivateKey", "hybridFingerprint"} {
		if _, there := object[name]; there {
			return importFile(object)
		}
	}
	return importKey(object)
}

// importFile reads a key file, in the order of the specification, section 2.
func importFile(object map[string]any) (*OpeningKey, error) {
	if kind, there := object["sealpost"]; there && kind != "private-key" {
		return nil, errors.New("sealpost: a file of Sealpost, but not one with a private key")
	}
	version, there := object["version"]
	if whole, ok := toWhole(version); there && (!ok || whole != 1) {
		return nil, errNewerKeyFile
	}
	// Names that must be understood, of what a newer program wrote. There is none yet; other extensions are ignored.
	if critical, there := object["critical"]; there && !reflect.DeepEqual(critical, []any{}) {
		return nil, errNewerKeyFile
	}
	if object["privateKey"] == nil {
		return nil, errors.New("sealpost: half a key file: it lacks privateKey, the RSA key of the same version")
	}
	inner, ok := object["privateKey"].(map[string]any)
	if !ok {
		return nil, errors.New("sealpost: privateKey is not a JWK")
	}
	key, err := importKey(inner)
	if err != nil {
		return nil, err
	}
	if object["hybridPrivateKey"] != nil || object["hybridFingerprint"] != nil {
		if key.paired, err = pairedKey(object); err != nil {
			return nil, err
		}
	}
	return key, key.label(object)
}

var errNewerKeyFile = errors.New("sealpost: the key file has a newer format than this version knows")

// pairedKey reads the hybrid key of a key file. Its labels are those of the RSA key.
func pairedKey(file map[string]any) (*OpeningKey, error) {
	if file["hybridPrivateKey"] == nil {
		return nil, errors.New("sealpost: half a key file: it lacks hybridPrivateKey, the key of its hybridFingerprint")
	}
	jwk, ok := file["hybridPrivateKey"].(map[string]any)
	if !ok || jwk["kty"] != kindHybrid {
		return nil, errors.New("sealpost: hybridPrivateKey is not a hybrid private key as JWK")
	}
	key, err := importHybridKey(jwk)
	if err != nil {
		return nil, err
	}
	if expected := file["hybridFingerprint"]; expected != nil && expected != key.fingerprint {
		return nil, errors.New("sealpost: the file holds another hybrid key than its hybridFingerprint says")
	}
	return key, nil
}

func (key *OpeningKey) label(object map[string]any) error {
	file := &members{object: object}
	if object["formId"] != nil {
		key.FormID = file.text("formId")
		file.wrong = file.wrong || key.FormID == ""
	}
	if object["keyVersion"] != nil {
		version := file.whole("keyVersion")
		key.KeyVersion = int(version)
		file.wrong = file.wrong || version < 1
	}
	if file.wrong {
		return errors.New("sealpost: the key's formId is not the id of a form, or its keyVersion not a whole number from 1")
	}
	if expected := object["fingerprint"]; expected != nil && expected != key.fingerprint {
		return errors.New("sealpost: the file holds another key than its fingerprint says")
	}
	return nil
}

func importKey(jwk map[string]any) (*OpeningKey, error) {
	if jwk["kty"] == kindHybrid {
		return importHybridKey(jwk)
	}
	return importRSAKey(jwk)
}

var errKeyUnusable = errors.New("sealpost: not a usable private key: its members are incomplete or do not belong together")

func importRSAKey(jwk map[string]any) (*OpeningKey, error) {
	if jwk["d"] == nil && jwk["n"] != nil {
		return nil, errors.New("sealpost: this is a public key: opening needs the private key of the form")
	}
	texts := &members{object: jwk}
	public := PublicKey{Kty: texts.text("kty"), N: texts.text("n"), E: texts.text("e")}
	numbers := map[string]*big.Int{}
	for _, name := range []string{"d", "p", "q", "dp", "dq", "qi"} {
		number, ok := decodeNumber(texts.text(name))
		if !ok {
			return nil, errKeyUnusable
		}
		numbers[name] = number
	}
	half, err := public.rsa()
	if err != nil {
		return nil, err
	}
	if !belongTogether(half.N, numbers) {
		return nil, errKeyUnusable
	}
	key := &rsa.PrivateKey{PublicKey: *half, D: numbers["d"], Primes: []*big.Int{numbers["p"], numbers["q"]}}
	key.Precompute()
	if key.Validate() != nil {
		return nil, errKeyUnusable
	}
	// Nobody has looked whether the primes are some.
	text := randomBytes(contentKeyBytes)
	sealed, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, half, text, nil)
	if err != nil {
		return nil, errKeyUnusable
	}
	if opened, err := rsa.DecryptOAEP(sha256.New(), nil, key, sealed, nil); err != nil || !bytes.Equal(opened, text) {
		return nil, errKeyUnusable
	}
	return &OpeningKey{fingerprint: public.Fingerprint(), rsa: key}, nil
}

// belongTogether reports whether the numbers of a private key are those of one key with this modulus (specification, section 2).
func belongTogether(n *big.Int, numbers map[string]*big.Int) bool {
	one := big.NewInt(1)
	d, p, q, qi := numbers["d"], numbers["p"], numbers["q"], numbers["qi"]
	times := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	modulo := func(value, modulus *big.Int) *big.Int { return new(big.Int).Mod(value, modulus) }
	if p.Cmp(one) <= 0 || q.Cmp(one) <= 0 || times(p, q).Cmp(n) != 0 || d.Cmp(n) >= 0 || qi.Cmp(p) >= 0 {
		return false
	}
	for prime, remainder := range map[*big.Int]*big.Int{p: numbers["dp"], q: numbers["dq"]} {
		less := new(big.Int).Sub(prime, one)
		if modulo(times(d, big.NewInt(65537)), less).Cmp(one) != 0 || modulo(d, less).Cmp(remainder) != 0 {
			return false
		}
	}
	return modulo(times(qi, q), p).Cmp(one) == 0
}

func importHybridKey(jwk map[string]any) (*OpeningKey, error) {
	if jwk["priv"] == nil && jwk["pub"] != nil {
		return nil, errors.New("sealpost: this is a public key: opening needs the private key of the form")
	}
	texts := &members{object: jwk}
	public := PublicKey{Kty: kindHybrid, Alg: texts.text("alg"), Pub: texts.text("pub")}
	seed, ok := decodeBase64URL(texts.text("priv"))
	if !ok || texts.wrong || public.Alg != hybridAlgorithm || len(seed) != 32 {
		return nil, errKeyUnusable
	}
	key, err := hpke.MLKEM768X25519().NewPrivateKey(seed)
	if err != nil || encodeBase64URL(key.PublicKey().Bytes()) != public.Pub {
		return nil, errKeyUnusable
	}
	return &OpeningKey{fingerprint: public.Fingerprint(), hybrid: key}, nil
}
