package sealpost

import (
	"encoding/base64"
	"strings"
)

// decodeBase64 takes canonical base64 only: padded, without white space or stray bits, so that no two texts mean the
// same bytes. Go's decoder skips line breaks even when it is strict.
func decodeBase64(text string) ([]byte, bool) {
	return decodeStrictly(base64.StdEncoding, text)
}

// decodeBase64URL is the same for base64url without padding.
func decodeBase64URL(text string) ([]byte, bool) {
	return decodeStrictly(base64.RawURLEncoding, text)
}

func decodeStrictly(encoding *base64.Encoding, text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	decoded, err := encoding.Strict().DecodeString(text)
	return decoded, err == nil
}

func encodeBase64(bytes []byte) string { return base64.StdEncoding.EncodeToString(bytes) }

func encodeBase64URL(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }
