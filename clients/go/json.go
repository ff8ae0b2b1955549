package sealpost

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// nestingMax is how deep fields may be nested, their own object included (specification, section 4).
const nestingMax = 64

// wholeMax is the largest whole number that every JSON parser reads exactly.
const wholeMax = 1<<53 - 1

var errNotAnObject = errors.New("not a JSON object in UTF-8")

// parseObject reads one JSON object to the letter of RFC 8259. Structs are not used for what strangers send: encoding/json
// would match names in any case, and replace bytes that are not UTF-8. Of a name that occurs twice the last value counts.
func parseObject(text []byte) (map[string]any, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, errNotAnObject
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	// A float64 would refuse 1e400 and round large numbers.
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, errNotAnObject
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errNotAnObject
	}
	return object, nil
}

// isTooDeep reports whether a JSON text is nested deeper than any opener has to read, also where a later member replaces what is
// deep (specification, section 4).
func isTooDeep(text []byte) bool {
	levels, inText := 0, false
	for at := 0; at < len(text); at++ {
		switch character := text[at]; {
		case inText && character == '\\':
			at++
		case character == '"':
			inText = !inText
		case inText:
		case character == '{' || character == '[':
			levels++
		case character == '}' || character == ']':
			levels--
		}
		if levels > nestingMax {
			return true
		}
	}
	return false
}

// hasDoubledNames reports whether an object of a JSON text has a member twice, however its name is written.
func hasDoubledNames(text []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	// For each open bracket the names so far, nil in a list; and whether a name comes next.
	var open []map[string]bool
	isName := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return false // the end
		}
		name, isText := token.(string)
		switch {
		case token == json.Delim('{'):
			open = append(open, map[string]bool{})
		case token == json.Delim('['):
			open = append(open, nil)
		case token == json.Delim('}') || token == json.Delim(']'):
			open = open[:len(open)-1]
		case isText && isName:
			if open[len(open)-1][name] {
				return true
			}
			open[len(open)-1][name] = true
			isName = false
			continue
		}
		isName = len(open) > 0 && open[len(open)-1] != nil
	}
}

// members reads an object member by member, and remembers whether one was not of its type.
type members struct {
	object map[string]any
	wrong  bool
}

func membersOf(value any) *members {
	object, ok := value.(map[string]any)
	return &members{object, !ok}
}

func (m *members) text(name string) string {
	value, ok := m.object[name].(string)
	m.wrong = m.wrong || !ok
	return value
}

func (m *members) whole(name string) int64 {
	value, ok := toWhole(m.object[name])
	m.wrong = m.wrong || !ok
	return value
}

func (m *members) member(name string) *members {
	inner := membersOf(m.object[name])
	m.wrong = m.wrong || inner.wrong
	return inner
}

// toWhole takes whole numbers in each form that JSON has for them: 5, 5.0, 5e0.
func toWhole(value any) (int64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	if whole, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		return whole, -wholeMax <= whole && whole <= wholeMax
	}
	float, err := number.Float64()
	if err != nil || float != math.Trunc(float) || math.Abs(float) > wholeMax {
		return 0, false
	}
	return int64(float), true
}

// encodeJSON leaves <, > and & as they are, which escapes would only make longer.
func encodeJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'}), err
}
