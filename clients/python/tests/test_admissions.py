from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from admissions import List, finish, link_of_words, see
from signed_lines import Refusal
from vectors import read_vectors

vectors = read_vectors("admissions")


@functools.cache
def list_of(name: str) -> List:
    known = vectors["lists"][name]
    return List(known["list"].encode(), known["organizationId"], known["head"])


def outcome_of(opened: str, read: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return opened, read()
    except Refusal as refusal:
        return str(refusal), None


@pytest.mark.parametrize("vector", vectors["vectors"], ids=lambda vector: vector["name"])
def test_an_admission_is_taken_or_refused_as_its_vector_says(vector: dict[str, Any]) -> None:
    terms, known, now = vector["terms"].encode(), list_of(vector["list"]), vector["now"]
    if "answer" not in vector:
        outcome, _ = outcome_of("verified", lambda: see(terms, vector["link"], known, now))
        assert outcome == vector["outcome"]
        return
    answer, finisher = vector["answer"].encode(), vector["finisher"]
    outcome, result = outcome_of("opened", lambda: finish(terms, answer, finisher, known, now))
    assert outcome == vector["outcome"]
    if result is not None:
        assert result == {name: vector[name] for name in ("change", "admission", "member")}


@pytest.mark.parametrize("vector", vectors["words"], ids=lambda vector: vector["name"])
def test_six_words_are_the_link_that_their_vector_says(vector: dict[str, Any]) -> None:
    terms = vector["terms"].encode()
    outcome, link = outcome_of("verified", lambda: link_of_words(vector["words"], terms))
    assert link == vector.get("link")
    if link is not None:
        outcome, _ = outcome_of("verified", lambda: see(terms, link, list_of(vector["list"]), vector["now"]))
    assert outcome == vector["outcome"]
