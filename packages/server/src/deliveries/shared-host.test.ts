import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { type Answer, type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const [attackers, others]: readonly [AccountId, AccountId] = [createId("account", 1), createId("account", 2)];
const ok: Answer = (_request, response) => void response.writeHead(204).end();

/** Resolves when this many deliveries of these forms were accepted, from now on. */
async function delivered({ signal }: DeliveryBench, formIds: ReadonlySet<string>, count: number): Promise<void> {
  let left = count;
  await signal((said) => {
    if (said.kind !== "request_ended" || !formIds.has(said.completion.claimed.formId)) return false;
    if (said.completion.after.state === "delivered") left -= 1;
    return left === 0;
  });
}

/** Behavior of one organization's path on a host that others use too. */
const attacks = {
  hangs: () => () => {},
  "takes long": (bench) => (_request, response) => {
    bench().clock.advance(6000);
    response.writeHead(204).end();
  },
  "asks for a day of silence": () => (_request, response) =>
    void response.writeHead(429, { "retry-after": "86400" }).end(),
  "is unavailable": () => (_request, response) => void response.writeHead(503).end(),
  resets: () => (_request, response) => response.destroy(),
} satisfies Record<string, (bench: () => DeliveryBench) => Answer>;

describe("a path that hangs, is slow or fails keeps nobody waiting who uses the same host", () => {
  for (const [name, createAttack] of Object.entries(attacks))
    test(`a path that ${name}, with a thousand deliveries due`, {
      timeout: 30_000,
    }, async (t) => {
      const begun = Promise.withResolvers<void>();
      const attack: Answer = createAttack(() => bench);
      let attacked = 0;
      const answer: Answer = (request, response, count) => {
        if (!request.path.startsWith("/attack")) return ok(request, response, count);
        attacked += 1;
        begun.resolve();
        attack(request, response, count);
      };
      const shared = await startReceiver(t, { certificate: authority.good, answer });
      const otherPort = await startReceiver(t, { certificate: authority.good, answer });
      const bench = await createDeliveryBench(t, { authority });
      const at = ({ url }: { readonly url: string }, path: string) => new URL(path, url).href;
      const { formId: attacking } = await bench.createWebhook(at(shared, "/attack"), attackers);
      const bystanders = new Set<FormId>();
      for (const [url, organization] of [
        [at(shared, "/hook"), others],
        [at(otherPort, "/hook"), others],
        [at(otherPort, "/hook"), attackers],
      ] as const)
        bystanders.add((await bench.createWebhook(url, organization)).formId);
      await bench.recordMany(attacking, 1000);
      bench.worker.start();
      await begun.promise;
      // Once while nothing is known of the receivers, and once when it is.
      for (const _round of ["first", "second"]) {
        const all = delivered(bench, bystanders, 2 * bystanders.size);
        await bench.database.transaction().execute(async (transaction) => {
          for (const formId of bystanders) await bench.recordMany(formId, 2, transaction);
        });
        bench.worker.wake();
        await all;
      }
      assert.ok(attacked < 500, `${attacked} of the thousand went out first`);
    });
});

test("fifty organizations whose paths hang hold half of a host's places, and one that answers has its own", {
  timeout: 30_000,
}, async (t) => {
  const full = Promise.withResolvers<void>();
  let attacked = 0;
  const answer: Answer = (request, response, count) => {
    if (!request.path.startsWith("/attack")) return ok(request, response, count);
    attacked += 1;
    if (attacked === 8) full.resolve();
  };
  const { url } = await startReceiver(t, { certificate: authority.good, answer });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(new URL("/hook", url).href, others);
  bench.worker.start();
  await bench.record(formId);
  await bench.settle();
  await bench.database.transaction().execute(async (transaction) => {
    for (let index = 0; index < 50; index++) {
      const organization = createId("account", 10 + index);
      const { formId: attacking } = await bench.createWebhook(new URL("/attack", url).href, organization, transaction);
      await bench.recordMany(attacking, 3, transaction);
    }
  });
  bench.worker.wake();
  await full.promise;
  const all = delivered(bench, new Set([formId]), 20);
  await bench.recordMany(formId, 20);
  await all;
  assert.equal(attacked, 8);
});
