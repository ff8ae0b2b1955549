"""Requests to the API: one that fails for a while is repeated, where repeating can't do it twice."""

import functools
import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, cast

from ._check_answer import find_unexpected_member
from .api_error import ApiError, parse_api_error

_answer_bytes_max = 1 << 28
_line_bytes_max = 1 << 22  # a submission has at most 1 MiB, sealed and in base64
_error_bytes_max = 1 << 20
_portion_bytes = 1 << 15
_pause_seconds_max = 8.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the credentials elsewhere, and means that the address is not the instance's own."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


class Calls:
    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None,
        *,
        organization: str | None = None,
        timeout: float,
        retries: int,
        wait_max: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base_url = _parse_base_url(base_url)
        self._token = token
        self._organization = organization
        self._timeout = timeout
        self._retries = retries
        self._wait_max = wait_max
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._headers()  # a token or an id that can't be sent is reported at once

    def call(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        *,
        is_repeatable: bool | None = None,
        timeout: float | None = None,
    ) -> Any:
        """
        Sends a request, named as in the API document, and gives its parsed answer. Reads and PUT are repeated after a lost
        connection; others only if `is_repeatable`.
        """
        method = operation.split(" ")[0]
        repeatable = method in ("GET", "PUT") if is_repeatable is None else is_repeatable
        data = None if body is None else json.dumps(body, allow_nan=False).encode()

        def attempt() -> Any:
            with self._open(operation, path or {}, query or {}, data, timeout) as response:
                answer = _parse(response, _read_whole(response))
                member = find_unexpected_member(operation, answer)
                if member is not None:
                    raise _unexpected(response, f"The server's answer is not one of Sealpost's ({member}): {_doubt}")
                return answer

        return self._repeat(attempt, repeatable)

    def data(
        self, operation: str, path: Mapping[str, str] | None = None, query: Mapping[str, object] | None = None
    ) -> bytes:
        """The same for a read whose answer is not JSON: its bytes."""

        def attempt() -> bytes:
            with self._open(operation, path or {}, query or {}, None, None) as response:
                return _read_whole(response)

        return cast(bytes, self._repeat(attempt, True))

    def lines(
        self,
        operation: str,
        path: Mapping[str, str],
        query: Mapping[str, object],
        on_headers: Callable[[http.client.HTTPMessage], object] | None = None,
    ) -> Iterator[Any]:
        """
        The same for an answer of lines, one JSON value each. It is read while the lines are consumed. `on_headers` gets its headers
        before the first of them.
        """
        with self._repeat(lambda: self._open(operation, path, query, None, None), True) as response:
            if on_headers is not None:
                on_headers(response.headers)
            for line in _split_lines(response):
                if line.strip():
                    value = _parse(response, line)
                    if not isinstance(value, dict):
                        raise _unexpected(response, "The server's answer holds a line that is no object")
                    yield value

    def _repeat(self, attempt: Callable[[], Any], is_repeatable: bool) -> Any:
        for number in range(self._retries):
            try:
                return attempt()
            except (ApiError, OSError) as error:
                pause = self._pause(error, number, is_repeatable)
                if pause is None:
                    raise
            self._sleep(pause)
        return attempt()

    def _pause(self, error: ApiError | OSError, number: int, is_repeatable: bool) -> float | None:
        """How many seconds to wait before the next attempt; `None` where there is none."""
        if isinstance(error, ApiError) and error.status == 429 and error.retry_after is not None:
            pause = float(error.retry_after)  # a request over the limit has done nothing, whatever it is
        elif not is_repeatable or (isinstance(error, ApiError) and error.status != 503):
            return None
        elif isinstance(error, ApiError) and error.retry_after is not None:
            pause = float(error.retry_after)
        else:
            pause = min(0.5 * 2**number, _pause_seconds_max) * random.uniform(1, 1.25)
        return pause if pause <= self._wait_max else None

    def _open(
        self,
        operation: str,
        path: Mapping[str, str],
        query: Mapping[str, object],
        data: bytes | None,
        timeout: float | None,
    ) -> http.client.HTTPResponse:
        method, template = operation.split(" ")
        url = self._base_url + _fill(template, path, query)
        request = urllib.request.Request(url, data, self._headers(), method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        seconds = self._timeout if timeout is None else timeout
        try:
            response: http.client.HTTPResponse = _translate(lambda: self._opener.open(request, timeout=seconds))
        except urllib.error.HTTPError as error:
            with error:
                headers = {name.lower(): value for name, value in error.headers.items()}
                data = _translate(functools.partial(error.read, _error_bytes_max))
                raise parse_api_error(error.code, headers, data, time.time()) from None
        return response

    def _headers(self) -> dict[str, str]:
        token = self._token() if callable(self._token) else self._token
        headers = {"Accept": "application/json, application/x-ndjson", "User-Agent": "sealpost-python"}
        if token is not None:
            # http.client would show it in its own error.
            if re.fullmatch("[!-~]+", token) is None:
                raise ValueError("token is not an API key or a session token: it has blanks or line breaks")
            headers["Authorization"] = f"Bearer {token}"
        if self._organization is not None:
            if re.fullmatch("[!-~]+", self._organization) is None:
                raise ValueError("organization is not the id of an organization: it has blanks or line breaks")
            headers["Sealpost-Organization"] = self._organization
        return headers


def _read_whole(response: http.client.HTTPResponse) -> bytes:
    data: bytes = _translate(lambda: response.read(_answer_bytes_max + 1))
    if len(data) > _answer_bytes_max:
        raise ApiError("The server's answer is too large", status=response.status)
    _check_whole(response)
    return data


def _split_lines(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Not `readline`, which takes a lost connection within chunks (RFC 9112) for the end."""
    rest = bytearray()
    while portion := _translate(lambda: response.read(_portion_bytes)):
        *lines, last = portion.split(b"\n")
        for line in lines:
            rest += line
            _check_line(response, rest)
            yield bytes(rest)
            rest.clear()
        rest += last
        _check_line(response, rest)
    _check_whole(response)
    yield bytes(rest)


def _check_line(response: http.client.HTTPResponse, line: bytearray) -> None:
    if len(line) > _line_bytes_max:
        raise _unexpected(response, "The server's answer holds a line that is too long")


def _check_whole(response: http.client.HTTPResponse) -> None:
    # `read` with a length is silent about an answer that ends early.
    if response.length:
        raise ConnectionError("The connection to the server was lost: the answer ends early")


def _translate(read: Callable[[], Any]) -> Any:
    """What `read` gives. Lost connections are OSErrors, whatever urllib makes of them."""
    try:
        return read()
    except urllib.error.HTTPError:
        raise
    except urllib.error.URLError as error:
        _raise_os_error(error.reason, error)
    except http.client.HTTPException as error:
        _raise_os_error(error, error)


def _raise_os_error(reason: object, cause: Exception) -> NoReturn:
    if isinstance(reason, OSError):
        raise reason from cause
    raise ConnectionError(f"The connection to the server was lost: {type(cause).__name__}") from cause


def _parse_base_url(text: str) -> str:
    parts = urllib.parse.urlsplit(text)
    is_address = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not is_address or parts.query or parts.fragment or re.search(r"[\s\0-\x1f]", text):
        raise ValueError("base_url must be the address of the instance, such as https://forms.example.org")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _fill(template: str, path: Mapping[str, str], query: Mapping[str, object]) -> str:
    def fill(match: re.Match[str]) -> str:
        value = path[match[1]]
        # An empty id or `..` would name another resource: a list instead of its member, say, when deleting.
        if re.fullmatch("[A-Za-z0-9_-]+", value) is None:
            raise ValueError(f"Not an id: {value!r}")
        return value

    filled = re.sub(r"\{(\w+)\}", fill, template)
    given = {name: value for name, value in query.items() if value is not None}
    return f"{filled}?{urllib.parse.urlencode(given)}" if given else filled


def _parse(response: http.client.HTTPResponse, data: bytes) -> Any:
    try:
        return json.loads(data.decode())
    except Exception:
        raise _unexpected(response, f"The server's answer is not JSON: {_doubt}") from None


_doubt = "is this the address of a Sealpost instance, and no older one?"


def _unexpected(response: http.client.HTTPResponse, message: str) -> ApiError:
    return ApiError(message, status=response.status, request_id=response.headers.get("x-request-id"))
