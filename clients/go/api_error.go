package sealpost

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// ErrorCode is the kind of an APIError; it follows from the status.
type ErrorCode string

// The codes of the API. CodeUnexpectedAnswer says that something else answered: another server, or a proxy.
const (
	CodeBadRequest           ErrorCode = "bad_request"
	CodeUnauthorized         ErrorCode = "unauthorized"
	CodeForbidden            ErrorCode = "forbidden"
	CodeNotFound             ErrorCode = "not_found"
	CodeMethodNotAllowed     ErrorCode = "method_not_allowed"
	CodeConflict             ErrorCode = "conflict"
	CodePayloadTooLarge      ErrorCode = "payload_too_large"
	CodeUnsupportedMediaType ErrorCode = "unsupported_media_type"
	CodeRateLimited          ErrorCode = "rate_limited"
	CodeInternalError        ErrorCode = "internal_error"
	CodeUnavailable          ErrorCode = "unavailable"
	CodeUnexpectedAnswer     ErrorCode = "unexpected_answer"
)

var errorCodes = map[int]ErrorCode{
	400: CodeBadRequest, 401: CodeUnauthorized, 403: CodeForbidden, 404: CodeNotFound, 405: CodeMethodNotAllowed, 409: CodeConflict,
	412: CodeConflict, 413: CodePayloadTooLarge, 415: CodeUnsupportedMediaType, 428: CodeBadRequest, 429: CodeRateLimited, 500: CodeInternalError, 503: CodeUnavailable,
}

// APIError is an answer of the API that is no success. Find it with errors.As.
type APIError struct {
	// Status is that of HTTP.
	Status  int
	Code    ErrorCode
	Message string
	// Details has, for malformed input, a message for each field: webhookUrl.
	Details map[string]string
	// Reason is the code of the message, which stays when its words change: session_stale, form_name_taken.
	Reason string
	// RetryAfter says when another try is worth it; 0 where the server does not say.
	RetryAfter time.Duration
	// RequestID is for the operator's logs.
	RequestID string
}

// Error implements error.
func (err *APIError) Error() string {
	return fmt.Sprintf("sealpost: %d %s: %s", err.Status, err.Code, err.Message)
}

// toAPIError reads both shapes of the API: {error: code, message} and {error: sentence}.
func toAPIError(response *http.Response, text []byte, now time.Time) *APIError {
	code, known := errorCodes[response.StatusCode]
	if !known {
		code = CodeUnexpectedAnswer
	}
	failure := &APIError{Status: response.StatusCode, Code: code, RequestID: response.Header.Get("X-Request-Id")}
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), now)
	object, err := parseObject(text)
	sentence, ok := object["error"].(string)
	if err != nil || !ok {
		failure.Message = "the server answered, but not as Sealpost does"
		return failure
	}
	failure.Message = sentence
	if message, ok := object["message"].(string); ok {
		failure.Message = message
	}
	failure.Reason, _ = object["code"].(string)
	if number, ok := object["retryAfter"].(json.Number); ok {
		failure.RetryAfter = parseRetryAfter(number.String(), now)
	}
	if details, ok := object["details"].(map[string]any); ok {
		failure.Details = map[string]string{}
		for field, message := range details {
			if message, ok := message.(string); ok {
				failure.Details[field] = message
			}
		}
	}
	return failure
}

// parseRetryAfter reads seconds, or an HTTP date.
func parseRetryAfter(text string, now time.Time) time.Duration {
	const secondsMax = 1 << 31
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < secondsMax {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

func unexpectedAnswer(status int, message string) *APIError {
	return &APIError{Status: status, Code: CodeUnexpectedAnswer, Message: message}
}
