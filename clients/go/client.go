package sealpost

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ClientOptions say how a client calls the API. The zero value is a client without credential.
type ClientOptions struct {
	// Token is an API key or a session token.
	Token string
	// TokenSource gives one for each request, in the place of Token.
	TokenSource func(context.Context) (string, error)
	// Organization is the id of the organization that requests are meant for. The server refuses one whose session acts for
	// another organization by now (403, organization_changed). Without it they are about the one that the session or the API
	// key acts for.
	Organization string
	// Transport is what requests go through; http.DefaultTransport if it is nil.
	Transport http.RoundTripper
	// Timeout is how long the server may be silent; 30 seconds unless set.
	Timeout time.Duration
	// RetriesMax is how often a request is repeated; 3 unless set, and never if it is negative.
	RetriesMax int
	// RetryWaitMax is the longest wait for another try, a minute unless set. A server that asks for a longer one is an error.
	RetryWaitMax time.Duration
}

// Client calls the API of one instance. It may be used by several goroutines at once. All methods return an *APIError when the
// server refuses.
//
// A request that reached its rate limit (429) is repeated after the time that the server names. Requests that may arrive
// twice without harm, which are those that read or set something and [SubmissionsClient.Send], are also repeated when the
// server is unavailable (503) or a connection breaks. Redirects are not followed: they mean that the address is not that
// of the instance, and the credential is for nobody else.
type Client struct {
	Forms         *FormsClient
	Submissions   *SubmissionsClient
	Webhooks      *WebhooksClient
	APIKeys       *APIKeysClient
	AuditLog      *AuditLogClient
	Account       *AccountClient
	Notifications *NotificationsClient
	Organizations *OrganizationsClient
	Members       *MembersClient
	Invitations   *InvitationsClient
	Sessions      *SessionsClient
}

const (
	timeoutDefault      = 30 * time.Second
	retriesDefault      = 3
	retryWaitMaxDefault = time.Minute
)

// NewClient is a client of the instance at this address, such as https://forms.example.org.
func NewClient(address string, options ClientOptions) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || (base.Scheme != "https" && base.Scheme != "http") || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("sealpost: the address must be that of the instance, such as https://forms.example.org")
	}
	if options.Timeout <= 0 {
		options.Timeout = timeoutDefault
	}
	if options.RetriesMax == 0 {
		options.RetriesMax = retriesDefault
	}
	if options.RetryWaitMax <= 0 {
		options.RetryWaitMax = retryWaitMaxDefault
	}
	calls := &calls{
		answerBytesMax: defaultAnswerBytesMax,
		base:           base.Scheme + "://" + base.Host + strings.TrimRight(base.EscapedPath(), "/"),
		options:        options,
		http: &http.Client{
			Transport:     options.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		wait: wait,
	}
	return &Client{
		Forms:         &FormsClient{calls},
		Submissions:   &SubmissionsClient{calls},
		Webhooks:      &WebhooksClient{calls},
		APIKeys:       &APIKeysClient{calls},
		AuditLog:      &AuditLogClient{calls},
		Account:       &AccountClient{calls},
		Notifications: &NotificationsClient{calls},
		Organizations: &OrganizationsClient{calls},
		Members:       &MembersClient{calls},
		Invitations:   &InvitationsClient{calls},
		Sessions:      &SessionsClient{calls},
	}, nil
}
