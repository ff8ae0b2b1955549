import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster, createPlainForm, post } from "../../../../tests/postgres/processes.ts";
import { signUpForToken } from "../../../../tests/support/sign-up.ts";
import { onPostgres } from "../testing/test-database.ts";
import { parseExposition } from "./testing/exposition.ts";

test("with --processes whichever process is asked answers for all of them", onPostgres, async (t) => {
  const authorization = "Bearer a-token-of-our-own-0123456789";
  const cluster = await createCluster(t, { SEALPOST_METRICS_TOKEN: authorization.slice("Bearer ".length) });
  const service = await cluster.start(["--processes", "2"]);
  const form = await createPlainForm(service, await signUpForToken(service));
  // Each on a connection of its own, which the parent deals out in turn.
  const headers = { authorization, connection: "close" };
  for (let count = 0; count < 6; count++) assert.equal((await post(service, form)).status, 201);
  for (let count = 0; count < 4; count++) {
    const response = await fetch(`${service.url}/metrics`, { headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { value } = parseExposition(text);
    assert.equal(value("sealpost_submissions_total", { outcome: "accepted" }), 6);
    assert.equal(value("sealpost_ingest_seconds_count"), 6);
    assert.equal(value("sealpost_deliveries_due"), 0);
  }
});
