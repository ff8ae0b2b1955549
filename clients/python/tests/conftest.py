"""The service that `npm run test:clients` starts."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sealpost import OpeningKey, parse_key


@dataclass(frozen=True)
class LiveService:
    """What a real service has for us: a form of our own with submissions, and a webhook that it sent."""

    url: str
    api_key: str
    session_token: str
    form_id: str
    key: OpeningKey
    submissions: dict[str, dict[str, Any]]
    webhook_secret: str
    webhook: dict[str, Any]


@pytest.fixture(scope="session")
def live() -> LiveService:
    if "SEALPOST_URL" not in os.environ:
        pytest.skip("needs a running service: npm run test:clients")

    def read(name: str) -> Any:
        return json.loads(Path(os.environ[name]).read_text(encoding="utf-8"))

    return LiveService(
        url=os.environ["SEALPOST_URL"],
        api_key=os.environ["SEALPOST_TOKEN"],
        session_token=os.environ["SEALPOST_SESSION_TOKEN"],
        form_id=os.environ["SEALPOST_FORM_ID"],
        key=parse_key(read("SEALPOST_PRIVATE_KEY_FILE")),
        submissions=read("SEALPOST_SUBMISSIONS_FILE"),
        webhook_secret=os.environ["SEALPOST_WEBHOOK_SECRET"],
        webhook=read("SEALPOST_WEBHOOK_FILE"),
    )
