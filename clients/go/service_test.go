package sealpost

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// liveClient is a client of the service that npm run test:clients has started, which says what is there in variables.
func liveClient(t *testing.T) *Client {
	t.Helper()
	for _, name := range []string{"SEALPOST_URL", "SEALPOST_TOKEN", "SEALPOST_FORM_ID", "SEALPOST_SUBMISSIONS_FILE"} {
		if os.Getenv(name) == "" {
			t.Skip("no service: npm run test:clients starts one")
		}
	}
	client, err := NewClient(os.Getenv("SEALPOST_URL"), ClientOptions{Token: os.Getenv("SEALPOST_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheServicesSubmissionsOpenFromItsListsAndItsExport(t *testing.T) {
	client, formID := liveClient(t), os.Getenv("SEALPOST_FORM_ID")
	key, err := ReadKeyFile(os.Getenv("SEALPOST_PRIVATE_KEY_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	expected := readJSON[map[string]map[string]any](t, os.Getenv("SEALPOST_SUBMISSIONS_FILE"))
	for name, list := range map[string]iter.Seq2[Submission, error]{
		"all":    client.Submissions.All(t.Context(), formID, Range{}),
		"export": client.Submissions.Export(t.Context(), formID, ExportOptions{}),
	} {
		count := 0
		for submission, err := range list {
			if err != nil {
				t.Fatal(name, err)
			}
			fields, err := submission.Open([]*OpeningKey{key})
			if err != nil || fmt.Sprint(map[string]any(fields)) != fmt.Sprint(expected[submission.ID]) {
				t.Errorf("%s: %v, %v, want %v", name, err, fields, expected[submission.ID])
			}
			count++
		}
		if count != len(expected) || count == 0 {
			t.Errorf("%s: %d of %d", name, count, len(expected))
		}
	}
}

func TestTheServicesWebhookIsVerifiedAndOpens(t *testing.T) {
	liveClient(t)
	key, err := ReadKeyFile(os.Getenv("SEALPOST_PRIVATE_KEY_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	webhook := readJSON[struct {
		Headers map[string]string
		Body    []byte
	}](t, os.Getenv("SEALPOST_WEBHOOK_FILE"))
	sent := http.Header{}
	for name, value := range webhook.Headers {
		sent.Set(name, value)
	}
	secret := os.Getenv("SEALPOST_WEBHOOK_SECRET")
	receiver, err := NewReceiver(ReceiverOptions{Secret: secret, Keys: []*OpeningKey{key}})
	if err != nil {
		t.Fatal(err)
	}
	delivery, err := receiver.ReceiveBody(sent, webhook.Body)
	if err != nil {
		t.Fatal(err)
	}
	if event, ok := delivery.Event.(*SubmissionCreated); !ok || event.Err != nil || event.Fields["name"] == nil {
		t.Errorf("%+v", delivery.Event)
	}
	if !VerifyService([]string{secret}, webhook.Body, sent.Get("X-Service-Signature")) {
		t.Error("the service's own signature was refused")
	}
}

func TestEveryKindOfRequestIsOneThatTheServiceTakes(t *testing.T) {
	client, ctx := liveClient(t), t.Context()
	form, err := client.Forms.Create(ctx, FormToCreate{Name: "Go " + NewID(KindEvent, time.Now())})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := client.Forms.Delete(ctx, form.ID); err != nil {
			t.Error(err)
		}
	}()
	key, err := ParseOpeningKey(form.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	sent := sendTwice(t, client, form.ID)
	listed := 0
	for submission, err := range client.Submissions.All(ctx, form.ID, Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		fields, err := submission.Open([]*OpeningKey{key})
		if err != nil || fields["name"] != "Zoë <&> 😀" || submission.ID != sent.ID {
			t.Error(fields, err)
		}
		listed++
	}
	if listed != 1 {
		t.Errorf("%d submissions, of one that was sent twice", listed)
	}
	for submission, err := range client.Submissions.Export(ctx, form.ID, ExportOptions{}) {
		if err != nil || submission.ID != sent.ID {
			t.Error(submission, err)
		}
	}
	throughTheBin(t, client, form.ID, sent.ID)
	readTheRest(t, client, form.ID)
}

// sendTwice sends one submission two times, as after a lost answer.
func sendTwice(t *testing.T, client *Client, formID string) SubmissionToSend {
	t.Helper()
	public, err := client.Forms.Public(t.Context(), formID)
	if err != nil || public.PublicKey.Fingerprint() != public.KeyFingerprint {
		t.Fatal(public, err)
	}
	id := NewID(KindSubmission, time.Now())
	payload, err := Seal(Fields{"name": "Zoë <&> 😀"}, Binding{formID, public.KeyVersion, id}, public.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	submission := SubmissionToSend{ID: id, Payload: payload, KeyVersion: public.KeyVersion}
	for range 2 {
		if accepted, err := client.Submissions.Send(t.Context(), formID, submission); err != nil || accepted.ID != id {
			t.Fatal(accepted, err)
		}
	}
	return submission
}

func throughTheBin(t *testing.T, client *Client, formID, submissionID string) {
	t.Helper()
	binned, err := client.Submissions.MoveToBin(t.Context(), formID, []string{submissionID})
	if err != nil || binned.SubmissionsBinned != 1 {
		t.Error(binned, err)
	}
	for submission, err := range client.Submissions.AllBinned(t.Context(), formID) {
		if err != nil || submission.ID != submissionID || submission.PurgeAt <= submission.BinnedAt {
			t.Error(submission, err)
		}
	}
	if restored, err := client.Submissions.RestoreAll(t.Context(), formID); err != nil || restored != 1 {
		t.Error(restored, err)
	}
	if err := client.Submissions.Delete(t.Context(), formID, submissionID); err != nil {
		t.Error(err)
	}
	_, err = client.Submissions.Get(t.Context(), formID, submissionID)
	var failure *APIError
	if !errors.As(err, &failure) || failure.Code != CodeNotFound {
		t.Error(err)
	}
}

func readTheRest(t *testing.T, client *Client, formID string) {
	t.Helper()
	ctx := t.Context()
	if updated, err := client.Forms.Update(ctx, formID, FormChange{Settings: SettingsChange{"submissionsPerHour": 5}}); err != nil || *updated.Settings.SubmissionsPerHour != 5 {
		t.Error(updated, err)
	}
	if rotated, err := client.Forms.RotateKeys(ctx, formID, nil); err != nil || rotated.KeyVersion != 2 || len(rotated.PrivateKey) == 0 {
		t.Error(rotated, err)
	}
	if keys, err := client.Forms.Keys(ctx, formID); err != nil || len(keys) != 2 || keys[0].PublicKey.Fingerprint() != keys[0].Fingerprint {
		t.Error(keys, err)
	}
	if form, err := client.Forms.Get(ctx, formID); err != nil || form.EmbedCode == "" {
		t.Error(form, err)
	}
	if secret, err := client.Webhooks.Secret(ctx, formID); err != nil || len(secret.Secret) < 32 {
		t.Error(err)
	}
	if statistics, err := client.Forms.Stats(ctx, formID, "week"); err != nil || statistics.Stats.TotalSubmissions != 1 {
		t.Error(statistics, err)
	}
	if usage, err := client.Account.Usage(ctx); err != nil || usage.Bytes < 0 {
		t.Error(usage, err)
	}
	days := 30
	if err := client.Forms.SetRetention(ctx, formID, &days); err != nil {
		t.Error(err)
	}
	if kept, err := client.Forms.Retention(ctx, formID); err != nil || kept == nil || *kept != 30 {
		t.Error(kept, err)
	}
	if page, err := client.Webhooks.Logs(ctx, formID, LogFilter{}, PageOptions{Limit: 5}); err != nil || len(page.Items) != 0 {
		t.Error(page, err)
	}
}

func TestAnEnvelopeIsReadAsItsBytes(t *testing.T) {
	client, ctx, formID := liveClient(t), t.Context(), os.Getenv("SEALPOST_FORM_ID")
	listed, err := client.Forms.Envelopes(ctx, formID)
	if err != nil || len(listed) != 1 {
		t.Fatal(listed, err)
	}
	for _, revision := range []int{0, 1} {
		data, err := client.Forms.Envelope(ctx, formID, 1, revision)
		hash := sha256.Sum256(data)
		if err != nil || len(data) != listed[0].Bytes || base64.RawURLEncoding.EncodeToString(hash[:]) != listed[0].Hash {
			t.Error(string(data), err)
		}
	}
	page, err := client.Forms.EnvelopeRevisions(ctx, formID, 1, PageOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Revision != 1 || page.Items[0].Hash != listed[0].Hash || page.NextCursor != "" {
		t.Error(page, err)
	}
	var failure *APIError
	if data, err := client.Forms.Envelope(ctx, formID, 1, 2); data != nil || !errors.As(err, &failure) || failure.Code != CodeNotFound {
		t.Error(data, err)
	}
	if data, err := client.Members.SignedList(ctx); data != nil || !errors.As(err, &failure) || failure.Code != CodeNotFound {
		t.Error(data, err)
	}
}

func TestOrganizationsMembersAndInvitations(t *testing.T) {
	liveClient(t)
	ctx := t.Context()
	client, err := NewClient(os.Getenv("SEALPOST_URL"), ClientOptions{Token: os.Getenv("SEALPOST_SESSION_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	council, err := client.Organizations.Create(ctx, "Council")
	if err != nil || council.Role != "owner" || council.Current || council.Forms != nil {
		t.Fatal(council, err)
	}
	meant, err := NewClient(os.Getenv("SEALPOST_URL"), ClientOptions{
		Token: os.Getenv("SEALPOST_SESSION_TOKEN"), Organization: council.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	var changed *APIError
	if _, err := meant.Members.List(ctx); !errors.As(err, &changed) || changed.Reason != "organization_changed" {
		t.Error(err)
	}
	if own, err := client.Organizations.List(ctx); err != nil || len(own.Organizations) < 2 || !own.CanCreate {
		t.Error(own, err)
	}
	lines := 0
	for line, err := range client.AuditLog.Export(ctx, 0) {
		if err != nil || lines == 0 && !strings.HasPrefix(string(line), `{"format":"sealpost-audit/1"`) {
			t.Error(string(line), err)
		}
		lines++
	}
	if lines < 2 {
		t.Error(lines, "lines of the audit log")
	}
	if err := client.Organizations.RequireSecondFactor(ctx, nil); err != nil {
		t.Error(err)
	}
	formID := os.Getenv("SEALPOST_FORM_ID")
	created, err := client.Invitations.Create(ctx, InvitationInput{Email: "go@example.com", Role: "reader", Forms: []string{formID}})
	if err != nil || created.URL == "" || len(created.Invitation.Forms) != 1 {
		t.Fatal(created, err)
	}
	if open, err := client.Invitations.List(ctx); err != nil || len(open) != 1 || open[0].ID != created.Invitation.ID {
		t.Error(open, err)
	}
	if err := client.Invitations.Revoke(ctx, created.Invitation.ID); err != nil {
		t.Error(err)
	}
	var refused *APIError
	if _, err := client.Invitations.Accept(ctx, "token"); !errors.As(err, &refused) || refused.Status != 400 {
		t.Error(err)
	}
	members, err := client.Members.List(ctx)
	if err != nil || len(members) != 1 || members[0].Role != "owner" {
		t.Fatal(members, err)
	}
	if same, err := client.Members.Change(ctx, members[0].ID, MemberChange{Role: "owner"}); err != nil || same.ID != members[0].ID {
		t.Error(same, err)
	}
	for _, refusal := range []error{
		client.Members.Leave(ctx), client.Members.Remove(ctx, members[0].ID), client.Forms.HandOver(ctx, formID, "acc_unknown", nil),
	} {
		if !errors.As(refusal, &refused) || refused.Code == "" {
			t.Error(refusal)
		}
	}
}
