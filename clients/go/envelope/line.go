package envelope

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"time"
	"unicode/utf8"
)

var (
	idPattern        = regexp.MustCompile(`^[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	accountPattern   = regexp.MustCompile(`^acc_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	admissionPattern = regexp.MustCompile(`^adm_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	formPattern      = regexp.MustCompile(`^form_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	namePattern      = regexp.MustCompile(`^[^\p{Cc}\x{061c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{feff}]{1,100}$`)
	hashPattern      = regexp.MustCompile(`^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`)
	timePattern      = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)
	signaturePattern = regexp.MustCompile(`^\{"signature":"([\w-]{86})"\}$`)
)

const largestCount = 1<<53 - 1

// parseLine fills value from a line that has to be exactly what writing the value gives: that refuses members that are not known
// or doubled, another order, white space, and other spellings. Members that are json.RawMessage are only copied.
func parseLine(line []byte, value any) bool {
	if !utf8.Valid(line) || isTooDeep(line) || json.Unmarshal(line, value) != nil {
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
	return ok && verifyEd25519(key, signature, []byte(format+"\n"+string(line)))
}

// verifyEd25519 is the one equation of section 23. The standard library has it too; what others answer in different ways is refused before.
func verifyEd25519(key, signature, data []byte) bool {
	return len(signature) == 64 && isEd25519Point(key) && isEd25519Point(signature[:32]) && isBelow(signature[32:], groupOrder) &&
		ed25519.Verify(key, data, signature)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func isHash(text string) bool { return hashPattern.MatchString(text) }

func isCount(number int64) bool { return number >= 1 && number <= largestCount }

func isTime(text string) bool {
	moment, err := time.Parse("2006-01-02T15:04:05Z", text)
	return err == nil && timePattern.MatchString(text) && moment.Year() >= 1
}
