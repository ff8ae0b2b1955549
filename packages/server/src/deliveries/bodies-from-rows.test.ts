import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { purge } from "../retention/testing/purge.ts";
import { createWebhookService } from "./testing/webhook-service.ts";

const day = 86_400_000;
const plain = { encryption: false };

async function createPlainService(t: TestContext, statusCode: number) {
  const made = await createWebhookService(t, {
    settings: plain,
    answer: (_request, response) => void response.writeHead(statusCode).end(),
  });
  const { service, clock, formId, requestEnded, receiver } = made;
  const bodies = () =>
    receiver.requests.map(({ body }) => body.toString("utf8")).filter((body) => body.includes("submission.created"));
  /** The next attempt of something that is due, after whatever wait. */
  async function attemptAgain() {
    const ended = requestEnded();
    clock.advance(2 * day);
    await ended;
  }
  return {
    ...made,
    bodies,
    attemptAgain,
    /** All attempts that are left, to the last one's end; of other events, too, which are in between. */
    async attemptAll() {
      let isOver = false;
      const over = requestEnded(
        ({ claimed, after }) => claimed.kind === "submission.created" && after.state === "failed",
      ).then(() => {
        isOver = true;
      });
      while (!isOver) await Promise.race([attemptAgain(), over]);
    },
    async events() {
      const columns = ["body", "body_layout", "form_name", "wipe"] as const;
      const events = service.database.selectFrom("event").select(columns).where("kind", "=", "submission.created");
      return (await events.execute()).map((row) => ({ ...row }));
    },
    async post(fields: object = { message: "Zoë \u0000 😀", 7: [1e21, null] }): Promise<string> {
      const ended = requestEnded();
      const payload = { encrypted: false, version: "plain1", fields };
      const path = `/api/forms/${formId}/submissions`;
      const { status, body } = await service.request("POST", path, { body: { payload } });
      assert.equal(status, 201, JSON.stringify(body));
      await ended;
      return body.submission.id;
    },
  };
}

const built = { body: null, body_layout: 1, form_name: "Contact", wipe: 0 };
const wiped = { body: null, body_layout: null, form_name: null, wipe: 0 };

test("what a visitor sent is stored once: its event holds no body, and what is delivered says all that the list says", async (t) => {
  const { account, formId, path, post, bodies, events } = await createPlainService(t, 204);
  await post();
  assert.deepEqual(await events(), [built]);
  const { id, payload, keyVersion, timestamp, receivedAt } = (await account.request("GET", path("submissions"))).body
    .submissions[0];
  const submission = { id, payload, keyVersion, timestamp, receivedAt };
  const form = { id: formId, name: "Contact" };
  assert.deepEqual(bodies(), [
    JSON.stringify({ event: "submission.created", timestamp: receivedAt, form, submission }),
  ]);
});

test("each attempt and the log have the same bytes, though the form is renamed and the submission binned, restored and deleted", async (t) => {
  const { account, path, post, bodies, events, attemptAgain, attemptAll } = await createPlainService(t, 500);
  const id = await post();
  const [first = ""] = bodies();
  const [line] = (await account.request("GET", path("webhook/logs"))).body.logs;
  const logged = async () => (await account.request("GET", path(`webhook/logs/${line.id}`))).body.log.body;
  const change = async (method: string, rest: string, body?: object) =>
    assert.equal((await account.request(method, path(rest).replace(/\/$/, ""), body)).status, 200);
  await change("PATCH", "", { name: "Renamed" });
  await attemptAgain();
  assert.equal(await logged(), first);
  await change("POST", "submissions/bin", { ids: [id] });
  assert.equal(await logged(), first);
  await attemptAgain();
  await change("POST", "submissions/bin/restore", { ids: [id] });
  await attemptAgain();
  await change("DELETE", `submissions/${id}`);
  const [event] = await events();
  assert.deepEqual([Buffer.from(event?.body ?? []).toString(), event?.body_layout, event?.wipe], [first, null, 1]);
  assert.equal(await logged(), null, "still to be sent, and nobody reads it any more");
  await attemptAll();
  assert.deepEqual(bodies(), Array(6).fill(first));
  assert.deepEqual(await events(), [wiped]);
  assert.equal(await logged(), null);
});

test("deleting all submissions writes down what is still due and wipes the rest, in the transactions that remove the rows", async (t) => {
  const { service, account, path, clock, post, bodies, events, attemptAll } = await createPlainService(t, 500);
  await post({ message: "one" });
  const [first = ""] = bodies();
  await account.request("DELETE", path("submissions?confirm=DELETE_SUBMISSIONS"));
  await purge(service, clock);
  const [event] = await events();
  assert.deepEqual([Buffer.from(event?.body ?? []).toString(), event?.wipe], [first, 1]);
  await attemptAll();
  assert.deepEqual(bodies(), Array(6).fill(first));
  assert.deepEqual(await events(), [wiped]);
});
