package sealpost

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The ways in which a request is not one that the service sent just now.
var (
	ErrInvalidSignature        = errors.New("sealpost: no signature fits the body under any secret of this receiver")
	ErrTimestampOutOfTolerance = errors.New("sealpost: the request is signed, but was sent more than five minutes from now")
	// ErrMissingHeader is an ErrInvalidSignature too: nothing is signed.
	ErrMissingHeader = fmt.Errorf("%w: it lacks webhook-id, webhook-timestamp or webhook-signature", ErrInvalidSignature)
)

const (
	secretPrefix     = "whsec_"
	secretBytesMin   = 24
	toleranceSeconds = 300
	signaturesMax    = 32
)

// Verified says what a signature vouches for, besides the body.
type Verified struct {
	// DeliveryID is the same over all attempts of a delivery: remember it to drop duplicates.
	DeliveryID string
	// SentAt is when this attempt was sent.
	SentAt time.Time
}

// Verify checks the signature of a request (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature) over its raw
// body under any of the secrets, and that it was sent within five minutes of now. The error is ErrMissingHeader,
// ErrInvalidSignature or ErrTimestampOutOfTolerance. No other header is covered by this signature.
func Verify(secrets []string, header http.Header, body []byte, now time.Time) (Verified, error) {
	// An id or a timestamp that occurs several times is joined by commas and so never passes for a single one.
	id := strings.Join(header.Values("webhook-id"), ", ")
	timestamp := strings.Join(header.Values("webhook-timestamp"), ", ")
	signature := strings.Join(header.Values("webhook-signature"), ", ")
	if id == "" || timestamp == "" || signature == "" {
		return Verified{}, ErrMissingHeader
	}
	// A dot inside the id could move the borders between the three parts that are signed.
	if strings.Contains(id, ".") || !isTimestamp(timestamp) {
		return Verified{}, ErrInvalidSignature
	}
	if !isSigned(secrets, id, timestamp, signature, body) {
		return Verified{}, ErrInvalidSignature
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return Verified{}, ErrInvalidSignature
	}
	sentAt := time.Unix(seconds, 0)
	if age := now.Sub(sentAt); age > toleranceSeconds*time.Second || age < -toleranceSeconds*time.Second {
		return Verified{}, ErrTimestampOutOfTolerance
	}
	return Verified{DeliveryID: id, SentAt: sentAt}, nil
}

// VerifyService checks the value of X-Service-Signature over the raw body. It covers no time, and so does not
// notice a request that somebody repeats.
func VerifyService(secrets []string, body []byte, value string) bool {
	digits, found := strings.CutPrefix(value, "sha256=")
	signature, err := hex.DecodeString(digits)
	if !found || err != nil || len(signature) != sha256.Size || digits != strings.ToLower(digits) {
		return false
	}
	for _, secret := range secrets {
		if secret != "" && hmac.Equal(signature, authenticate([]byte(secret), body)) {
			return true
		}
	}
	return false
}

// NewWebhookSecret draws a webhook secret, for tests of a receiver.
func NewWebhookSecret() string { return secretPrefix + encodeBase64(randomBytes(32)) }

// SignWebhook gives the value of webhook-signature, for tests of a receiver. It is empty when secret is no webhook secret.
func SignWebhook(secret, id string, sentAt time.Time, body []byte) string {
	key, ok := decodeSecret(secret)
	if !ok {
		return ""
	}
	content := signedContent(id, strconv.FormatInt(sentAt.Unix(), 10), body)
	return "v1," + encodeBase64(authenticate(key, content))
}

func isSigned(secrets []string, id, timestamp, signature string, body []byte) bool {
	var signatures [][]byte
	for place, value := range strings.SplitN(signature, " ", signaturesMax+1) {
		text, found := strings.CutPrefix(value, "v1,")
		decoded, ok := decodeBase64(text)
		if place < signaturesMax && found && ok && len(decoded) == sha256.Size {
			signatures = append(signatures, decoded)
		}
	}
	content := signedContent(id, timestamp, body)
	for _, secret := range secrets {
		key, ok := decodeSecret(secret)
		if !ok {
			continue
		}
		expected := authenticate(key, content)
		for _, value := range signatures {
			if hmac.Equal(value, expected) {
				return true
			}
		}
	}
	return false
}

// isTimestamp reports whether text is 1 to 12 digits, the first of them not 0.
func isTimestamp(text string) bool {
	return len(text) >= 1 && len(text) <= 12 && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

func decodeSecret(secret string) ([]byte, bool) {
	text, found := strings.CutPrefix(secret, secretPrefix)
	key, ok := decodeBase64(text)
	return key, found && ok && len(key) > 0
}

func signedContent(id, timestamp string, body []byte) []byte {
	return append([]byte(id+"."+timestamp+"."), body...)
}

func authenticate(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	return mac.Sum(nil)
}
