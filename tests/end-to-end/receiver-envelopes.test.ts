import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, createReceiver } from "@sealpost/sdk";
import { createEnvelopeReader, createFormKeys, EnvelopeProblemError } from "@sealpost/sdk/envelopes";
import { createHeadFile } from "@sealpost/sdk/head-file";
import type { Fields } from "@sealpost/wire";
import { createReadingProgram, pairs } from "../../packages/cli/src/testing/reading-program.ts";
import { created, createdSealed, now, secret, sign } from "../../packages/sdk/src/testing/delivery.ts";

test("a receiver opens with its own identity, follows a rotation, and rejects while it can't: the delivery then comes again", async (t) => {
  const world = await createReadingProgram(t);
  const { formId } = world;
  await world.changeList("add");
  await world.write([world.member.id]);
  let time = now;
  const asked: string[] = [];
  /** Paths that the server answers with 404. */
  let hidden = /^$/;
  const client = createClient({
    baseUrl: world.service.url,
    token: world.token,
    fetch: async (input, init) => {
      const path = new URL(String(input)).pathname;
      asked.push(path);
      return hidden.test(path)
        ? Response.json({ error: "not_found", message: "Not found" }, { status: 404 })
        : fetch(input, init);
    },
  });
  const identity = await readFile(world.identity, "utf8");
  const heads = createHeadFile(join(world.folder, "receiver.heads.json"));
  for (const wrong of [{ identity: "AGE-SECRET-KEY-PQ-1" }, { identity, list: "12" }])
    await assert.rejects(createEnvelopeReader({ client, heads, ...wrong }), TypeError);
  // As an environment gives a setting that is left out.
  const empty = await createEnvelopeReader({ client, identity, heads, list: "" });
  await assert.rejects(empty.open(formId), /Give the head that was shown when its recipient was added/);
  const reader = await createEnvelopeReader({ client, identity, heads, list: world.headText() });
  const envelopes = createFormKeys(reader, { now: () => time });
  const receiver = await createReceiver({ secrets: secret, privateKeys: [], envelopes, now: () => now });
  const receive = async (event: object) => {
    const { headers, body } = await sign({ ...event, form: { id: formId, name: "Contact" } });
    const received = await receiver.receive({ headers, body });
    assert.ok(received.verified && received.event.event === "submission.created");
    const { opened } = received.event;
    return opened.opened ? opened.fields : opened.reason;
  };
  const deliver = async (fields: Fields, version: 1 | 2, stated: number = version) =>
    receive(await createdSealed(fields, pairs[version - 1] ?? pairs[0], stated, formId));
  const requestsOf = async (work: () => Promise<unknown>) => {
    const before = asked.length;
    await work();
    return asked.length - before;
  };

  assert.deepEqual(await deliver({ name: "Zoë" }, 1), { name: "Zoë" });
  assert.equal(await requestsOf(() => deliver({ name: "again" }, 1)), 0);
  assert.equal(
    await receive(created({ encrypted: false, version: "plain1", fields: { name: "made up" } })),
    "not_sealed",
  );
  // A version that is nowhere is asked for once in a while.
  assert.equal(await deliver({}, 1, 99), "no_key");
  assert.equal(await requestsOf(async () => assert.equal(await deliver({}, 1, 99), "no_key")), 0);

  await world.rotate([world.member.id]);
  hidden = /\/envelopes\/1$/;
  const isHidden = (error: unknown) => error instanceof EnvelopeProblemError && error.problem === "hidden_envelope";
  await assert.rejects(deliver({ name: "two" }, 2), isHidden);
  assert.equal(await requestsOf(() => assert.rejects(deliver({ name: "two" }, 2), isHidden)), 0);
  assert.deepEqual(await deliver({ name: "old" }, 1), { name: "old" });
  hidden = /^$/;
  time += 10_000;
  const needed = await requestsOf(async () => {
    const many = await Promise.all(Array.from({ length: 5 }, () => deliver({ name: "two" }, 2)));
    assert.deepEqual(many, Array(5).fill({ name: "two" }));
  });
  assert.equal(needed, 5, "envelopes, list, names, envelope and published keys, once for all");

  // Another program with the same memory is not led back, and one whose server can't be reached says so.
  const away = createClient({
    baseUrl: world.service.url,
    token: "",
    fetch: () => Promise.reject(new TypeError("away")),
  });
  const offline = await createEnvelopeReader({ client: away, identity, heads });
  await assert.rejects(createFormKeys(offline).keysFor(formId, 1), /away/);
  hidden = /\/member-list$/;
  const second = await createEnvelopeReader({ client, identity, heads });
  await assert.rejects(second.open(formId), /shows no list of members, although one was seen/);
});
