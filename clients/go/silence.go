package sealpost

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrTimeout says that the server stayed silent for too long.
var ErrTimeout = errors.New("the server stayed silent for too long")

// silenceClock ends a request when its server is silent. Only the server is on the clock: the caller may take any time
// between two pieces of a streamed answer.
type silenceClock struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	timeout time.Duration
}

func startSilenceClock(parent context.Context, timeout time.Duration) *silenceClock {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(timeout, func() { cancel(ErrTimeout) })
	return &silenceClock{ctx, cancel, timer, timeout}
}

func (clock *silenceClock) end() {
	clock.timer.Stop()
	clock.cancel(nil)
}

// causeOf is why a request ended, where err only says that it was cancelled.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (clock *silenceClock) watch(body io.ReadCloser) io.ReadCloser {
	clock.timer.Stop()
	return &watchedBody{body, clock}
}

type watchedBody struct {
	io.ReadCloser
	clock *silenceClock
}

func (body *watchedBody) Read(target []byte) (int, error) {
	body.clock.timer.Reset(body.clock.timeout)
	defer body.clock.timer.Stop()
	return body.ReadCloser.Read(target)
}
