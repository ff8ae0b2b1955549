package envelope

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	idPattern        = regexp.MustCompile(`^[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	accountPattern   = regexp.MustCompile(`^acc_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	formPattern      = regexp.MustCompile(`^form_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	namePattern      = regexp.MustCompile(`^[^\p{Cc}\x{061c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{feff}]{1,100}$`)
	hashPattern      = regexp.MustCompile(`^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`)
	signaturePattern = regexp.MustCompile(`^\{"signature":"([\w-]{86})"\}$`)
)

const largestCount = 1<<53 - 1

// parseLine fills value from a line that has to be exactly what writing the value gives: that refuses members that are not known
// or doubled, another order, white space, and other spellings.
func parseLine(line []byte, value any) bool {
	if !utf8.Valid(line) || json.Unmarshal(line, value) != nil {
		return false
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value) == nil && bytes.Equal(bytes.TrimSuffix(written.Bytes(), []byte("\n")), line)
}

// splitLines gives the lines of a text whose every line ends with a line feed.
func splitLines(text []byte) ([][]byte, bool) {
	lines := bytes.Split(text, []byte("\n"))
	last := len(lines) - 1
	return lines[:last], len(lines[last]) == 0 && last > 0
}

func parseSignature(line []byte) ([]byte, bool) {
	match := signaturePattern.FindSubmatch(line)
	if match == nil {
		return nil, false
	}
	return decodeStrictly(string(match[1]))
}

func decodeStrictly(text string) ([]byte, bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return decoded, err == nil
}

func isSigned(format string, line, signature []byte, signingKey string) bool {
	key, ok := decodeStrictly(signingKey)
	return ok && isEd25519Point(key) && isEd25519Point(signature[:32]) &&
		ed25519.Verify(key, []byte(format+"\n"+string(line)), signature)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func isHash(text string) bool { return hashPattern.MatchString(text) }

func isCount(number int64) bool { return number >= 1 && number <= largestCount }

func isTime(text string) bool {
	_, err := time.Parse("2006-01-02T15:04:05Z", text)
	return err == nil && len(text) == len("2006-01-02T15:04:05Z") && !strings.Contains(text, ",")
}
