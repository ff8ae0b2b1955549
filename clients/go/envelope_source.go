package sealpost

import (
	"context"
	"errors"
)

// EnvelopeSource fetches lists and envelopes for envelope.NewFormReader of the module sealpost-go/envelope, which checks them. It needs an API key with
// submissions:read that is not limited to forms; with forms:read as well, the keys are compared with those that the service publishes.
type EnvelopeSource struct{ client *Client }

// EnvelopeSource gives the client as a source.
func (client *Client) EnvelopeSource() EnvelopeSource { return EnvelopeSource{client} }

// SignedList gives the bytes of the page of the organization's signed list that has the newest entry, nil where there is none.
func (source EnvelopeSource) SignedList(ctx context.Context) ([]byte, error) {
	data, err := source.client.Members.SignedList(ctx)
	return data, unless(err, CodeNotFound)
}

// SignedListPage gives the bytes of the page that has an entry, nil where there is none.
func (source EnvelopeSource) SignedListPage(ctx context.Context, entry int64) ([]byte, error) {
	data, err := source.client.Members.SignedListPage(ctx, entry)
	return data, unless(err, CodeNotFound)
}

// SignedListNames gives the bytes of the file of names next to the list, nil where there is none.
func (source EnvelopeSource) SignedListNames(ctx context.Context) ([]byte, error) {
	data, err := source.client.Members.SignedListNames(ctx)
	return data, unless(err, CodeNotFound)
}

// EnvelopeRevisions gives the number of the newest revision of each envelope of a form, by the first version that it is for.
func (source EnvelopeSource) EnvelopeRevisions(ctx context.Context, formID string) (map[int64]int64, error) {
	listed, err := source.client.Forms.Envelopes(ctx, formID)
	revisions := map[int64]int64{}
	for _, envelope := range listed {
		revisions[int64(envelope.LowestVersion)] = int64(envelope.Revision)
	}
	return revisions, err
}

// Envelope gives the bytes of a revision, nil where there is none.
func (source EnvelopeSource) Envelope(ctx context.Context, formID string, firstVersion, revision int64) ([]byte, error) {
	data, err := source.client.Forms.Envelope(ctx, formID, int(firstVersion), int(revision))
	return data, unless(err, CodeNotFound)
}

// KeyLog gives the bytes of a form's key log, all of its entries; nil where there is none.
func (source EnvelopeSource) KeyLog(ctx context.Context, formID string) ([]byte, error) {
	data, err := source.client.Forms.KeyLog(ctx, formID)
	return data, unless(err, CodeNotFound)
}

// publishedKey has the fingerprints of a version; HybridFingerprint is empty where it has no hybrid key. It is the type of that name in sealpost-go/envelope.
type publishedKey = struct{ Fingerprint, HybridFingerprint string }

// PublishedKeys gives the fingerprints of a form's keys by their versions, nil where the credential may not read them.
func (source EnvelopeSource) PublishedKeys(ctx context.Context, formID string) (map[int64]publishedKey, error) {
	keys, err := source.client.Forms.Keys(ctx, formID)
	if err != nil {
		return nil, unless(err, CodeForbidden)
	}
	published := map[int64]publishedKey{}
	for _, key := range keys {
		published[int64(key.Version)] = publishedKey{key.Fingerprint, key.HybridFingerprint}
	}
	return published, nil
}

// unless drops an error of the API with this code.
func unless(err error, code ErrorCode) error {
	var failure *APIError
	if errors.As(err, &failure) && failure.Code == code {
		return nil
	}
	return err
}
