package sealpost

import (
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"time"
)

// AccountClient is for the account as a whole.
type AccountClient struct{ calls *calls }

// Usage says what the account's submissions take, and may take.
func (account *AccountClient) Usage(ctx context.Context) (*Usage, error) {
	return get[Usage](ctx, account.calls, reading("/api/usage", nil), "usage")
}

// TakeOverUsage has what the organization stores count for you, where it counts for a former owner. It needs a fresh session token.
func (account *AccountClient) TakeOverUsage(ctx context.Context) error {
	return account.calls.at(ctx, posting("/api/usage/take-over", nil), new(struct{}))
}

// NotificationsClient is for the account's emails. It needs a session token.
type NotificationsClient struct{ calls *calls }

// Get says whether emails notify of the account's forms.
func (notifications *NotificationsClient) Get(ctx context.Context) (*AccountNotifications, error) {
	var answer AccountNotifications
	err := notifications.calls.at(ctx, reading("/api/notifications", nil), &answer)
	return orNil(&answer, err), err
}

// Set switches the emails about all forms of the account on or off.
func (notifications *NotificationsClient) Set(ctx context.Context, mail bool) (*AccountNotifications, error) {
	var answer AccountNotifications
	err := notifications.calls.at(ctx, putting("/api/notifications", mailSwitch{mail}), &answer)
	return orNil(&answer, err), err
}

// SetStorage switches emails about full storage on or off, and says again whether others are wanted.
func (notifications *NotificationsClient) SetStorage(ctx context.Context, mail, storage bool) (*AccountNotifications, error) {
	body := struct {
		Mail    bool `json:"mail"`
		Storage bool `json:"storage"`
	}{mail, storage}
	var answer AccountNotifications
	err := notifications.calls.at(ctx, putting("/api/notifications", body), &answer)
	return &answer, err
}

// APIKeysClient is for the account's API keys. It needs a session token: an API key cannot make another one.
type APIKeysClient struct{ calls *calls }

// List gives all API keys, newest first.
func (keys *APIKeysClient) List(ctx context.Context) ([]APIKey, error) {
	list, err := get[[]APIKey](ctx, keys.calls, reading("/api/api-keys", nil), "keys")
	return dereference(list), err
}

// Create makes an API key with these permissions, or with all when none is named. Key of the answer is its only copy.
func (keys *APIKeysClient) Create(ctx context.Context, name string, permissions ...string) (*APIKey, error) {
	return keys.CreateLimited(ctx, name, APIKeyLimits{Permissions: permissions})
}

// APIKeyLimits are what a new API key is limited to. The zero value limits nothing.
type APIKeyLimits struct {
	Permissions []string
	// Forms are ids: the key reaches these alone.
	Forms []string
	// ExpiresAt is when the key ends; the zero time is never.
	ExpiresAt time.Time
}

// CreateLimited makes an API key with limits. Key of the answer is its only copy.
func (keys *APIKeysClient) CreateLimited(ctx context.Context, name string, limits APIKeyLimits) (*APIKey, error) {
	body := struct {
		Name        string    `json:"name"`
		Permissions []string  `json:"permissions,omitempty"`
		Forms       []string  `json:"forms,omitempty"`
		ExpiresAt   time.Time `json:"expiresAt,omitzero"`
	}{name, limits.Permissions, limits.Forms, limits.ExpiresAt}
	return get[APIKey](ctx, keys.calls, posting("/api/api-keys", body), "key")
}

// Revoke ends an API key.
func (keys *APIKeysClient) Revoke(ctx context.Context, keyID string) error {
	return keys.calls.at(ctx, request{method: "DELETE", path: "/api/api-keys/{}"}, new(struct{}), keyID)
}

// SessionsClient is for where the person who asks is signed in. It needs a session token.
type SessionsClient struct{ calls *calls }

// List gives all sessions, the newest first.
func (sessions *SessionsClient) List(ctx context.Context) ([]Session, error) {
	list, err := get[[]Session](ctx, sessions.calls, reading("/api/sessions", nil), "sessions")
	return dereference(list), err
}

// End ends a session: it and its tokens are refused from the next request on.
func (sessions *SessionsClient) End(ctx context.Context, sessionID string) error {
	return sessions.calls.at(ctx, request{method: "DELETE", path: "/api/sessions/{}"}, new(struct{}), sessionID)
}

// EndOthers ends all sessions but the one that asks, and says how many there were.
func (sessions *SessionsClient) EndOthers(ctx context.Context) (int, error) {
	ended, err := get[int](ctx, sessions.calls, posting("/api/sessions/end-others", nil), "ended")
	if err != nil {
		return 0, err
	}
	return *ended, nil
}

// AuditHead is the number and hash of an entry of the audit log, as a line of an export has them.
type AuditHead struct {
	Sequence int    `json:"sequence"`
	Hash     string `json:"hash"`
}

// AuditLogClient is for the account's audit log. It needs a session token.
type AuditLogClient struct{ calls *calls }

// List gives one page of entries, newest first.
func (log *AuditLogClient) List(ctx context.Context, options PageOptions) (*Page[AuditEntry], error) {
	var answer struct {
		Entries    []AuditEntry `json:"entries"`
		NextCursor string       `json:"nextCursor"`
	}
	err := log.calls.at(ctx, reading("/api/audit-log", options.query()), &answer)
	return pageOf(answer.Entries, 0, answer.NextCursor, err)
}

// All gives all entries, newest first, loaded while they are consumed.
func (log *AuditLogClient) All(ctx context.Context) iter.Seq2[AuditEntry, error] {
	return each(ctx, log.List)
}

// Export gives the log's lines as they are, oldest first, after the entry of this number (0: all of them): what sealpost verify-log checks. The
// first line says from where to where it goes.
func (log *AuditLogClient) Export(ctx context.Context, after int) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		query := url.Values{}
		if after > 0 {
			query.Set("after", formatInt(after))
		}
		if _, err := streamLines(ctx, log.calls, reading("/api/audit-log/export", query), yield); err != nil {
			yield(nil, err)
		}
	}
}

// Shorten removes the oldest entries, up to this one of an export whose file is kept, and says how many are gone then. It needs an owner's sign-in
// of the last hour; entries of the last 30 days stay.
func (log *AuditLogClient) Shorten(ctx context.Context, until AuditHead) (int, error) {
	body := struct {
		Until AuditHead `json:"until"`
	}{until}
	shortened, err := get[struct {
		Count int `json:"count"`
	}](ctx, log.calls, posting("/api/audit-log/shorten", body), "shortened")
	if err != nil {
		return 0, err
	}
	return shortened.Count, nil
}
