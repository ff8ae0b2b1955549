package sealpost

import (
	"encoding/json"
	"time"
)

// FormSettings are all settings of a form.
type FormSettings struct {
	// Encryption accepts only submissions that were sealed in the browser.
	Encryption bool `json:"encryption"`
	// PIIStrip strips common patterns of personal data before sealing.
	PIIStrip bool `json:"piiStrip"`
	// WebhookURL is where events are posted; nil for nowhere.
	WebhookURL *string `json:"webhookUrl"`
	// WebhookRedirects says how a redirect of the webhook's address is followed: post or get.
	WebhookRedirects string   `json:"webhookRedirects"`
	AllowedOrigins   []string `json:"allowedOrigins"`
	// Country is the one whose national telephone numbers count as such (ISO 3166-1 alpha-2); nil for none in particular.
	Country *string `json:"country"`
	// PIITypes are the types of personal data that are stripped; nil for all.
	PIITypes           []string `json:"piiTypes"`
	SubmissionBytesMax int64    `json:"submissionBytesMax"`
	// SubmissionsPerHour is nil for any number.
	SubmissionsPerHour *int64 `json:"submissionsPerHour"`
	// BinDays is for how many days submissions in the bin can be restored; 0 deletes at once.
	BinDays int `json:"binDays"`
}

// SettingsChange has the settings that are to change, by the API's names; nil as a value is JSON's null:
//
//	sealpost.SettingsChange{"webhookUrl": "https://example.org/webhook", "submissionsPerHour": nil}
type SettingsChange map[string]any

// FormListItem is a form as lists show it.
type FormListItem struct {
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	CreatedAt       Milliseconds  `json:"createdAt"`
	SubmissionCount int64         `json:"submissionCount"`
	ReceivedCount   int64         `json:"receivedCount"`
	LastReceivedAt  *Milliseconds `json:"lastReceivedAt"`
	// KeyProof says whether somebody has said that the newest private key opened something: proved or unproved.
	KeyProof  string    `json:"keyProof"`
	PublicKey PublicKey `json:"publicKey"`
	// Settings are those that a list shows.
	Settings struct {
		Encryption bool `json:"encryption"`
		PIIStrip   bool `json:"piiStrip"`
	} `json:"settings"`
	// RefusedVisitors are the causes for which visitors were refused within a day; empty otherwise.
	RefusedVisitors []RefusedVisitors `json:"refusedVisitors"`
	// Held says whether the form is under a legal hold.
	Held bool `json:"held"`
}

// RefusedVisitors says that requests of visitors were refused for a cause. Anybody can make such a request.
type RefusedVisitors struct {
	// Cause is old_key, origin, unsealed, too_large, hourly_limit, form_markup or trapped.
	Cause  string       `json:"cause"`
	Since  Milliseconds `json:"since"`
	LastAt Milliseconds `json:"lastAt"`
}

// FormHold is a legal hold: while it lasts, nothing of its form is deleted.
type FormHold struct {
	Since Milliseconds `json:"since"`
	// SetBy is who set it; nil if that person's account is gone.
	SetBy *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"setBy"`
	Reason *string `json:"reason"`
	// Until is when owners are reminded; it does not end by itself.
	Until *Milliseconds `json:"until"`
}

// Form is a form with all its settings. What an answer lacks is zero: UpdatedAt in the one to Create, CreatedAt and PublicKey in the
// one to Update, and SubmissionCount and KeyProof in both.
type Form struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	CreatedAt       Milliseconds `json:"createdAt"`
	UpdatedAt       Milliseconds `json:"updatedAt"`
	SubmissionCount int64        `json:"submissionCount"`
	// KeyProof is proved or unproved, as in FormListItem.
	KeyProof  string    `json:"keyProof"`
	PublicKey PublicKey `json:"publicKey"`
	// PrivateKey is there in the answer to Create alone, and only when the service made the pair: its one copy. It is a
	// JWK, which ParseOpeningKey reads.
	PrivateKey json.RawMessage `json:"privateKey,omitempty"`
	// HybridPublicKey and HybridPrivateKey are there in the answer to Create, where the form has a hybrid key; the private
	// half only when the service made the pair.
	HybridPublicKey  *PublicKey      `json:"hybridPublicKey,omitempty"`
	HybridPrivateKey json.RawMessage `json:"hybridPrivateKey,omitempty"`
	Settings         FormSettings    `json:"settings"`
	// EmbedCode is the HTML for the page with the form; empty in the answers to Create and Update.
	EmbedCode string `json:"embedCode"`
	// Hold is the legal hold that the form is under; nil if there is none.
	Hold *FormHold `json:"hold"`
	// RefusedVisitors are the causes for which visitors were refused within a day; empty otherwise.
	RefusedVisitors []RefusedVisitors `json:"refusedVisitors"`
	// WebhookSecretKnownSince is there while an organization that had the form before knows the secret of its webhook: since when.
	WebhookSecretKnownSince *Milliseconds `json:"webhookSecretKnownSince,omitempty"`
}

// RotatedForm is a form with a new key pair.
type RotatedForm struct {
	ID        string    `json:"id"`
	PublicKey PublicKey `json:"publicKey"`
	// PrivateKey is there only when the service made the pair: its one copy.
	PrivateKey json.RawMessage `json:"privateKey,omitempty"`
	// HybridPublicKey is nil where the new version has none; its private half is there only when the service made the pair.
	HybridPublicKey    *PublicKey      `json:"hybridPublicKey,omitempty"`
	HybridPrivateKey   json.RawMessage `json:"hybridPrivateKey,omitempty"`
	KeyVersion         int             `json:"keyVersion"`
	PreviousKeyVersion int             `json:"previousKeyVersion"`
	RotatedAt          Milliseconds    `json:"rotatedAt"`
}

// FormKey is one version of a form's public key.
type FormKey struct {
	Version     int       `json:"version"`
	PublicKey   PublicKey `json:"publicKey"`
	Fingerprint string    `json:"fingerprint"`
	// HybridPublicKey is nil, and HybridFingerprint empty, where the version has no hybrid key.
	HybridPublicKey   *PublicKey   `json:"hybridPublicKey"`
	HybridFingerprint string       `json:"hybridFingerprint"`
	CreatedAt         Milliseconds `json:"createdAt"`
	// MadeBy is owner or service; empty where that was not kept.
	MadeBy   string        `json:"madeBy"`
	ProvedAt *Milliseconds `json:"provedAt"`
	// ClosesAt is from when on nothing that is sealed to it is taken; nil: it has no end.
	ClosesAt *Milliseconds `json:"closesAt"`
}

// Envelope is the newest revision of an envelope with private keys of a form. Hash is base64url of SHA-256 of its bytes.
type Envelope struct {
	LowestVersion int          `json:"lowestVersion"`
	Revision      int          `json:"revision"`
	Hash          string       `json:"hash"`
	Bytes         int          `json:"bytes"`
	CreatedAt     Milliseconds `json:"createdAt"`
}

// EnvelopeRevision is a revision of an envelope. Hash is base64url of SHA-256 of its bytes. WriterID is the person who stored it, or who made the
// API key that did; nothing signs that.
type EnvelopeRevision struct {
	Revision  int          `json:"revision"`
	Hash      string       `json:"hash"`
	Bytes     int          `json:"bytes"`
	CreatedAt Milliseconds `json:"createdAt"`
	WriterID  string       `json:"writerId"`
}

// PublicForm is what a program needs to seal a submission.
type PublicForm struct {
	ID             string    `json:"id"`
	PublicKey      PublicKey `json:"publicKey"`
	KeyVersion     int       `json:"keyVersion"`
	KeyFingerprint string    `json:"keyFingerprint"`
	// HybridPublicKey is nil, and HybridKeyFingerprint empty, where the form has no hybrid key.
	HybridPublicKey      *PublicKey `json:"hybridPublicKey"`
	HybridKeyFingerprint string     `json:"hybridKeyFingerprint"`
	Settings             struct {
		Encryption bool     `json:"encryption"`
		PIIStrip   bool     `json:"piiStrip"`
		Country    *string  `json:"country"`
		PIITypes   []string `json:"piiTypes"`
	} `json:"settings"`
}

// Statistics are what a form received, by day.
type Statistics struct {
	FormID string `json:"formId"`
	// Period is day, week, month or year.
	Period string `json:"period"`
	Stats  struct {
		TotalSubmissions  int64   `json:"totalSubmissions"`
		PeriodSubmissions int64   `json:"periodSubmissions"`
		AveragePerDay     float64 `json:"avgPerDay"`
		Timeline          []struct {
			Date  string `json:"date"`
			Count int64  `json:"count"`
		} `json:"timeline"`
	} `json:"stats"`
}

// WebhookSecret is a form's secret.
type WebhookSecret struct {
	Secret string `json:"secret"`
	// PreviousSecretExpiresAt is until when the previous secret stays valid; 0 without one.
	PreviousSecretExpiresAt Milliseconds `json:"previousSecretExpiresAt"`
	// EarlierSecretsExpireAt is there while more than one earlier secret is valid, the newest first.
	EarlierSecretsExpireAt []Milliseconds `json:"earlierSecretsExpireAt"`
}

// LoggedDelivery is one event on its way to a webhook URL, as the log has it.
type LoggedDelivery struct {
	ID        string       `json:"id"`
	Event     string       `json:"event"`
	Timestamp Milliseconds `json:"timestamp"`
	// Status is success or failed.
	Status string `json:"status"`
	// StatusCode is what the receiver answered; 0 when nothing answered.
	StatusCode int `json:"statusCode"`
	// Duration is how long the last request took, in milliseconds; 0 where that was not measured.
	Duration int64 `json:"duration"`
	// Error and ErrorCode say what went wrong; empty after a success.
	Error      string `json:"error"`
	ErrorCode  string `json:"errorCode"`
	RetryCount int    `json:"retryCount"`
	// NextAttemptAt is 0 unless another attempt is due.
	NextAttemptAt Milliseconds `json:"nextAttemptAt"`
	Test          bool         `json:"test"`
}

// DeliveryDetail is a delivery with its attempts.
type DeliveryDetail struct {
	LoggedDelivery
	Attempts []DeliveryAttempt `json:"attempts"`
	// Body is the exact text that was sent; nil once it was removed, and without the permission submissions:read.
	Body *string `json:"body"`
}

// DeliveryAttempt is one request of a delivery.
type DeliveryAttempt struct {
	Number    int          `json:"number"`
	StartedAt Milliseconds `json:"startedAt"`
	// Duration is how long it took, in milliseconds; 0 where that was not measured.
	Duration int64 `json:"duration"`
	// StatusCode is 0 when nothing answered; Error and ErrorCode are empty after a success.
	StatusCode int    `json:"statusCode"`
	Error      string `json:"error"`
	ErrorCode  string `json:"errorCode"`
	URL        string `json:"url"`
	// RepeatReason is why a request was made again within the same attempt: connection_closed, secret_refused or interrupted. It is
	// empty on others.
	RepeatReason string `json:"repeatReason"`
}

// APIKey is an API key without its value.
type APIKey struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Prefix is empty in the answer to Create.
	Prefix      string     `json:"prefix"`
	Permissions []string   `json:"permissions"`
	CreatedAt   time.Time  `json:"createdAt"`
	LastUsed    *time.Time `json:"lastUsed"`
	// Forms are the ids of the forms that it is limited to; nil for all that its maker reaches.
	Forms []string `json:"forms"`
	// ExpiresAt is when it ends; nil for never.
	ExpiresAt *time.Time `json:"expiresAt"`
	// Maker is who made the key, and whose role it follows; empty in the answer to Create.
	Maker struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"maker"`
	// Key is the key itself, in the answer to Create; empty in others.
	Key string `json:"key,omitempty"`
}

// Session is somewhere that a person is signed in.
type Session struct {
	ID string `json:"id"`
	// Browser and System are coarse names; empty for one that the service does not know.
	Browser    string       `json:"browser"`
	System     string       `json:"system"`
	CreatedAt  Milliseconds `json:"createdAt"`
	LastUsedAt Milliseconds `json:"lastUsedAt"`
	ExpiresAt  Milliseconds `json:"expiresAt"`
	// Current says whether it is the session that asks.
	Current bool `json:"current"`
}

// Role is what a member may do: owner, manager, reader, developer or auditor.
type Role string

// Organization is one that the person who asks belongs to.
type Organization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Forms are the ids of the forms that the role is for; nil for all of the organization.
	Forms []string     `json:"forms"`
	Since Milliseconds `json:"since"`
	// Current says whether the session acts for it.
	Current bool `json:"current"`
	// SecondFactorRequiredFrom is from when on it requires a second factor of its members; nil: it does not.
	SecondFactorRequiredFrom *Milliseconds `json:"secondFactorRequiredFrom"`
	// RequireRecovery says whether it takes envelopes only while its signed list of members has a recovery key.
	RequireRecovery bool `json:"requireRecovery"`
	// UnprovenAddress is the address that was invited, while nobody has proven that it is yours: until then you have no rights in it.
	UnprovenAddress *string `json:"unprovenAddress"`
	// DeletedAt is when it is deleted for good, if it is to be.
	DeletedAt *Milliseconds `json:"deletedAt"`
}

// Organizations are those of the person who asks.
type Organizations struct {
	Organizations []Organization `json:"organizations"`
	// CanCreate says whether the person may make another one.
	CanCreate bool `json:"canCreate"`
	// SecondFactor says whether the session was opened with a second factor.
	SecondFactor bool `json:"secondFactor"`
	// LacksSecondFactor says whether the organization that the session acts for requires one now, and the session has none.
	LacksSecondFactor bool `json:"lacksSecondFactor"`
	// DeletionsHeldBackUntil is until when nothing is deleted for its age, for owners, in the days after a backup was restored; nil: nothing is held back.
	DeletionsHeldBackUntil *Milliseconds `json:"deletionsHeldBackUntil"`
}

// Member is a person with a role in an organization.
type Member struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// Forms are the ids of the forms that the role is for; nil for all of the organization.
	Forms []string     `json:"forms"`
	Since Milliseconds `json:"since"`
	// AddedBy is the person who invited them; empty for who made the organization.
	AddedBy string `json:"addedBy"`
	// Disabled says whether the operator keeps them from signing in.
	Disabled bool `json:"disabled"`
	// SecondFactor says whether they have a second factor.
	SecondFactor bool `json:"secondFactor"`
	// UnprovenAddress is the address that was invited, while nobody has proven that it is theirs: until then they have no rights.
	UnprovenAddress *string `json:"unprovenAddress"`
}

// Invitation can be accepted by one email address, once.
type Invitation struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// Forms are the ids of the forms that the role is for; nil for all of the organization.
	Forms     []string     `json:"forms"`
	InvitedBy string       `json:"invitedBy"`
	CreatedAt Milliseconds `json:"createdAt"`
	ExpiresAt Milliseconds `json:"expiresAt"`
}

// CreatedInvitation is a new invitation with its link.
type CreatedInvitation struct {
	Invitation Invitation `json:"invitation"`
	// URL is the only copy of the link.
	URL string `json:"url"`
	// Mailed says whether it is also sent to the address.
	Mailed bool `json:"mailed"`
}

// Usage is what an account stores, and may store, in bytes; nil where nothing limits them.
type Usage struct {
	Bytes        int64  `json:"bytes"`
	BytesMax     *int64 `json:"bytesMax"`
	FormBytesMax *int64 `json:"formBytesMax"`
	// OtherBytes are those of everything but submissions.
	OtherBytes int64 `json:"otherBytes"`
	// LogBytes are those of the audit log, which has room of its own.
	LogBytes int64 `json:"logBytes"`
	Forms    []struct {
		ID              string `json:"id"`
		Name            string `json:"name"`
		Bytes           int64  `json:"bytes"`
		SubmissionCount int64  `json:"submissionCount"`
	} `json:"forms"`
	// Shared says with which organizations it shares BytesMax; nil where nothing limits it, or its plan gives it room of its own.
	Shared *struct {
		// CountsFor is "you", "owner" or "former_owner".
		CountsFor string `json:"countsFor"`
		// Name is that person's, for owners with a session.
		Name *string `json:"name"`
		// Percent is of BytesMax, OtherPercent of the quarter for everything but submissions.
		Percent      int64 `json:"percent"`
		OtherPercent int64 `json:"otherPercent"`
		// Organizations are those that share it and that you own, for owners with a session.
		Organizations []struct {
			ID         string `json:"id"`
			Name       string `json:"name"`
			Bytes      int64  `json:"bytes"`
			OtherBytes int64  `json:"otherBytes"`
		} `json:"organizations"`
	} `json:"shared"`
}

// Notifications say whether emails notify of something, and whether the instance sends any at all.
type Notifications struct {
	Mail      bool `json:"mail"`
	Available bool `json:"available"`
}

// AccountNotifications say the same of the account, and whether emails notify of its full storage.
type AccountNotifications struct {
	Mail      bool `json:"mail"`
	Available bool `json:"available"`
	Storage   bool `json:"storage"`
}

// AuditEntry is one thing that was done to the account.
type AuditEntry struct {
	ID        string       `json:"id"`
	Timestamp Milliseconds `json:"timestamp"`
	Action    string       `json:"action"`
	Actor     AuditParty   `json:"actor"`
	// Target is what it was done to; nil for the account itself.
	Target *AuditParty `json:"target"`
	// Count is how many submissions; 0 where that says nothing.
	Count int64 `json:"count"`
	// Details say more about it, as the API's document describes them.
	Details json.RawMessage `json:"details"`
}

// AuditParty is who did something, or what it was done to.
type AuditParty struct {
	Type string `json:"type"`
	// ID and Name are empty where the type has none.
	ID   string `json:"id"`
	Name string `json:"name"`
	// PersonID is the person whose session it was, or the operator; empty for others.
	PersonID string `json:"personId"`
}
