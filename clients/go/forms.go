package sealpost

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"net/url"
	"slices"
)

// FormsClient is for the account's forms.
type FormsClient struct{ calls *calls }

// FormToCreate says what a new form is to be.
type FormToCreate struct {
	Name     string         `json:"name"`
	Settings SettingsChange `json:"settings,omitempty"`
	// PublicKey is that of a pair of your own: then the service never sees the private key.
	PublicKey *PublicKey `json:"publicKey,omitempty"`
}

// FormChange says what of a form is to change; the rest stays.
type FormChange struct {
	Name     string         `json:"name,omitempty"`
	Settings SettingsChange `json:"settings,omitempty"`
}

// List gives one page of forms, newest first.
func (forms *FormsClient) List(ctx context.Context, options PageOptions) (*Page[FormListItem], error) {
	var answer struct {
		Forms      []FormListItem `json:"forms"`
		Total      int            `json:"total"`
		NextCursor string         `json:"nextCursor"`
	}
	err := forms.calls.at(ctx, reading("/api/forms", options.query()), &answer)
	return pageOf(answer.Forms, answer.Total, answer.NextCursor, err)
}

// All gives all forms, newest first, loaded while they are consumed.
func (forms *FormsClient) All(ctx context.Context) iter.Seq2[FormListItem, error] {
	return each(ctx, forms.List)
}

// Get gives one form.
func (forms *FormsClient) Get(ctx context.Context, formID string) (*Form, error) {
	return get[Form](ctx, forms.calls, reading("/api/forms/{}", nil), "form", formID)
}

// Create makes a form. Without a PublicKey of yours the answer holds the only copy of the private key.
func (forms *FormsClient) Create(ctx context.Context, form FormToCreate) (*Form, error) {
	return get[Form](ctx, forms.calls, posting("/api/forms", form), "form")
}

// Update changes what is given. The answer has the form's id, name and settings.
func (forms *FormsClient) Update(ctx context.Context, formID string, change FormChange) (*Form, error) {
	return get[Form](ctx, forms.calls, request{method: "PATCH", path: "/api/forms/{}", body: change}, "form", formID)
}

// Delete deletes a form and all its submissions for good. It tells how many there were.
func (forms *FormsClient) Delete(ctx context.Context, formID string) (submissionsDeleted int64, err error) {
	query := url.Values{"confirm": {"DELETE_FORM"}}
	deleted, err := get[deletedCount](ctx, forms.calls, request{method: "DELETE", path: "/api/forms/{}", query: query}, "deleted", formID)
	return deleted.count(), err
}

// SetHold sets a legal hold on a form, or changes it: nothing of the form is deleted before it is lifted. An empty reason and a zero
// until are none. It needs a session token.
func (forms *FormsClient) SetHold(ctx context.Context, formID, reason string, until Milliseconds) (*FormHold, error) {
	body := struct {
		Reason string        `json:"reason,omitempty"`
		Until  *Milliseconds `json:"until,omitempty"`
	}{Reason: reason}
	if until != 0 {
		body.Until = &until
	}
	return get[FormHold](ctx, forms.calls, request{method: "PUT", path: "/api/forms/{}/hold", body: body}, "hold", formID)
}

// LiftHold lifts a form's legal hold. It needs a session token.
func (forms *FormsClient) LiftHold(ctx context.Context, formID string) error {
	return forms.calls.at(ctx, request{method: "DELETE", path: "/api/forms/{}/hold"}, new(struct{}), formID)
}

// KeptWebhook is the address to which the events of a form that is handed over continue.
type KeptWebhook struct {
	// URL is the form's present webhook address.
	URL string `json:"url"`
	// Secret is "new", or "kept" for the one that the former organization knows.
	Secret string `json:"secret"`
}

// HandOver hands a form to another organization that the person owns. It needs a session token. Without webhook
// a form that has a webhook address is refused with the code form_hand_over_webhook; Update removes the address before.
func (forms *FormsClient) HandOver(ctx context.Context, formID, organizationID string, webhook *KeptWebhook) error {
	body := struct {
		OrganizationID string       `json:"organizationId"`
		Webhook        *KeptWebhook `json:"webhook,omitempty"`
	}{organizationID, webhook}
	return forms.calls.at(ctx, posting("/api/forms/{}/hand-over", body), new(struct{}), formID)
}

// RotateKeys gives a form a new key pair, whose public half may be yours. Keep the earlier private keys: nothing else opens
// what was sealed to them.
func (forms *FormsClient) RotateKeys(ctx context.Context, formID string, publicKey *PublicKey) (*RotatedForm, error) {
	body := struct {
		PublicKey *PublicKey `json:"publicKey,omitempty"`
	}{publicKey}
	return get[RotatedForm](ctx, forms.calls, posting("/api/forms/{}/rotate-keys", body), "form", formID)
}

// Keys gives the public keys of all versions, newest first, whatever the order in which the service gives them.
func (forms *FormsClient) Keys(ctx context.Context, formID string) ([]FormKey, error) {
	keys, err := get[[]FormKey](ctx, forms.calls, reading("/api/forms/{}/keys", nil), "keys", formID)
	return newestFirst(dereference(keys)), err
}

// CloseKeys ends the key versions below one: from at on (nil: without end) nothing that is sealed to them is taken. It gives every
// version.
func (forms *FormsClient) CloseKeys(ctx context.Context, formID string, below int, at *Milliseconds) ([]FormKey, error) {
	body := struct {
		Below int           `json:"below"`
		At    *Milliseconds `json:"at"`
	}{below, at}
	keys, err := get[[]FormKey](ctx, forms.calls, posting("/api/forms/{}/keys/close", body), "keys", formID)
	return newestFirst(dereference(keys)), err
}

// newestFirst sorts keys where they come in, so that nobody has to assume their order.
func newestFirst(keys []FormKey) []FormKey {
	slices.SortFunc(keys, func(one, other FormKey) int { return cmp.Compare(other.Version, one.Version) })
	return keys
}

// Envelopes gives the newest revision of each of a form's envelopes by their key versions, without its bytes. It needs submissions:read.
func (forms *FormsClient) Envelopes(ctx context.Context, formID string) ([]Envelope, error) {
	envelopes, err := get[[]Envelope](ctx, forms.calls, reading("/api/forms/{}/envelopes", nil), "envelopes", formID)
	sorted := dereference(envelopes)
	slices.SortFunc(sorted, func(one, other Envelope) int { return cmp.Compare(one.LowestVersion, other.LowestVersion) })
	return sorted, err
}

// Envelope gives the bytes of an envelope: of an older revision, or with zero of the newest. Check and open them with the module
// sealpost-go/envelope.
func (forms *FormsClient) Envelope(ctx context.Context, formID string, lowestVersion, revision int) ([]byte, error) {
	query := url.Values{}
	if revision != 0 {
		query.Set("revision", formatInt(revision))
	}
	return forms.calls.data(ctx, reading("/api/forms/{}/envelopes/{}", query), formID, formatInt(lowestVersion))
}

// EnvelopeRevisions gives one page of the revisions of an envelope that the service has, newest first, without their bytes.
func (forms *FormsClient) EnvelopeRevisions(ctx context.Context, formID string, lowestVersion int, options PageOptions) (*Page[EnvelopeRevision], error) {
	var answer struct {
		Revisions  []EnvelopeRevision `json:"revisions"`
		NextCursor string             `json:"nextCursor"`
	}
	err := forms.calls.at(ctx, reading("/api/forms/{}/envelopes/{}/revisions", options.query()), &answer, formID, formatInt(lowestVersion))
	return pageOf(answer.Revisions, 0, answer.NextCursor, err)
}

// keyLogPage is how many entries the service answers at a time, and keyLogMax the most that are asked for.
const (
	keyLogPage = 128
	keyLogMax  = 65_536
)

// KeyLog gives the bytes of a form's key log, all of its entries; nobody has checked them: VerifyKeyLog of the module sealpost-go/envelope does.
func (forms *FormsClient) KeyLog(ctx context.Context, formID string) ([]byte, error) {
	var log []byte
	for next := 1; next <= keyLogMax; {
		page, err := forms.calls.data(ctx, reading("/api/forms/{}/keys/log", url.Values{"from": {formatInt(next)}}), formID)
		if err != nil {
			return nil, err
		}
		log = append(log, page...)
		entries := bytes.Count(page, []byte("\n")) / 2
		if entries < keyLogPage {
			break
		}
		next += entries
	}
	return log, nil
}

// ProveKey says that the private key of a version opened something. It is the caller's word: the service cannot look.
func (forms *FormsClient) ProveKey(ctx context.Context, formID string, version int) (*FormKey, error) {
	return get[FormKey](ctx, forms.calls, posting("/api/forms/{}/keys/{}/proved", nil), "key", formID, formatInt(version))
}

// Public gives what a program needs to seal a submission. It needs no credential.
func (forms *FormsClient) Public(ctx context.Context, formID string) (*PublicForm, error) {
	return get[PublicForm](ctx, forms.calls, reading("/api/forms/{}/public", nil), "form", formID)
}

// Retention says after how many days submissions are deleted; nil when they are kept.
func (forms *FormsClient) Retention(ctx context.Context, formID string) (days *int, err error) {
	var answer retention
	err = forms.calls.at(ctx, reading("/api/forms/{}/retention", nil), &answer, formID)
	return answer.Days, err
}

// SetRetention deletes submissions that are older than this many days, now and from now on; nil keeps them.
func (forms *FormsClient) SetRetention(ctx context.Context, formID string, days *int) error {
	return forms.calls.at(ctx, putting("/api/forms/{}/retention", retention{days}), new(retention), formID)
}

type retention struct {
	Days *int `json:"days"`
}

// Notifications says whether emails notify of a form.
func (forms *FormsClient) Notifications(ctx context.Context, formID string) (*Notifications, error) {
	var answer Notifications
	err := forms.calls.at(ctx, reading("/api/forms/{}/notifications", nil), &answer, formID)
	return orNil(&answer, err), err
}

// SetNotifications switches emails about a form on or off.
func (forms *FormsClient) SetNotifications(ctx context.Context, formID string, mail bool) (*Notifications, error) {
	var answer Notifications
	err := forms.calls.at(ctx, putting("/api/forms/{}/notifications", mailSwitch{mail}), &answer, formID)
	return orNil(&answer, err), err
}

type mailSwitch struct {
	Mail bool `json:"mail"`
}

// Stats says what a form received in a period: day, week, month or year.
func (forms *FormsClient) Stats(ctx context.Context, formID, period string) (*Statistics, error) {
	var answer Statistics
	err := forms.calls.at(ctx, reading("/api/forms/{}/stats", url.Values{"period": {period}}), &answer, formID)
	return orNil(&answer, err), err
}
