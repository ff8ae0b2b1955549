package sealpost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// bodyBytesMax bounds what a stranger can make a receiver hold: four times the largest submission.
const bodyBytesMax = 4 << 20

// ErrBodyTooLarge says that a request's body is larger than any that the service sends.
var ErrBodyTooLarge = errors.New("sealpost: the body is larger than any that the service sends")

// ErrKeysUnavailable says that a key is missing which may be in an envelope that could not be fetched or was refused. Answer 503: the delivery comes
// again, and nothing is lost. That tells the server nothing that it does not know.
var ErrKeysUnavailable = errors.New("sealpost: the keys of this form are not available now")

// KeySource has the keys of forms. That of the module sealpost-go/envelope takes them from envelopes.
type KeySource interface {
	// KeysFor gives a form's keys; that of this version among them, if it is to be had.
	KeysFor(ctx context.Context, formID string, keyVersion int) ([]*OpeningKey, error)
}

// ReceiverOptions say what a receiver needs.
type ReceiverOptions struct {
	// Secret is the webhook secret of the only form that posts here. Where there are several forms, leave it empty and set Secrets.
	Secret string
	// Secrets are the webhook secrets of each form by its id, of which each speaks for its own form alone. Several of a form during a rotation, the
	// new one and earlier ones; a single one is enough, since the service tries all that are valid.
	Secrets map[string][]string
	// Keys are the private keys of those forms, of all versions still in use. Empty if no form is encrypted.
	Keys []*OpeningKey
	// Envelopes has more keys: envelope.NewFormKeys. May be nil.
	Envelopes KeySource
	// AcceptPlain takes submissions that nobody sealed although there are keys. The server can make those up.
	AcceptPlain bool
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time
}

// Receiver verifies webhooks and opens their submissions. It may be used by several goroutines at once.
type Receiver struct {
	options ReceiverOptions
	// secrets are all of them.
	secrets []string
}

// Delivery is a verified request.
type Delivery struct {
	// ID is the same over all attempts of a delivery, which may come more than once and in any order.
	ID string
	// SentAt is when this attempt was sent.
	SentAt time.Time
	Event  Event
}

// NewReceiver checks the options. An error names the invalid one and never shows its value.
func NewReceiver(options ReceiverOptions) (*Receiver, error) {
	secrets, err := parseSecrets(options.Secret, options.Secrets)
	if err != nil {
		return nil, err
	}
	for index, key := range options.Keys {
		if key == nil {
			return nil, fmt.Errorf("sealpost: Keys[%d] is nil", index)
		}
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Receiver{options, secrets}, nil
}

// Receive reads, verifies and opens a request. The body must not have been read before. Answer 401 when there is an error,
// otherwise 204, whether a submission could be opened or not: who sees a difference could learn something about
// the key. The error is one of ErrMissingHeader, ErrInvalidSignature, ErrTimestampOutOfTolerance, ErrMalformedBody,
// ErrWrongForm and ErrBodyTooLarge, or that of reading the body; with Envelopes also ErrKeysUnavailable, which 503 answers.
func (receiver *Receiver) Receive(request *http.Request) (*Delivery, error) {
	if request.Body == nil {
		return nil, ErrMalformedBody // made by hand: a server never leaves it out
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, bodyBytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("sealpost: the body could not be read: %w", err)
	}
	if len(body) > bodyBytesMax {
		return nil, ErrBodyTooLarge
	}
	return receiver.receive(request.Context(), request.Header, body)
}

// ReceiveBody is Receive for a body that was already read: its raw bytes, before any parser.
func (receiver *Receiver) ReceiveBody(header http.Header, body []byte) (*Delivery, error) {
	return receiver.receive(context.Background(), header, body)
}

func (receiver *Receiver) receive(ctx context.Context, header http.Header, body []byte) (*Delivery, error) {
	now := receiver.options.Now()
	verified, err := Verify(receiver.secrets, header, body, now)
	if err != nil {
		return nil, err
	}
	event, err := ParseEvent(body)
	if err != nil {
		return nil, err
	}
	if receiver.options.Secret == "" {
		if _, err := Verify(receiver.options.Secrets[formIDOf(event)], header, body, now); err != nil {
			return nil, ErrWrongForm
		}
	}
	if created, ok := event.(*SubmissionCreated); ok {
		if err := receiver.open(ctx, created); err != nil {
			return nil, err
		}
	}
	return &Delivery{ID: verified.DeliveryID, SentAt: verified.SentAt, Event: event}, nil
}

func (receiver *Receiver) open(ctx context.Context, created *SubmissionCreated) error {
	keys, envelopes := receiver.options.Keys, receiver.options.Envelopes
	acceptPlain := receiver.options.AcceptPlain || len(keys) == 0 && envelopes == nil
	if !created.Sealed && acceptPlain {
		created.Fields = created.Submission.Payload.Fields
		return nil
	}
	if created.Sealed && envelopes != nil {
		more, err := envelopes.KeysFor(ctx, created.Submission.FormID, created.Submission.KeyVersion)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrKeysUnavailable, err)
		}
		keys = slices.Concat(keys, more)
	}
	created.Fields, created.Sealpost, created.Err = created.Submission.OpenAlong(keys)
	return nil
}
