package sealpost

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The versions of payloads.
const (
	VersionRSA    = "sp1"
	VersionHybrid = "sp2"
	VersionPlain  = "plain1"
)

// Fields are what a visitor typed, by the field's name: string, json.Number, bool, nil, []any or map[string]any. A stranger
// wrote them: believe none of it, and escape what you show.
type Fields map[string]any

// Payload is what a submission carries: sealed in Data, Key and IV, or plain in Fields.
type Payload struct {
	Version string
	// Data, Key and IV are base64, of a sealed payload.
	Data, Key, IV string
	// Fields are those of a plain payload, which nobody sealed: the server could read them, and could have made them up.
	Fields Fields
}

// IsPlain reports whether nobody sealed the payload.
func (payload Payload) IsPlain() bool {
	return payload.Version == VersionPlain && payload.Fields != nil
}

// UnmarshalJSON reads the members that an opener looks at, by their exact names, and ignores all others.
func (payload *Payload) UnmarshalJSON(text []byte) error {
	object, err := parseObject(text)
	if err != nil {
		return err
	}
	parsed, ok := toPayload(object)
	if !ok {
		return errors.New("not a payload")
	}
	*payload = parsed
	return nil
}

// MarshalJSON writes the payload as the API takes it.
func (payload Payload) MarshalJSON() ([]byte, error) {
	object := map[string]any{"encrypted": true, "version": payload.Version, "data": payload.Data, "key": payload.Key, "iv": payload.IV}
	if payload.IsPlain() {
		object = map[string]any{"encrypted": false, "version": payload.Version, "fields": payload.Fields}
	}
	return json.Marshal(object)
}

func toPayload(value any) (Payload, bool) {
	payload := membersOf(value)
	version := payload.text("version")
	if payload.wrong {
		return Payload{}, false
	}
	if fields, ok := payload.object["fields"].(map[string]any); ok && version == VersionPlain && payload.object["encrypted"] == false {
		return Payload{Version: version, Fields: fields}, true
	}
	sealed := Payload{Version: version, Data: payload.text("data"), Key: payload.text("key"), IV: payload.text("iv")}
	return sealed, !payload.wrong
}

// Binding is what a payload belongs to.
type Binding struct {
	FormID       string
	KeyVersion   int
	SubmissionID string
}

// additionalData binds a payload to its place (specification, section 5).
func (binding Binding) additionalData(version string) []byte {
	return fmt.Appendf(nil, "sealpost/%s\n%s\n%d\n%s", version, binding.FormID, binding.KeyVersion, binding.SubmissionID)
}
