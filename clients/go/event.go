package sealpost

import (
	"errors"
	"time"
)

// Milliseconds is a moment, counted from the Unix epoch, as the service writes it.
type Milliseconds int64

// Time is the same moment as a time.Time.
func (moment Milliseconds) Time() time.Time { return time.UnixMilli(int64(moment)) }

// Event is what a webhook tells of: *SubmissionCreated, *SubmissionDeleted, *FormUpdated, *FormKeysRotated or
// *UnknownEvent.
type Event interface {
	// Kind is the name of the event: submission.created.
	Kind() string
	isEvent()
}

// EventForm is the form that an event is about.
type EventForm struct{ ID, Name string }

// EventInfo is what every known event says.
type EventInfo struct {
	Timestamp Milliseconds
	Form      EventForm
	// Test marks an event of the dashboard's button "Send a test", with sample data.
	Test bool
	kind string
}

// Kind is the name of the event.
func (info EventInfo) Kind() string { return info.kind }

func (info EventInfo) form() EventForm { return info.Form }

func (EventInfo) isEvent() {}

// SubmissionCreated tells that a submission was received. It either opened, or Err says why not.
type SubmissionCreated struct {
	EventInfo
	Submission Submission
	// Sealed is false for a submission that nobody sealed: the server could read it, and could have made it up.
	Sealed bool
	// Fields are what the visitor typed; nil when Err is set.
	Fields Fields
	// Sealpost is what the page has sealed along; nil where there is none.
	Sealpost Fields
	// Err is ErrUnknownVersion, ErrNoKey, ErrCouldNotBeOpened or ErrNotSealed. Note it in your log and answer as always.
	Err error
}

// SubmissionDeleted tells that a submission was deleted for good.
type SubmissionDeleted struct {
	EventInfo
	SubmissionID string
}

// FormUpdated tells what was changed about a form.
type FormUpdated struct {
	EventInfo
	// Name is the new name; empty where it stayed.
	Name string
	// Settings are the changed settings with their new values.
	Settings map[string]any
}

// FormKeysRotated tells that a form has a new key pair. Keep the earlier private keys.
type FormKeysRotated struct {
	EventInfo
	KeyVersion         int
	PreviousKeyVersion int
	PublicKey          PublicKey
	// HybridPublicKey is nil where the new version has none.
	HybridPublicKey *PublicKey
	RotatedAt       Milliseconds
}

// UnknownEvent is of a kind that this version does not know. Answer it as any other.
type UnknownEvent struct {
	Name string
	// Body is the whole event, unchecked.
	Body map[string]any
}

// Kind is the name of the event.
func (event *UnknownEvent) Kind() string { return event.Name }

func (*UnknownEvent) isEvent() {}

// ErrMalformedBody says that a signed body is no event.
var ErrMalformedBody = errors.New("sealpost: the body is not an event")

// ParseEvent reads the event in a verified body. Members that it does not know are left out.
func ParseEvent(body []byte) (Event, error) {
	object, err := parseObject(body)
	if err != nil {
		return nil, ErrMalformedBody
	}
	event := &members{object: object}
	kind := event.text("event")
	if event.wrong || kind == "" {
		return nil, ErrMalformedBody
	}
	parse, known := eventParsers[kind]
	if !known {
		return &UnknownEvent{Name: kind, Body: object}, nil
	}
	form := event.member("form")
	info := EventInfo{
		Timestamp: Milliseconds(event.whole("timestamp")),
		Form:      EventForm{ID: form.text("id"), Name: form.text("name")},
		Test:      object["test"] == true,
		kind:      kind,
	}
	if event.wrong || form.wrong {
		return nil, ErrMalformedBody
	}
	parsed, ok := parse(info, event)
	if !ok {
		return nil, ErrMalformedBody
	}
	return parsed, nil
}

var eventParsers = map[string]func(EventInfo, *members) (Event, bool){
	"submission.created": parseSubmissionCreated,
	"submission.deleted": func(info EventInfo, event *members) (Event, bool) {
		submission := event.member("submission")
		deleted := &SubmissionDeleted{EventInfo: info, SubmissionID: submission.text("id")}
		return deleted, !submission.wrong
	},
	"form.updated": parseFormUpdated,
	"form.keys_rotated": func(info EventInfo, event *members) (Event, bool) {
		keys := event.member("keys")
		public := keys.member("publicKey")
		rotated := &FormKeysRotated{
			EventInfo:          info,
			KeyVersion:         int(keys.whole("keyVersion")),
			PreviousKeyVersion: int(keys.whole("previousKeyVersion")),
			PublicKey:          PublicKey{Kty: public.text("kty"), N: public.text("n"), E: public.text("e")},
			RotatedAt:          Milliseconds(keys.whole("rotatedAt")),
		}
		if keys.object["hybridPublicKey"] != nil {
			hybrid := keys.member("hybridPublicKey")
			rotated.HybridPublicKey = &PublicKey{Kty: hybrid.text("kty"), Alg: hybrid.text("alg"), Pub: hybrid.text("pub")}
			keys.wrong = keys.wrong || hybrid.wrong
		}
		return rotated, !keys.wrong && !public.wrong && rotated.PublicKey.Kty == kindRSA
	},
}

func parseSubmissionCreated(info EventInfo, event *members) (Event, bool) {
	submission, ok := toSubmission(event.object["submission"], info.Form.ID)
	return &SubmissionCreated{EventInfo: info, Submission: submission, Sealed: !submission.Payload.IsPlain()}, ok
}

func parseFormUpdated(info EventInfo, event *members) (Event, bool) {
	changes := event.member("changes")
	updated := &FormUpdated{EventInfo: info}
	if changes.object["name"] != nil {
		updated.Name = changes.text("name")
	}
	if changes.object["settings"] != nil {
		updated.Settings = changes.member("settings").object
	}
	return updated, !changes.wrong
}
