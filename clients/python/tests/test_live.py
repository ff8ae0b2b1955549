"""Against a real service (`npm run test:clients`)."""

import base64

from conftest import LiveService

from sealpost import Verified, verify


def test_a_webhook_that_the_service_sent_is_verified(live: LiveService) -> None:
    headers, body = live.webhook["headers"], base64.b64decode(live.webhook["body"])
    moment = int(headers["webhook-timestamp"])
    result = verify([live.webhook_secret], headers, body, moment)
    assert isinstance(result, Verified)
    assert result.delivery_id.startswith("dlv_")
    assert not verify([live.webhook_secret], headers, body + b" ", moment).verified
