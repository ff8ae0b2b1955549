package sealpost

import (
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"slices"
)

// BinnedSubmission is a submission in a form's bin.
type BinnedSubmission struct {
	Submission
	BinnedAt Milliseconds
	// PurgeAt is when it is deleted for good.
	PurgeAt Milliseconds
}

// UnmarshalJSON reads a submission of the API with its place in the bin.
func (binned *BinnedSubmission) UnmarshalJSON(text []byte) error {
	var bin struct {
		BinnedAt Milliseconds `json:"binnedAt"`
		PurgeAt  Milliseconds `json:"purgeAt"`
	}
	if err := json.Unmarshal(text, &bin); err != nil {
		return err
	}
	binned.BinnedAt, binned.PurgeAt = bin.BinnedAt, bin.PurgeAt
	return binned.Submission.UnmarshalJSON(text)
}

// Binned says what became of submissions that were moved to the bin: where a form keeps no bin they are deleted.
type Binned struct {
	SubmissionsBinned  int64 `json:"submissionsBinned"`
	SubmissionsDeleted int64 `json:"submissionsDeleted"`
}

// ListBin gives one page of a form's bin, the latest first.
func (submissions *SubmissionsClient) ListBin(ctx context.Context, formID string, options PageOptions) (*Page[BinnedSubmission], error) {
	var answer struct {
		Submissions []BinnedSubmission `json:"submissions"`
		Total       int                `json:"total"`
		NextCursor  string             `json:"nextCursor"`
	}
	err := submissions.calls.at(ctx, reading(binPath, options.query()), &answer, formID)
	return pageOf(answer.Submissions, answer.Total, answer.NextCursor, err)
}

// AllBinned gives all submissions in a form's bin, the latest first, loaded while they are consumed.
func (submissions *SubmissionsClient) AllBinned(ctx context.Context, formID string) iter.Seq2[BinnedSubmission, error] {
	return each(ctx, func(ctx context.Context, options PageOptions) (*Page[BinnedSubmission], error) {
		return submissions.ListBin(ctx, formID, options)
	})
}

// MoveToBin moves the submissions of these ids, any number of them, to the form's bin.
func (submissions *SubmissionsClient) MoveToBin(ctx context.Context, formID string, ids []string) (Binned, error) {
	var sum Binned
	for part := range slices.Chunk(ids, idsMax) {
		if _, err := submissions.move(ctx, formID, idList{part}, &sum); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// MoveToBinBefore moves all submissions received before this moment to the form's bin.
func (submissions *SubmissionsClient) MoveToBinBefore(ctx context.Context, formID string, before Milliseconds) (Binned, error) {
	body := map[string]Milliseconds{"before": before}
	var sum Binned
	for {
		already := sum
		hasMore, err := submissions.move(ctx, formID, body, &sum)
		if err != nil || !hasMore {
			return sum, err
		}
		if sum == already {
			return sum, unexpectedAnswer(200, "the server's list has no end")
		}
	}
}

// Restore restores the submissions of these ids, any number of them. It tells how many there were.
func (submissions *SubmissionsClient) Restore(ctx context.Context, formID string, ids []string) (submissionsRestored int64, err error) {
	for part := range slices.Chunk(ids, idsMax) {
		count, _, err := submissions.restore(ctx, formID, idList{part})
		submissionsRestored += count
		if err != nil {
			return submissionsRestored, err
		}
	}
	return submissionsRestored, nil
}

// RestoreAll restores all that is in a form's bin.
func (submissions *SubmissionsClient) RestoreAll(ctx context.Context, formID string) (submissionsRestored int64, err error) {
	for {
		count, hasMore, err := submissions.restore(ctx, formID, map[string]bool{"all": true})
		submissionsRestored += count
		if err != nil || !hasMore {
			return submissionsRestored, err
		}
		if count == 0 {
			return submissionsRestored, unexpectedAnswer(200, "the server's list has no end")
		}
	}
}

// EmptyBin deletes for good all that is in a form's bin, also what nobody has seen there: see EmptyBinBefore.
func (submissions *SubmissionsClient) EmptyBin(ctx context.Context, formID string) (submissionsDeleted int64, err error) {
	emptying := request{method: "DELETE", path: binPath, query: url.Values{"confirm": {"EMPTY_BIN"}}}
	deleted, err := get[deletedCount](ctx, submissions.calls, emptying, "deleted", formID)
	return deleted.count(), err
}

// EmptyBinBefore deletes for good what was moved to a form's bin before this moment. A millisecond after the latest BinnedAt
// that was seen, it deletes nothing that was moved there since.
func (submissions *SubmissionsClient) EmptyBinBefore(ctx context.Context, formID string, before Milliseconds) (submissionsDeleted int64, err error) {
	query := url.Values{"confirm": {"EMPTY_BIN"}, "before": {formatInt(before)}}
	deleted, err := get[deletedCount](ctx, submissions.calls, request{method: "DELETE", path: binPath, query: query}, "deleted", formID)
	return deleted.count(), err
}

const binPath = "/api/forms/{}/submissions/bin"

func (submissions *SubmissionsClient) move(ctx context.Context, formID string, body any, sum *Binned) (hasMore bool, err error) {
	moved, err := get[struct {
		Binned
		HasMore bool `json:"hasMore"`
	}](ctx, submissions.calls, posting(binPath, body), "binned", formID)
	if err != nil {
		return false, err
	}
	sum.SubmissionsBinned += moved.SubmissionsBinned
	sum.SubmissionsDeleted += moved.SubmissionsDeleted
	return moved.HasMore, nil
}

func (submissions *SubmissionsClient) restore(ctx context.Context, formID string, body any) (count int64, hasMore bool, err error) {
	restored, err := get[struct {
		SubmissionsRestored int64 `json:"submissionsRestored"`
		HasMore             bool  `json:"hasMore"`
	}](ctx, submissions.calls, posting("/api/forms/{}/submissions/bin/restore", body), "restored", formID)
	if err != nil {
		return 0, false, err
	}
	return restored.SubmissionsRestored, restored.HasMore, nil
}
