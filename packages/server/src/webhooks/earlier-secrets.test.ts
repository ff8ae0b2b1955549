import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyService } from "@sealpost/wire";
import { createWebhookService } from "../deliveries/testing/webhook-service.ts";
import { dayMilliseconds as day, hourMilliseconds as hour } from "../time/clock.ts";

/** By how much the clock is wrong while the secret is rotated; then it is right. */
for (const [name, wrong] of [
  ["right", 0],
  ["two hours ahead", 2 * hour],
  ["a year ahead", 365 * day],
] as const)
  test(`the secret before a rotation is sent along until the time that was promised, not a moment longer, where the clock was ${name} then`, async (t) => {
    let known = "";
    const { service, account, clock, path } = await createWebhookService(t, {
      async answer(request, response) {
        const signature = String(request.headers["x-service-signature"]);
        const isValid = await verifyService([known], Uint8Array.from(request.body), signature);
        response.writeHead(isValid ? 204 : 401).end();
      },
    });
    // The session is too old to confirm anything where the clock is ahead.
    const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
    known = (await account.request("GET", path("webhook-secret"))).body.secret;
    clock.jump(wrong);
    const rotated = await service.request("POST", path("webhook-secret/rotate"), { token: key });
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    clock.jump(-wrong);
    assert.equal(rotated.body.previousSecretExpiresAt, clock.now() + wrong + day);
    const isAccepted = async () => (await service.request("POST", path("webhook/test"), { token: key })).body.success;
    assert.equal(await isAccepted(), true, "at once");
    clock.advance(wrong + day - 1);
    assert.equal(await isAccepted(), true, "in its last moment");
    clock.advance(1);
    assert.equal(await isAccepted(), false, "afterwards");
  });
