import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createId, createWebhookSecret, type FormId, verifyService } from "@sealpost/wire";
import { type Answer, type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { benchAccountId, createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

interface Move {
  readonly bench: DeliveryBench;
  readonly formId: FormId;
  readonly url: string;
}

/** Whatever changes the destination of a webhook for which a delivery waits. */
const moves: Readonly<Record<string, (move: Move) => Promise<unknown>>> = {
  "gets another address": ({ bench: { database, webhooks }, formId: id, url }) =>
    database
      .transaction()
      .execute((transaction) =>
        webhooks.setUrl(transaction, { id, accountId: benchAccountId }, { url, setBy: benchAccountId }),
      ),
  "is handed over": ({ bench, formId: id, url }) =>
    bench.database
      .transaction()
      .execute((transaction) =>
        bench.webhooks.handOver(transaction, { id, accountId: createId("account", 1) }, kept(bench, url)),
      ),
  "is handed over with another secret": ({ bench, formId: id, url }) =>
    bench.database
      .transaction()
      .execute((transaction) =>
        bench.webhooks.handOver(
          transaction,
          { id, accountId: createId("account", 1) },
          { ...kept(bench, url), secret: createWebhookSecret() },
        ),
      ),
};

function kept({ clock }: DeliveryBench, url: string) {
  return { url, secret: undefined, now: clock.now(), by: benchAccountId };
}

/** Answers of receivers that are followed in the same turn; how many requests it takes. */
const followed = {
  "a redirect": 2,
  "the second of two secrets": 2,
};

for (const [name, move] of Object.entries(moves))
  for (const [answer, requests] of Object.entries(followed))
    test(`a delivery that waits while its form ${name} is made, also where that takes ${answer}`, async (t) => {
      let isDown = true;
      let known = "";
      let arrived = 0;
      let asked = 0;
      const target = await startReceiver(t, {
        certificate: authority.good,
        answer(_request, response) {
          arrived++;
          response.writeHead(204).end();
        },
      });
      const receiver = await startReceiver(t, {
        certificate: authority.good,
        async answer(request, response) {
          if (isDown) return void response.writeHead(503).end();
          asked++;
          if (answer === "a redirect") return void response.writeHead(307, { location: target.url }).end();
          const signature = String(request.headers["x-service-signature"]);
          const isValid = await verifyService([known], Uint8Array.from(request.body), signature);
          if (isValid) arrived++;
          response.writeHead(isValid ? 204 : 401).end();
        },
      });
      const down = await startReceiver(t, {
        certificate: authority.good,
        answer: (_request, response) => void response.writeHead(503).end(),
      });
      const bench = await createDeliveryBench(t, { authority });
      const { formId } = await bench.createWebhook(name.startsWith("is handed over") ? receiver.url : down.url);
      bench.worker.start();
      const id = await bench.record(formId);
      await bench.settle();
      assert.equal((await bench.delivery(id)).state, "waiting");
      if (answer !== "a redirect") {
        known = createWebhookSecret();
        const now = bench.clock.now();
        const rotation = { secret: known, now, previousExpiresAt: now + 86_400_000 };
        await bench.database
          .transaction()
          .execute((transaction) => bench.webhooks.rotate(transaction, benchAccountId, formId, rotation));
      }
      await move({ bench, formId, url: receiver.url });
      isDown = false;
      bench.clock.advance(76_000);
      await bench.settle();
      assert.deepEqual([(await bench.delivery(id)).state, arrived], ["delivered", 1]);
      // The newest secret is tried before the one that the receiver knows.
      const isThird = name === "is handed over with another secret" && answer !== "a redirect";
      assert.equal(asked + (answer === "a redirect" ? arrived : 0), isThird ? requests + 1 : requests);
    });

/** Each part of an address as another one. The control is set again as it was. */
const otherParts: Readonly<Record<string, (url: URL, other: { readonly port: number }) => unknown>> = {
  nothing: () => {},
  "the user": (url) => Object.assign(url, { username: "new" }),
  "the password": (url) => Object.assign(url, { username: "old", password: "new" }),
  "the host": (url) => Object.assign(url, { hostname: "[::1]" }),
  "the port": (url, { port }) => Object.assign(url, { port: String(port) }),
  "the path": (url) => Object.assign(url, { pathname: "/new" }),
  "the query": (url) => Object.assign(url, { search: "?new" }),
};

for (const [part, change] of Object.entries(otherParts))
  for (const answer of Object.keys(followed))
    test(`nothing that an answer leads to goes out after the address has changed: another one in ${part}, where it is answered with ${answer}`, async (t) => {
      let onFirst = async () => {};
      let known = "";
      const after: string[] = [];
      const answerOld: Answer = async (request, response, count) => {
        if (count === 1) await onFirst();
        else after.push(request.path);
        if (answer === "a redirect" && count === 1) return void response.writeHead(307, { location: "/next" }).end();
        const signature = String(request.headers["x-service-signature"]);
        const isValid =
          answer === "a redirect" || (await verifyService([known], Uint8Array.from(request.body), signature));
        response.writeHead(isValid ? 204 : 401).end();
      };
      const receiver = await startReceiver(t, { certificate: authority.good, answer: answerOld });
      const other = await startReceiver(t, { certificate: authority.good });
      const bench = await createDeliveryBench(t, { authority });
      const { formId } = await bench.createWebhook(receiver.url);
      if (answer !== "a redirect") {
        known = createWebhookSecret();
        const now = bench.clock.now();
        const rotation = { secret: known, now, previousExpiresAt: now + 86_400_000 };
        await bench.database
          .transaction()
          .execute((transaction) => bench.webhooks.rotate(transaction, benchAccountId, formId, rotation));
      }
      const changed = new URL(receiver.url);
      change(changed, other);
      onFirst = () =>
        bench.database
          .transaction()
          .execute((transaction) =>
            bench.webhooks.setUrl(
              transaction,
              { id: formId, accountId: benchAccountId },
              { url: changed.href, setBy: benchAccountId },
            ),
          );
      bench.worker.start();
      await bench.record(formId);
      await bench.settle();
      assert.equal(after.length, part === "nothing" ? 1 : 0);
    });
