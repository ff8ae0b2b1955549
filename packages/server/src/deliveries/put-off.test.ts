import assert from "node:assert/strict";
import { test } from "node:test";
import { postPlain } from "../forms/testing/test-form.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { gapMillisecondsMax } from "./delivery.ts";
import { createWebhookService } from "./testing/webhook-service.ts";

for (const days of [4, 365])
  test(`a delivery that failed while the clock was ${days} days ahead is sent again as soon as the clock is right`, async (t) => {
    assert.ok(days * dayMilliseconds > gapMillisecondsMax);
    let isUp = false;
    const { service, clock, formId, receiver, requestEnded } = await createWebhookService(t, {
      settings: { encryption: false },
      answer: (_request, response) => void response.writeHead(isUp ? 204 : 500).end(),
    });
    clock.jump(days * dayMilliseconds);
    const failed = requestEnded();
    await postPlain(service, formId);
    await failed;
    isUp = true;
    const sent = requestEnded(({ after }) => after.state === "delivered");
    clock.jump(-days * dayMilliseconds);
    await sent;
    assert.equal(receiver.requests.length, 2);
  });
