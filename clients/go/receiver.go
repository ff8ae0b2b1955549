package sealpost

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// bodyBytesMax bounds what a stranger can make a receiver hold: four times the largest submission.
const bodyBytesMax = 4 << 20

// ErrBodyTooLarge says that a request's body is larger than any that the service sends.
var ErrBodyTooLarge = errors.New("sealpost: the body is larger than any that the service sends")

// ReceiverOptions say what a receiver needs.
type ReceiverOptions struct {
	// Secrets are the webhook secrets of the forms that post here; during a rotation the new one and the previous one.
	Secrets []string
	// Keys are the private keys of those forms, of all versions still in use. Empty if no form is encrypted.
	Keys []*OpeningKey
	// AcceptPlain takes submissions that nobody sealed although there are keys. The server can make those up.
	AcceptPlain bool
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time
}

// Receiver verifies webhooks and opens their submissions. It may be used by several goroutines at once.
type Receiver struct{ options ReceiverOptions }

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
	if len(options.Secrets) == 0 {
		return nil, errors.New("sealpost: a receiver needs at least one webhook secret")
	}
	for index, secret := range options.Secrets {
		if key, ok := decodeSecret(secret); !ok || len(key) < secretBytesMin {
			return nil, fmt.Errorf("sealpost: Secrets[%d] is not a webhook secret: whsec_ and base64, without blanks or line breaks", index)
		}
	}
	for index, key := range options.Keys {
		if key == nil {
			return nil, fmt.Errorf("sealpost: Keys[%d] is nil", index)
		}
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Receiver{options}, nil
}

// Receive reads, verifies and opens a request. The body must not have been read before. Answer 401 when there is an error,
// otherwise 204, whether a submission could be opened or not: who sees a difference could learn something about
// the key. The error is one of ErrMissingHeader, ErrInvalidSignature, ErrTimestampOutOfTolerance, ErrMalformedBody and
// ErrBodyTooLarge, or that of reading the body.
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
	return receiver.ReceiveBody(request.Header, body)
}

// ReceiveBody is Receive for a body that was already read: its raw bytes, before any parser.
func (receiver *Receiver) ReceiveBody(header http.Header, body []byte) (*Delivery, error) {
	verified, err := Verify(receiver.options.Secrets, header, body, receiver.options.Now())
	if err != nil {
		return nil, err
	}
	event, err := ParseEvent(body)
	if err != nil {
		return nil, err
	}
	if created, ok := event.(*SubmissionCreated); ok {
		receiver.open(created)
	}
	return &Delivery{ID: verified.DeliveryID, SentAt: verified.SentAt, Event: event}, nil
}

func (receiver *Receiver) open(created *SubmissionCreated) {
	acceptPlain := receiver.options.AcceptPlain || len(receiver.options.Keys) == 0
	if !created.Sealed && acceptPlain {
		created.Fields = created.Submission.Payload.Fields
		return
	}
	created.Fields, created.Err = created.Submission.Open(receiver.options.Keys)
}
