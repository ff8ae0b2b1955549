package sealpost

import "errors"

// Submission is one sent form, as a webhook or the API shows it.
type Submission struct {
	ID      string
	FormID  string
	Payload Payload
	// KeyVersion is that of the form's key pair; 0 for a plain submission without one.
	KeyVersion int
	// Timestamp is the clock of whoever sent it, ReceivedAt that of the service.
	Timestamp  Milliseconds
	ReceivedAt Milliseconds
}

// Open opens the submission with whichever of the keys fits. The error is ErrUnknownVersion, ErrNoKey, ErrCouldNotBeOpened, or
// ErrNotSealed for a plain one, whose fields are in its payload.
func (submission Submission) Open(keys []*OpeningKey) (Fields, error) {
	fields, _, err := submission.OpenAlong(keys)
	return fields, err
}

// OpenAlong is Open that also gives what the page has sealed along, as the function OpenAlong does.
func (submission Submission) OpenAlong(keys []*OpeningKey) (fields, sealpost Fields, err error) {
	if submission.Payload.IsPlain() {
		return nil, nil, ErrNotSealed
	}
	binding := Binding{FormID: submission.FormID, KeyVersion: submission.KeyVersion, SubmissionID: submission.ID}
	return OpenAlong(Sealed{Binding: binding, Payload: submission.Payload}, keys)
}

// UnmarshalJSON reads a submission of the API.
func (submission *Submission) UnmarshalJSON(text []byte) error {
	object, err := parseObject(text)
	if err != nil {
		return err
	}
	formID, _ := object["formId"].(string)
	parsed, ok := toSubmission(object, formID)
	// Ids end up in file names and on screens, so they have to be what their type says.
	if !ok || !IsID(KindSubmission, parsed.ID) || !IsID(KindForm, formID) {
		return errors.New("not a submission")
	}
	*submission = parsed
	return nil
}

// toSubmission reads a submission of this form.
func toSubmission(value any, formID string) (Submission, bool) {
	object := membersOf(value)
	submission := Submission{
		ID:         object.text("id"),
		FormID:     formID,
		Timestamp:  Milliseconds(object.whole("timestamp")),
		ReceivedAt: Milliseconds(object.whole("receivedAt")),
	}
	payload, ok := toPayload(object.object["payload"])
	submission.Payload = payload
	if version, whole := toWhole(object.object["keyVersion"]); whole && version > 0 {
		submission.KeyVersion = int(version)
	}
	return submission, ok && !object.wrong && (payload.IsPlain() || submission.KeyVersion > 0)
}
