"""Every method, and every answer that is not what it promises."""

import gzip
import inspect
import io
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from played_server import Answer, play

from sealpost import ApiError, Client, PreparedSubmission, create_id
from sealpost._calls import Calls, _answer_bytes_max, _split_lines
from sealpost._check_answer import _described

values: dict[str, Any] = {"null": None, "list": [], "object": {}, "string": "text", "boolean": False, "integer": 7}
prepared = PreparedSubmission(create_id("submission"), create_id("form"), 1, {})  # type: ignore[typeddict-item]


def argument_of(parameter: inspect.Parameter) -> Any:
    kind = str(parameter.annotation)
    if "PreparedSubmission" in kind:
        return prepared
    if "Sequence" in kind:
        return ["id_1"]
    if "Mapping" in kind:
        return {}
    if "bool" in kind:
        return True
    return "id_1" if "str" in kind or "Literal" in kind else 1


def methods_of(client: Client) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each with its name, and what it needs to be called. Those that give bytes, or lines that they do not look into, are left out."""
    for name, part in vars(client).items():
        for method_name, method in inspect.getmembers(part, inspect.ismethod):
            signature = inspect.signature(method)
            if method_name.startswith("_") or signature.return_annotation is bytes or method_name == "export_audit_log":
                continue
            needed = [each for each in signature.parameters.values() if each.default is each.empty]
            given = {each.name: argument_of(each) for each in needed}

            def call(method: Any = method, given: dict[str, Any] = given) -> Any:
                result = method(**given)
                return next(result) if inspect.isgenerator(result) else result

            yield f"{name}.{method_name}", call


def code_of(call: Callable[[], Any]) -> str:
    try:
        call()
    except ApiError as error:
        return error.code
    except StopIteration:
        return "nothing"
    return "an answer"


@pytest.mark.parametrize("body", [b"{}", b"null", b"[]", b'"x"', b"[{}]", b"7"])
def test_every_method_refuses_json_of_another_kind(body: bytes) -> None:
    with play(*[Answer(body=body)] * 200) as server:
        codes = {name: code_of(call) for name, call in methods_of(Client(server.url))}
    assert len(codes) > 60
    assert {name: code for name, code in codes.items() if code != "unexpected_answer"} == {}


def answer_of(members: list[str]) -> dict[str, Any]:
    """With all that the table has of it, but no items in lists."""
    answer: dict[str, Any] = {}
    for member in members:
        path, kinds = member.replace("?", "").split("=")
        outer, _, inner = path.partition(".")
        value = values.get(kinds.split("|")[0], "text")
        if not inner and "[]" not in outer:
            answer[outer] = value
        elif isinstance(answer.get(outer), dict):
            answer[outer] = {**answer[outer], inner: value}
    return answer


def test_every_method_refuses_an_answer_whose_member_is_missing_or_of_another_kind() -> None:
    count = 0
    parse = "sealpost._calls._parse"
    operations: list[str] = []

    def note(_: Calls, operation: str, *__: object) -> io.BytesIO:
        operations.append(operation)
        raise ApiError("noted", status=500)

    for name, call in methods_of(Client("https://forms.example.org", retries=0)):
        with patch.object(Calls, "_open", note):
            code_of(call)
        members = _described.get(operations[-1], [])
        for member in (each for each in members if not set("?.[") & set(each)):
            path, kinds = member.split("=")
            whole = answer_of(members)
            wrong = next((value for kind, value in values.items() if kind not in kinds.split("|")), None)
            without = {key: value for key, value in whole.items() if key != path}
            for answer in [without] if kinds == "any" else [without, {**whole, path: wrong}]:
                response = patch.object(Calls, "_open", lambda *_: _Response())
                with response, patch("sealpost._calls._read_whole"), patch(parse, return_value=answer):
                    assert code_of(call) == "unexpected_answer", (name, member, answer)
                count += 1
    assert count > 150


class _Response(io.BytesIO):
    status = 200
    headers: dict[str, str] = {}
    length = 0


def test_a_line_of_an_export_is_an_object_of_at_most_4_mib_and_reading_it_takes_linear_time() -> None:
    for line in (b"null", b"[]", b'"x"', b"7"):
        with play(Answer(body=line), Answer(body=line)) as server:
            client = Client(server.url)
            for lines in (client.submissions.export("form_1"), client.account.export_audit_log()):
                assert code_of(partial(next, lines)) == "unexpected_answer"
    started = time.process_time()
    with pytest.raises(ApiError, match="too long"):
        list(_split_lines(_Response(b"x" * (1 << 26))))  # type: ignore[arg-type]
    assert list(_split_lines(_Response(b"x" * (1 << 22)))) == [b"x" * (1 << 22)]  # type: ignore[arg-type]
    assert time.process_time() - started < 5


class _Endless(io.RawIOBase):
    """An answer without end, and how much of it was read."""

    status = 200
    headers: dict[str, str] = {}
    length = None
    taken = 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "all of it is asked for"
        self.taken += size
        return b"0" * size


def test_an_answer_without_end_is_read_to_a_bound() -> None:
    assert _answer_bytes_max == 1 << 28, "the same in every language"
    client = Client("https://forms.example.org", retries=0)
    calls = Calls("https://forms.example.org", None, timeout=1, retries=0, wait_max=0)
    for call in (lambda: client.forms.get("form_1"), lambda: calls.data("GET /api/instance")):
        endless = _Endless()
        with patch("sealpost._calls._answer_bytes_max", 1 << 16), patch.object(Calls, "_open", return_value=endless):
            with pytest.raises(ApiError, match="too large"):
                call()
        assert endless.taken == (1 << 16) + 1


def test_an_answer_that_is_compressed_is_not_inflated() -> None:
    bomb = gzip.compress(b"0" * (1 << 26))
    with play(Answer(body=bomb, headers={"content-encoding": "gzip"})) as server:
        tracemalloc.start()
        assert code_of(lambda: Client(server.url, retries=0).forms.get("form_1")) == "unexpected_answer"
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
        tracemalloc.stop()
