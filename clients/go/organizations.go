package sealpost

import (
	"context"
	"net/url"
	"strconv"
)

// OrganizationsClient is for the organizations of the person who asks; a session acts for one of them. It needs a session token.
type OrganizationsClient struct{ calls *calls }

type nameInput struct {
	Name string `json:"name"`
}

// List gives them, with which of them the session acts for.
func (organizations *OrganizationsClient) List(ctx context.Context) (*Organizations, error) {
	var answer Organizations
	err := organizations.calls.at(ctx, reading("/api/organizations", nil), &answer)
	return orNil(&answer, err), err
}

// Create makes another one. The session still acts for the one before.
func (organizations *OrganizationsClient) Create(ctx context.Context, name string) (*Organization, error) {
	return get[Organization](ctx, organizations.calls, posting("/api/organizations", nameInput{name}), "organization")
}

// SwitchTo makes the session, with its tokens, act for another organization from the answer on.
func (organizations *OrganizationsClient) SwitchTo(ctx context.Context, organizationID string) (*Organization, error) {
	return get[Organization](ctx, organizations.calls, posting("/api/organizations/{}/switch", nil), "organization", organizationID)
}

// Rename renames the one that the session acts for.
func (organizations *OrganizationsClient) Rename(ctx context.Context, name string) (*Organization, error) {
	request := request{method: "PATCH", path: "/api/organization", body: nameInput{name}}
	return get[Organization](ctx, organizations.calls, request, "organization")
}

// RequireSecondFactor sets from when on its members need a second factor; nil: they do not.
func (organizations *OrganizationsClient) RequireSecondFactor(ctx context.Context, from *Milliseconds) error {
	body := map[string]*Milliseconds{"requiredFrom": from}
	request := request{method: "PUT", path: "/api/organization/second-factor", body: body, repeatable: true}
	return organizations.calls.at(ctx, request, new(struct{}))
}

// RequireRecovery sets whether it takes envelopes only while its signed list of members has a recovery key.
func (organizations *OrganizationsClient) RequireRecovery(ctx context.Context, required bool) error {
	body := map[string]bool{"requireRecovery": required}
	request := request{method: "PUT", path: "/api/organization/recovery", body: body, repeatable: true}
	return organizations.calls.at(ctx, request, new(struct{}))
}

// Delete deletes the one that the session acts for, after 30 days: the answer is when.
func (organizations *OrganizationsClient) Delete(ctx context.Context) (*Milliseconds, error) {
	query := url.Values{"confirm": {"DELETE_ORGANIZATION"}}
	request := request{method: "POST", path: "/api/organization/deletion", query: query}
	return get[Milliseconds](ctx, organizations.calls, request, "deletedAt")
}

// Keep keeps it after all.
func (organizations *OrganizationsClient) Keep(ctx context.Context) error {
	return organizations.calls.at(ctx, request{method: "DELETE", path: "/api/organization/deletion"}, new(struct{}))
}

// MembersClient is for the members of the organization that the session acts for. It needs a session token.
type MembersClient struct{ calls *calls }

// MemberChange is what a member is to have. Zero values stay as they are.
type MemberChange struct {
	Role Role `json:"role,omitempty"`
	// Forms are ids, for readers and developers alone.
	Forms []string `json:"forms,omitzero"`
}

// SignedList gives the bytes of the page of the organization's signed list that has the newest entry: a page has 4,096 entries, 1 to 4,096, 4,097 to 8,192 and so
// on, and the newest one those that there are. Check all pages together with the module sealpost-go/envelope. An API key with submissions:read is enough.
func (members *MembersClient) SignedList(ctx context.Context) ([]byte, error) {
	return members.calls.data(ctx, reading("/api/member-list", nil))
}

// SignedListPage gives the bytes of the page that has the entry with this number; SignedList, those of the newest.
func (members *MembersClient) SignedListPage(ctx context.Context, entry int64) ([]byte, error) {
	return members.calls.data(ctx, reading("/api/member-list", url.Values{"entry": {strconv.FormatInt(entry, 10)}}))
}

// SignedListNames gives the bytes of the file of names next to the list, which proves the names that the list commits to. Ask for it after the list.
func (members *MembersClient) SignedListNames(ctx context.Context) ([]byte, error) {
	return members.calls.data(ctx, reading("/api/member-list/names", nil))
}

// List gives all members, the oldest first.
func (members *MembersClient) List(ctx context.Context) ([]Member, error) {
	list, err := get[[]Member](ctx, members.calls, reading("/api/members", nil), "members")
	return dereference(list), err
}

// Change gives a member another role, or other forms.
func (members *MembersClient) Change(ctx context.Context, memberID string, change MemberChange) (*Member, error) {
	request := request{method: "PATCH", path: "/api/members/{}", body: change}
	return get[Member](ctx, members.calls, request, "member", memberID)
}

// Remove ends a membership: their sessions act for the organization no longer, and the API keys that they made are revoked.
func (members *MembersClient) Remove(ctx context.Context, memberID string) error {
	return members.calls.at(ctx, request{method: "DELETE", path: "/api/members/{}"}, new(struct{}), memberID)
}

// Leave ends the membership of the person who asks.
func (members *MembersClient) Leave(ctx context.Context) error {
	return members.calls.at(ctx, posting("/api/members/leave", nil), new(struct{}))
}

// InvitationsClient is for invitations to the organization that the session acts for, and for accepting one. It needs a session
// token.
type InvitationsClient struct{ calls *calls }

// InvitationInput says who is invited, and as what.
type InvitationInput struct {
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// Forms are ids, for readers and developers alone.
	Forms []string `json:"forms,omitzero"`
}

// List gives the open ones, newest first, without their links.
func (invitations *InvitationsClient) List(ctx context.Context) ([]Invitation, error) {
	list, err := get[[]Invitation](ctx, invitations.calls, reading("/api/invitations", nil), "invitations")
	return dereference(list), err
}

// Create invites an address. URL of the answer is the only copy of the link.
func (invitations *InvitationsClient) Create(ctx context.Context, input InvitationInput) (*CreatedInvitation, error) {
	var answer CreatedInvitation
	err := invitations.calls.at(ctx, posting("/api/invitations", input), &answer)
	return orNil(&answer, err), err
}

// Revoke takes one back.
func (invitations *InvitationsClient) Revoke(ctx context.Context, invitationID string) error {
	return invitations.calls.at(ctx, request{method: "DELETE", path: "/api/invitations/{}"}, new(struct{}), invitationID)
}

// Accept gives the id of the organization that the person belongs to now. The token is the part of the link after the #.
func (invitations *InvitationsClient) Accept(ctx context.Context, token string) (string, error) {
	body := struct {
		Token string `json:"token"`
	}{token}
	id, err := get[string](ctx, invitations.calls, posting("/api/invitations/accept", body), "organizationId")
	if err != nil {
		return "", err
	}
	return *id, nil
}
