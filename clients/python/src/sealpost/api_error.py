"""Answers of the API that are no success (contract, section 4.2)."""

import email.utils
import json
import math
import re
from collections.abc import Mapping
from typing import Any

_codes = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    412: "conflict",
    413: "payload_too_large",
    415: "unsupported_media_type",
    428: "bad_request",
    429: "rate_limited",
    500: "internal_error",
    503: "unavailable",
}


class ApiError(Exception):
    """
    A refusal. A server that could not be reached is an OSError instead (ConnectionError, TimeoutError).

    `code` is one of the API's error codes, or `unexpected_answer`: something else answered, another server or a proxy. `reason` is
    the code of the message (`form_name_taken`), `details` maps the paths of invalid fields to messages, `retry_after` is in
    seconds, `request_id` is for the operator's log.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "unexpected_answer",
        reason: str | None = None,
        details: Mapping[str, str] | None = None,
        retry_after: int | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.reason = reason
        self.details = details
        self.retry_after = retry_after
        self.request_id = request_id


def parse_api_error(status: int, headers: Mapping[str, str], body: bytes, now: float) -> ApiError:
    """The error in an answer, `{error, message, …}` or `{error: sentence}`. `headers` are by lower-case name."""
    try:
        parsed: Any = json.loads(body)
    except Exception:
        parsed = None
    value = parsed if isinstance(parsed, dict) else {}
    error, message, reason, details = (value.get(name) for name in ("error", "message", "code", "details"))
    sentence = message if isinstance(message, str) else error
    if not isinstance(sentence, str):
        sentence = f"The server answered {status}, but not as Sealpost does"
    return ApiError(
        sentence,
        status=status,
        code=_codes.get(status, "unexpected_answer"),
        reason=reason if isinstance(reason, str) else None,
        details={str(path): str(text) for path, text in details.items()} if isinstance(details, dict) else None,
        retry_after=_parse_retry_after(value.get("retryAfter", headers.get("retry-after")), now),
        request_id=headers.get("x-request-id"),
    )


def _parse_retry_after(value: object, now: float) -> int | None:
    """Seconds, or an HTTP date (RFC 9110 section 10.2.3)."""
    if isinstance(value, str):
        if re.fullmatch("[0-9]{1,9}", value):
            return int(value)
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
        return max(0, math.ceil(seconds))
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return max(0, math.ceil(value)) if is_number and isinstance(value, (int, float)) else None
