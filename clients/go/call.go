package sealpost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// defaultAnswerBytesMax bounds what a broken server can make a client hold: a page of the 100 largest submissions has 140 MB.
const defaultAnswerBytesMax = 256 << 20

const contentTypeLines = "application/x-ndjson"

// request is one request to the API.
type request struct {
	method string
	// path has its ids filled in by toPath.
	path string
	// template is the path with {} for each id.
	template string
	query    url.Values
	body     any
	// repeatable says that it may arrive twice without harm.
	repeatable bool
	// timeout is used in the place of the client's own.
	timeout time.Duration
	accept  string
}

type calls struct {
	base    string
	options ClientOptions
	http    *http.Client
	wait    func(context.Context, time.Duration) error
	// answerBytesMax is of what a compressed answer becomes.
	answerBytesMax int64
}

// call sends a request and reads its answer into target.
func (calls *calls) call(ctx context.Context, request request, target any) error {
	if request.accept == "" {
		request.accept = "application/json"
	}
	return calls.repeat(ctx, request, func(response *http.Response) error {
		text, err := calls.readWhole(response)
		if err != nil {
			return err
		}
		if json.Unmarshal(text, target) != nil {
			return notOfTheAPI(response)
		}
		if member := findUnexpectedMember(request.method+" "+request.template, text); member != "" {
			return unexpectedAnswer(response.StatusCode, "the answer is not what the API gives ("+member+"): is this the address of a Sealpost instance, and no older one?")
		}
		return nil
	})
}

// data sends a request that reads, whose answer is not JSON, and gives the answer's bytes.
func (calls *calls) data(ctx context.Context, request request, ids ...string) ([]byte, error) {
	path, err := toPath(request.path, ids...)
	if err != nil {
		return nil, err
	}
	request.path, request.accept = path, "*/*"
	var data []byte
	err = calls.repeat(ctx, request, func(response *http.Response) error {
		data, err = calls.readWhole(response)
		return err
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

func (calls *calls) readWhole(response *http.Response) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(response.Body, calls.answerBytesMax+1))
	if err == nil && int64(len(data)) > calls.answerBytesMax {
		err = notOfTheAPI(response)
	}
	return data, err
}

func notOfTheAPI(response *http.Response) error {
	return unexpectedAnswer(response.StatusCode, "the answer is not what the API gives: is this the address of a Sealpost instance?")
}

// repeat sends a request until read took the answer, or another try is not worth it.
func (calls *calls) repeat(ctx context.Context, request request, read func(*http.Response) error) error {
	var body []byte
	if request.body != nil {
		var err error
		// Once: what is sent again has to be the same.
		if body, err = encodeJSON(request.body); err != nil {
			return fmt.Errorf("sealpost: the request is not JSON: %w", err)
		}
	}
	for retries := 0; ; retries++ {
		err := calls.send(ctx, request, body, read)
		if err == nil || ctx.Err() != nil || retries >= calls.options.RetriesMax {
			return err
		}
		delay, worth := calls.delay(request, err, retries)
		if !worth {
			return err
		}
		if calls.wait(ctx, delay) != nil {
			return err
		}
	}
}

// delay is the time before another try, and whether one is worth it.
func (calls *calls) delay(request request, err error, retries int) (time.Duration, bool) {
	backoff := time.Duration(float64(500*time.Millisecond<<min(retries, 10)) * (1 + rand.Float64()))
	var failure *APIError
	if !errors.As(err, &failure) {
		return min(backoff, calls.options.RetryWaitMax), request.repeatable && !errors.Is(err, errBeforeSending)
	}
	limited := failure.Status == http.StatusTooManyRequests
	unavailable := failure.Status == http.StatusServiceUnavailable && request.repeatable
	if failure.RetryAfter > 0 {
		backoff = failure.RetryAfter
	}
	return backoff, (limited || unavailable) && backoff <= calls.options.RetryWaitMax
}

// errBeforeSending marks what another try would not change.
var errBeforeSending = errors.New("sealpost: the request could not be made")

func (calls *calls) send(ctx context.Context, request request, body []byte, read func(*http.Response) error) error {
	timeout := calls.options.Timeout
	if request.timeout > 0 {
		timeout = max(timeout, request.timeout)
	}
	clock := startSilenceClock(ctx, timeout)
	defer clock.end()
	sent, err := calls.build(clock.ctx, request, body)
	if err != nil {
		return err
	}
	response, err := calls.http.Do(sent)
	if err != nil {
		return fmt.Errorf("sealpost: %w", causeOf(clock.ctx, err))
	}
	defer response.Body.Close()
	response.Body = clock.watch(response.Body)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // without its body it is an error all the same
		return toAPIError(response, text, time.Now())
	}
	if err := read(response); err != nil {
		var failure *APIError
		if errors.As(err, &failure) {
			return err
		}
		return fmt.Errorf("sealpost: %w", causeOf(clock.ctx, err))
	}
	return nil
}

func (calls *calls) build(ctx context.Context, request request, body []byte) (*http.Request, error) {
	address := calls.base + request.path
	if len(request.query) > 0 {
		address += "?" + request.query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, request.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBeforeSending, err)
	}
	token := calls.options.Token
	if calls.options.TokenSource != nil {
		if token, err = calls.options.TokenSource(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w", errBeforeSending, err)
		}
	}
	if token != "" {
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	if calls.options.Organization != "" {
		sent.Header.Set("Sealpost-Organization", calls.options.Organization)
	}
	if body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	sent.Header.Set("Accept", request.accept)
	sent.Header.Set("User-Agent", "sealpost-go")
	// The transport may only repeat what is harmless twice; it knows GET, and this header.
	if request.repeatable && request.method != http.MethodGet {
		sent.Header["Idempotency-Key"] = nil
	}
	return sent, nil
}

// toPath fills the ids into a path. An empty id or .. would name another resource: a list instead of its member, say.
func toPath(template string, ids ...string) (string, error) {
	filled := template
	for _, id := range ids {
		if id == "" || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			return "", fmt.Errorf("sealpost: not an id: %q", id)
		}
		filled = strings.Replace(filled, "{}", id, 1)
	}
	return filled, nil
}

// at is toPath and call together.
func (calls *calls) at(ctx context.Context, request request, target any, ids ...string) error {
	path, err := toPath(request.path, ids...)
	if err != nil {
		return err
	}
	request.template, request.path = request.path, path
	return calls.call(ctx, request, target)
}

func wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func formatInt[Number ~int | ~int64](number Number) string {
	return strconv.FormatInt(int64(number), 10)
}
