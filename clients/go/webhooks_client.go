package sealpost

import (
	"context"
	"iter"
	"time"
)

// WebhooksClient is for a form's webhook. Its secret is what a receiver needs.
type WebhooksClient struct{ calls *calls }

// Secret gives the current secret.
func (webhooks *WebhooksClient) Secret(ctx context.Context, formID string) (*WebhookSecret, error) {
	var answer WebhookSecret
	err := webhooks.calls.at(ctx, reading("/api/forms/{}/webhook-secret", nil), &answer, formID)
	return orNil(&answer, err), err
}

// RotateSecret makes a new secret. The previous one stays valid for 24 hours unless revokePrevious ends it at once.
func (webhooks *WebhooksClient) RotateSecret(ctx context.Context, formID string, revokePrevious bool) (*WebhookSecret, error) {
	body := struct {
		RevokePrevious bool `json:"revokePrevious"`
	}{revokePrevious}
	var answer WebhookSecret
	err := webhooks.calls.at(ctx, posting("/api/forms/{}/webhook-secret/rotate", body), &answer, formID)
	return orNil(&answer, err), err
}

// Test sends a test event now and tells how it went. The service gives the receiver 30 seconds.
func (webhooks *WebhooksClient) Test(ctx context.Context, formID string) (*LoggedDelivery, error) {
	test := posting("/api/forms/{}/webhook/test", nil)
	test.timeout = time.Minute
	return get[LoggedDelivery](ctx, webhooks.calls, test, "delivery", formID)
}

// LogFilter says which deliveries are listed.
type LogFilter struct {
	// Status is success or failed; empty for both.
	Status string
	// SubmissionID is that of the submission they are about; empty for all.
	SubmissionID string
}

// Logs gives one page of deliveries, newest first.
func (webhooks *WebhooksClient) Logs(ctx context.Context, formID string, filter LogFilter, options PageOptions) (*Page[LoggedDelivery], error) {
	query := options.query()
	if filter.Status != "" {
		query.Set("status", filter.Status)
	}
	if filter.SubmissionID != "" {
		query.Set("submissionId", filter.SubmissionID)
	}
	var answer struct {
		Logs       []LoggedDelivery `json:"logs"`
		NextCursor string           `json:"nextCursor"`
	}
	err := webhooks.calls.at(ctx, reading("/api/forms/{}/webhook/logs", query), &answer, formID)
	return pageOf(answer.Logs, 0, answer.NextCursor, err)
}

// AllLogs gives all logged deliveries, newest first, loaded while they are consumed.
func (webhooks *WebhooksClient) AllLogs(ctx context.Context, formID string, filter LogFilter) iter.Seq2[LoggedDelivery, error] {
	return each(ctx, func(ctx context.Context, options PageOptions) (*Page[LoggedDelivery], error) {
		return webhooks.Logs(ctx, formID, filter, options)
	})
}

// Log gives one delivery with its attempts and the body that was sent.
func (webhooks *WebhooksClient) Log(ctx context.Context, formID, deliveryID string) (*DeliveryDetail, error) {
	return get[DeliveryDetail](ctx, webhooks.calls, reading("/api/forms/{}/webhook/logs/{}", nil), "log", formID, deliveryID)
}

// Resend sends the same body again, as a new delivery whose id is given.
func (webhooks *WebhooksClient) Resend(ctx context.Context, formID, deliveryID string) (newDeliveryID string, err error) {
	resent, err := get[struct{ ID string }](ctx, webhooks.calls, posting("/api/forms/{}/webhook/logs/{}/resend", nil), "delivery", formID, deliveryID)
	if err != nil {
		return "", err
	}
	return resent.ID, nil
}
