"""The examples of the README, run."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from test_receiver import event_of, sealed, vector
from vectors import keys

from sealpost import create_webhook_secret, sign_standard

_text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
blocks = re.findall(r"```python\n(.*?)```", _text, re.DOTALL)


def run(block: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block, "README.md", "exec"), names)
    return names


@pytest.mark.parametrize("framework", ["fastapi", "flask"])
def test_the_receiver_answers_and_opens(
    framework: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = create_webhook_secret()
    (tmp_path / "key.json").write_text(json.dumps(keys["first"]["privateKey"]))
    monkeypatch.setenv("SEALPOST_WEBHOOK_SECRET", secret)
    monkeypatch.setenv("SEALPOST_PRIVATE_KEY_FILE", str(tmp_path / "key.json"))
    (block,) = (block for block in blocks if f"from {framework}" in block)
    app = run(block)["app"]
    client: Any = TestClient(app) if framework == "fastapi" else app.test_client()

    def post(body: bytes, signed: bytes) -> int:
        moment = int(time.time())
        headers = {
            "webhook-id": "dlv_1",
            "webhook-timestamp": str(moment),
            "webhook-signature": sign_standard(secret, "dlv_1", moment, signed),
        }
        options = {"content": body} if framework == "fastapi" else {"data": body}
        return int(client.post("/hook", headers=headers, **options).status_code)

    body = event_of("submission.created", submission=sealed)
    assert post(body, body) == 204
    assert str(json.loads(vector["plaintext"])) in capsys.readouterr().out
    unopened = event_of("submission.created", submission={**sealed, "keyVersion": 9})
    assert post(unopened, unopened) == 204
    assert "could not be opened" in capsys.readouterr().out
    assert post(body, b"{}") == 401
    assert "Refused" in capsys.readouterr().out


def test_the_example_of_the_api_opens_what_the_service_has(live: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (block for block in blocks if "Client(" in block)
    run(block)
    assert capsys.readouterr().out.count("Zoë") >= len(live.submissions)
