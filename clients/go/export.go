package sealpost

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
)

// lineBytesMax bounds one line of an export: four times the largest submission.
const lineBytesMax = 4 << 20

// ExportOptions say which submissions are exported.
type ExportOptions struct {
	Range
	// After continues after the submission of this id.
	After string
}

// exportAnswersMax bounds the answers of one export: a proxy that ends each after a part of it is asked so often.
const exportAnswersMax = 10_000

// Export gives all submissions, oldest first, out of one streamed answer, in constant memory. Where a proxy has ended the answer at the
// end of a line, so that it looks whole, the rest is asked for. After an error comes nothing more; ExportOptions.After continues there.
func (submissions *SubmissionsClient) Export(ctx context.Context, formID string, options ExportOptions) iter.Seq2[Submission, error] {
	return func(yield func(Submission, error) bool) {
		path, err := toPath("/api/forms/{}/submissions/export", formID)
		if err != nil {
			yield(Submission{}, err)
			return
		}
		query := options.addTo(url.Values{})
		first, last := "", options.After
		isAskedAgain := false
		for answers := range exportAnswersMax {
			if last != "" {
				query.Set("after", last)
			}
			count, isLeft := 0, false
			header, err := streamLines(ctx, submissions.calls, reading(path, query), func(submission Submission, _ error) bool {
				if answers > 0 && submission.ID == first {
					yield(Submission{}, unexpectedAnswer(http.StatusOK, "the server gave "+first+" twice"))
					isLeft = true
				} else {
					isLeft = !yield(submission, nil)
				}
				if count++; first == "" {
					first = submission.ID
				}
				last = submission.ID
				return !isLeft
			})
			if err != nil {
				yield(Submission{}, err)
			}
			if err != nil || isLeft {
				return
			}
			// The last one may have been deleted since the answer began: then nothing more is named.
			expected := header.Get("Sealpost-Last-Submission")
			if expected == "" && count == 0 || expected != "" && last == expected {
				return
			}
			if count == 0 && isAskedAgain {
				yield(Submission{}, unexpectedAnswer(http.StatusOK, "the server's answer ended twice before its first line"))
				return
			}
			isAskedAgain = count == 0
		}
		yield(Submission{}, unexpectedAnswer(http.StatusOK, "the server's export has no end"))
	}
}

// streamLines asks for lines, and yields what each of them holds; it gives the header of the answer.
func streamLines[Item any](ctx context.Context, calls *calls, exporting request, yield func(Item, error) bool) (http.Header, error) {
	exporting.accept = contentTypeLines
	var failure error
	var header http.Header
	err := calls.repeat(ctx, exporting, func(response *http.Response) error {
		header = response.Header
		// Nil, because what was consumed can't be asked for again.
		failure = eachLine(response, yield)
		return nil
	})
	if err == nil {
		err = failure
	}
	return header, err
}

// eachLine yields the item in each line, until there are no more or the consumer has enough.
func eachLine[Item any](response *http.Response, yield func(Item, error) bool) error {
	lines := bufio.NewScanner(response.Body)
	// The scanner counts the end of the line, too, and takes no line that fills it.
	lines.Buffer(nil, lineBytesMax+2)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var item Item
		if line[0] != '{' || json.Unmarshal(line, &item) != nil {
			if lines.Err() != nil {
				break // a line that was cut off
			}
			return unexpectedAnswer(response.StatusCode, "the export holds something that does not belong there")
		}
		if !yield(item, nil) {
			return nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return unexpectedAnswer(response.StatusCode, "the export holds a line that is too long")
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("sealpost: %w", causeOf(response.Request.Context(), err))
	}
	return nil
}
