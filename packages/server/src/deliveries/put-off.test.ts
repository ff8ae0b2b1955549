import assert from "node:assert/strict";
import { test } from "node:test";
import { postPlain } from "../forms/testing/test-form.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { createWebhookService } from "./testing/webhook-service.ts";

const hours = (milliseconds: number) => milliseconds / 3_600_000;

for (const ahead of [9 * hourMilliseconds, 4 * dayMilliseconds, 365 * dayMilliseconds])
  test(`a delivery that failed while the clock was ${hours(ahead)} hours ahead is sent again as soon as the clock is right`, async (t) => {
    let isUp = false;
    const { service, clock, formId, receiver, requestEnded } = await createWebhookService(t, {
      settings: { encryption: false },
      answer: (_request, response) => void response.writeHead(isUp ? 204 : 500).end(),
    });
    clock.jump(ahead);
    const failed = requestEnded();
    await postPlain(service, formId);
    await failed;
    isUp = true;
    const sent = requestEnded(({ after }) => after.state === "delivered");
    clock.jump(-ahead);
    await sent;
    assert.equal(receiver.requests.length, 2);
  });
