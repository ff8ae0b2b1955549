package sealpost

import (
	"context"
	"iter"
	"net/url"
	"slices"
)

// SubmissionsClient is for a form's submissions, which stay sealed: [Submission.Open] opens one.
type SubmissionsClient struct{ calls *calls }

// idsMax is how many ids one request may name.
const idsMax = 1000

// Range limits submissions by ReceivedAt; 0 is no limit.
type Range struct{ From, To Milliseconds }

func (limits Range) addTo(query url.Values) url.Values {
	if limits.From != 0 {
		query.Set("from", formatInt(limits.From))
	}
	if limits.To != 0 {
		query.Set("to", formatInt(limits.To))
	}
	return query
}

// List gives one page of submissions, newest first.
func (submissions *SubmissionsClient) List(ctx context.Context, formID string, limits Range, options PageOptions) (*Page[Submission], error) {
	var answer struct {
		Submissions []Submission `json:"submissions"`
		Total       int          `json:"total"`
		NextCursor  string       `json:"nextCursor"`
	}
	err := submissions.calls.at(ctx, reading("/api/forms/{}/submissions", limits.addTo(options.query())), &answer, formID)
	return pageOf(answer.Submissions, answer.Total, answer.NextCursor, err)
}

// All gives all submissions, newest first, loaded while they are consumed. Export is cheaper for many.
func (submissions *SubmissionsClient) All(ctx context.Context, formID string, limits Range) iter.Seq2[Submission, error] {
	return each(ctx, func(ctx context.Context, options PageOptions) (*Page[Submission], error) {
		return submissions.List(ctx, formID, limits, options)
	})
}

// Get gives one submission.
func (submissions *SubmissionsClient) Get(ctx context.Context, formID, submissionID string) (*Submission, error) {
	return get[Submission](ctx, submissions.calls, reading("/api/forms/{}/submissions/{}", nil), "submission", formID, submissionID)
}

// SubmissionToSend is a submission on its way to the service.
type SubmissionToSend struct {
	// ID is made by who seals: NewID(KindSubmission, time.Now()). Sent again with the same id and payload it counts once.
	ID         string  `json:"id"`
	Payload    Payload `json:"payload"`
	KeyVersion int     `json:"keyVersion"`
	// Timestamp is when it was made; the service's clock if it is 0.
	Timestamp Milliseconds `json:"timestamp,omitempty"`
}

// AcceptedSubmission is what the service says of a submission that is stored, on the disk, and counted.
type AcceptedSubmission struct {
	ID         string       `json:"id"`
	Timestamp  Milliseconds `json:"timestamp"`
	ReceivedAt Milliseconds `json:"receivedAt"`
}

// Send sends a submission. It needs no credential.
func (submissions *SubmissionsClient) Send(ctx context.Context, formID string, submission SubmissionToSend) (*AcceptedSubmission, error) {
	sending := posting("/api/forms/{}/submissions", submission)
	sending.repeatable = IsID(KindSubmission, submission.ID)
	return get[AcceptedSubmission](ctx, submissions.calls, sending, "submission", formID)
}

// Delete deletes a submission for good, at once, also from the bin.
func (submissions *SubmissionsClient) Delete(ctx context.Context, formID, submissionID string) error {
	deleting := request{method: "DELETE", path: "/api/forms/{}/submissions/{}"}
	return submissions.calls.at(ctx, deleting, new(struct{}), formID, submissionID)
}

// DeleteMany deletes the submissions of these ids, any number of them, for good, also from the bin.
func (submissions *SubmissionsClient) DeleteMany(ctx context.Context, formID string, ids []string) (submissionsDeleted int64, err error) {
	for part := range slices.Chunk(ids, idsMax) {
		deleted, err := get[deletedCount](ctx, submissions.calls, posting("/api/forms/{}/submissions/delete", idList{part}), "deleted", formID)
		submissionsDeleted += deleted.count()
		if err != nil {
			return submissionsDeleted, err
		}
	}
	return submissionsDeleted, nil
}

// DeleteBinned deletes those of these ids, any number of them, for good that are in the form's bin. What was restored is left.
func (submissions *SubmissionsClient) DeleteBinned(ctx context.Context, formID string, ids []string) (submissionsDeleted int64, err error) {
	for part := range slices.Chunk(ids, idsMax) {
		body := binnedList{IDs: part, OnlyInBin: true}
		deleted, err := get[deletedCount](ctx, submissions.calls, posting("/api/forms/{}/submissions/delete", body), "deleted", formID)
		submissionsDeleted += deleted.count()
		if err != nil {
			return submissionsDeleted, err
		}
	}
	return submissionsDeleted, nil
}

// DeleteBefore deletes all submissions received before this moment for good, also from the bin.
func (submissions *SubmissionsClient) DeleteBefore(ctx context.Context, formID string, before Milliseconds) (submissionsDeleted int64, err error) {
	query := url.Values{"confirm": {"DELETE_SUBMISSIONS"}, "before": {formatInt(before)}}
	deleting := request{method: "DELETE", path: "/api/forms/{}/submissions", query: query}
	deleted, err := get[deletedCount](ctx, submissions.calls, deleting, "deleted", formID)
	return deleted.count(), err
}

type idList struct {
	IDs []string `json:"ids"`
}

type binnedList struct {
	IDs       []string `json:"ids"`
	OnlyInBin bool     `json:"onlyInBin"`
}

type deletedCount struct {
	SubmissionsDeleted int64 `json:"submissionsDeleted"`
}

func (deleted *deletedCount) count() int64 {
	if deleted == nil {
		return 0
	}
	return deleted.SubmissionsDeleted
}
