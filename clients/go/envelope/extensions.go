package envelope

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

const (
	extensionsBytesMax         = 1024
	envelopeExtensionsBytesMax = 8192
	depthMax                   = 64
)

// Extended are the last two members of every signed content: what a later version or another program has added, as text in the one
// spelling that there is, and the names of what must be understood.
type Extended struct {
	Extensions json.RawMessage `json:"extensions"`
	Critical   json.RawMessage `json:"critical"`
}

var (
	extensionName   = regexp.MustCompile(`^"[a-z][A-Za-z0-9_.-]{0,63}"`)
	extensionText   = regexp.MustCompile(`^"(?:[^"\\\x00-\x1f]|\\["\\btnfr]|\\u00(?:0[0-7be-f]|1[0-9a-f]))*"`)
	extensionNumber = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,15})`)
	extensionWord   = regexp.MustCompile(`^(?:true|false|null)`)
)

// largestNumber is 2^53 - 1, which has 16 digits.
const largestNumber = "9007199254740991"

// isWellFormed says whether both are written in the one way, have so many bytes at most, and each critical name is one of an extension.
func (extended Extended) isWellFormed(bytesMax int) bool {
	if len(extended.Extensions)+len(extended.Critical) > bytesMax || !bytes.HasPrefix(extended.Extensions, []byte("{")) {
		return false
	}
	rest, names, ok := scanObject(extended.Extensions)
	if !ok || len(rest) > 0 {
		return false
	}
	var critical []string
	if json.Unmarshal(extended.Critical, &critical) != nil || critical == nil {
		return false
	}
	before := ""
	for _, name := range critical {
		if name <= before || !names[name] {
			return false
		}
		before = name
	}
	written := "[]"
	if len(critical) > 0 {
		written = `["` + strings.Join(critical, `","`) + `"]`
	}
	return written == string(extended.Critical)
}

// hasCritical says whether something must be understood: no extension is defined yet, so this package knows none.
func (extended Extended) hasCritical() bool { return string(extended.Critical) != "[]" }

// scanValue gives what follows a value. Its depth was counted before.
func scanValue(text []byte) ([]byte, bool) {
	if bytes.HasPrefix(text, []byte("{")) {
		rest, _, ok := scanObject(text)
		return rest, ok
	}
	if bytes.HasPrefix(text, []byte("[")) {
		return scanItems(text[1:], ']', scanValue)
	}
	if number := extensionNumber.Find(text); number != nil {
		return text[len(number):], len(number) < len(largestNumber) || string(number) <= largestNumber
	}
	for _, pattern := range []*regexp.Regexp{extensionText, extensionWord} {
		if match := pattern.Find(text); match != nil {
			return text[len(match):], true
		}
	}
	return nil, false
}

// scanObject gives what follows an object, and its names, which have to ascend.
func scanObject(text []byte) ([]byte, map[string]bool, bool) {
	names, before := map[string]bool{}, ""
	rest, ok := scanItems(text[1:], '}', func(text []byte) ([]byte, bool) {
		quoted := extensionName.Find(text)
		if quoted == nil || !bytes.HasPrefix(text[len(quoted):], []byte(":")) {
			return nil, false
		}
		name := string(quoted[1 : len(quoted)-1])
		isNext := name > before
		names[name], before = true, name
		rest, ok := scanValue(text[len(quoted)+1:])
		return rest, ok && isNext
	})
	return rest, names, ok
}

// scanItems gives what follows the end of an object or array.
func scanItems(text []byte, end byte, scan func([]byte) ([]byte, bool)) ([]byte, bool) {
	if len(text) > 0 && text[0] == end {
		return text[1:], true
	}
	for {
		rest, ok := scan(text)
		if !ok || len(rest) == 0 || rest[0] != end && rest[0] != ',' {
			return nil, false
		}
		if text = rest[1:]; rest[0] == end {
			return text, true
		}
	}
}

// isTooDeep counts over the text, before anything is parsed.
func isTooDeep(text []byte) bool {
	depth, isText := 0, false
	for index := 0; index < len(text); index++ {
		switch character := text[index]; {
		case isText && character == '\\':
			index++
		case character == '"':
			isText = !isText
		case isText:
		case character == '{' || character == '[':
			depth++
		case character == '}' || character == ']':
			depth--
		}
		if depth > depthMax {
			return true
		}
	}
	return false
}
