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

// Export gives all submissions, oldest first, out of one streamed answer, in constant memory. After an error comes nothing
// more; ExportOptions.After continues there.
func (submissions *SubmissionsClient) Export(ctx context.Context, formID string, options ExportOptions) iter.Seq2[Submission, error] {
	return func(yield func(Submission, error) bool) {
		path, err := toPath("/api/forms/{}/submissions/export", formID)
		if err != nil {
			yield(Submission{}, err)
			return
		}
		query := options.addTo(url.Values{})
		if options.After != "" {
			query.Set("after", options.After)
		}
		if err := streamLines(ctx, submissions.calls, reading(path, query), yield); err != nil {
			yield(Submission{}, err)
		}
	}
}

// streamLines asks for lines, and yields what each of them holds.
func streamLines[Item any](ctx context.Context, calls *calls, exporting request, yield func(Item, error) bool) error {
	exporting.accept = contentTypeLines
	var failure error
	err := calls.repeat(ctx, exporting, func(response *http.Response) error {
		// Nil, because what was consumed can't be asked for again.
		failure = eachLine(response, yield)
		return nil
	})
	if err == nil {
		err = failure
	}
	return err
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
