import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateReadingKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { type Passing, startAlteringProxy } from "../../../tests/malicious-server/altering-proxy.ts";
import { createdSealed } from "../../sdk/src/testing/delivery.ts";
import { listen } from "./testing/listening.ts";
import { createReadingProgram, pairs } from "./testing/reading-program.ts";
import type { Run } from "./testing/run-command-line.ts";

const statuses = ({ output }: Run) =>
  output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).status);

test("a program makes an identity, is added, and opens; removed again, it opens nothing sealed after a rotation", async (t) => {
  const world = await createReadingProgram(t);
  const { made, member, identity, formId, folder } = world;
  assert.equal(made.code, 0, made.errors);
  assert.match(made.output, /^age1pq1[a-z0-9]{1900,}\n$/);
  const written = readFileSync(identity, "utf8");
  assert.match(written, /^# created: 2\S+Z\n# public key: age1pq1[a-z0-9]+\nAGE-SECRET-KEY-PQ-1[A-Z0-9]+\n$/);
  assert.equal(statSync(identity).mode & 0o777, 0o600);
  const twice = await world.run(["keys", "program", "Reports"]);
  assert.deepEqual([twice.code, twice.output, readFileSync(identity, "utf8")], [2, "", written]);
  assert.match(twice.errors, /already exists and is never overwritten: name another with --output/);

  await world.submit({ name: "Zoë" });
  const exporting = ["submissions", "export", formId, "--format", "ndjson", "--identity", identity];
  const run = (...more: string[]) => world.run([...exporting, ...more]);
  const nothing = await run("--list", world.headText());
  assert.deepEqual([nothing.code, nothing.output], [4, ""]);
  assert.match(nothing.errors, /The form has no envelope/);
  await world.write([]);
  const refusals: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [2, /No list of members has been seen with this identity.*: --list NUMBER-HASH\n$/, []],
    [2, /list is not the head of a list of members: NUMBER-HASH is needed/, ["--list", "12"]],
    [9, /not the one whose head was passed on/, ["--list", `1-${"A".repeat(43)}`]],
    [9, /not the one whose head was passed on/, ["--list", `2-${"A".repeat(43)}`]],
    [3, /This identity is nobody's in the list of members/, ["--list", world.headText()]],
  ];
  for (const [code, sentence, more] of refusals) {
    const refused = await run(...more);
    assert.deepEqual([refused.code, refused.output], [code, ""], refused.errors);
    assert.match(refused.errors, sentence);
  }
  const rotated = await world.runAs(world.owner.account.token, ["forms", "rotate", formId]);
  assert.deepEqual([rotated.code, rotated.output], [4, ""]);
  assert.match(rotated.errors, /You have no personal key yet/);
  await world.changeList("add");
  const notYet = await run("--list", world.headText());
  assert.deepEqual([notYet.code, notYet.output], [3, ""]);
  assert.match(notYet.errors, /not for this key: an owner or manager of the organization has to add it/);
  await world.write([member.id]);

  // At once: both remember, and neither spoils what the other one remembers.
  const opened = await Promise.all([run(), run("--list", world.headText())]);
  for (const one of opened) {
    assert.equal(one.code, 0, one.errors);
    assert.deepEqual(statuses(one), ["opened"]);
    assert.equal(one.errors, "1 submission, 1 of them readable\n");
  }
  const heads = await world.readHeads();
  assert.deepEqual(
    [heads.organization, heads[`list ${world.owner.account.id}`].number, heads[`form ${formId}`].heads[0].revision],
    [world.owner.account.id, 2, 2],
  );
  const names = readdirSync(folder).filter((name) => name !== "config");
  assert.deepEqual(names.toSorted(), ["sealpost-reports.identity.txt", "sealpost-reports.identity.txt.heads.json"]);
  for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  assert.doesNotMatch(JSON.stringify(heads), /SECRET|"d":|privateKey/);

  await world.rotate([]);
  await world.submit({ name: "after" }, 2);
  const removed = await run();
  assert.deepEqual([removed.code, removed.output], [3, ""]);
  assert.match(removed.errors, /or has removed it/);
  await world.changeList("remove");
  const gone = await run();
  assert.deepEqual([gone.code, gone.output], [3, ""]);
  assert.match(gone.errors, /or has removed its recipient|or has removed/);

  const path = `${identity}.heads.json`;
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 100));
  const damaged = await run("--list", world.headText());
  assert.deepEqual([damaged.code, damaged.output], [2, ""]);
  assert.match(damaged.errors, /is damaged, or not what remembers lists and envelopes/);
});

test("a rotation while listen runs needs nothing: the next submission is opened with the new key", async (t) => {
  const world = await createReadingProgram(t);
  await world.changeList("add");
  await world.write([world.member.id]);
  const parameters = ["--form", world.formId, "--identity", world.identity, "--list", world.headText()];
  const listening = await listen(t, world.service.url, world.token, parameters);
  await world.submit({ name: "one" });
  await listening.count(1);
  await world.rotate([world.member.id]);
  await world.submit({ name: "two" }, 2);
  await listening.count(2);
  assert.deepEqual(
    listening.output.lines().map(({ status, fields }) => [status, fields]),
    [
      ["opened", { name: "one" }],
      ["opened", { name: "two" }],
    ],
  );
  assert.equal(await listening.stop(), 0);
});

test("while a server withholds an envelope, listen says so, leaves closed what it can't open, and opens the rest", async (t) => {
  const world = await createReadingProgram(t);
  await world.changeList("add");
  await world.write([world.member.id]);
  let isHidden = false;
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", (input: string, init?: RequestInit) =>
    isHidden && String(input).endsWith("/envelopes/1")
      ? Promise.resolve(Response.json({ error: "not_found", message: "Not found" }, { status: 404 }))
      : fetch(input, init),
  );
  const parameters = ["--form", world.formId, "--identity", world.identity, "--list", world.headText()];
  const listening = await listen(t, world.service.url, world.token, parameters);
  await world.rotate([world.member.id]);
  isHidden = true;
  await world.submit({ name: "two" }, 2);
  await listening.count(1);
  await world.submit({ name: "one" });
  await listening.count(2);
  assert.deepEqual(
    listening.output.lines().map(({ status, fields }) => [status, fields]),
    [
      ["no_key", undefined],
      ["opened", { name: "one" }],
    ],
  );
  assert.match(listening.errors.text(), /^The server shows no envelope, although one was seen before$/m);
  assert.equal(await listening.stop(), 0);
});

test("a saved envelope opens the body of a webhook without a server, for its readers alone", async (t) => {
  const world = await createReadingProgram(t);
  const { folder, formId, identity } = world;
  await world.changeList("add");
  await world.write([world.member.id]);
  assert.equal((await world.run(["keys", "envelope", "--form", formId, "--output", "form.age"])).code, 0);
  await world.run(["keys", "program", "stranger"]);
  const sealed = await createdSealed({ name: "Zoë" }, pairs[0], 1, formId);
  const input = JSON.stringify({ ...sealed, form: { id: formId, name: "Contact" } });
  const open = (...more: string[]) => world.run(["webhooks", "open", ...more], { input, url: "http://127.0.0.1:1" });
  const opened = await open("--identity", identity, "--envelope", "form.age");
  assert.deepEqual([opened.code, opened.output], [0, '{"name":"Zoë"}\n'], opened.errors);
  writeFileSync(join(folder, "damaged.age"), readFileSync(join(folder, "form.age")).subarray(0, -1));
  const refusals: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [2, /go together/, ["--identity", identity]],
    [2, /Give a private key with --key/, []],
    [2, /The envelope none\.age cannot be read/, ["--identity", identity, "--envelope", "none.age"]],
    [7, /damaged\.age: This is damaged/, ["--identity", identity, "--envelope", "damaged.age"]],
    [7, /not for this key/, ["--identity", "sealpost-stranger.identity.txt", "--envelope", "form.age"]],
  ];
  for (const [code, sentence, more] of refusals) {
    const refused = await open(...more);
    assert.deepEqual([refused.code, refused.output], [code, ""]);
    assert.match(refused.errors, sentence);
  }
  // The list of members is the organization's, and heads have to be kept somewhere.
  const exporting = ["submissions", "export", formId, "--identity", identity, "--list", world.headText()];
  const nowhere = await world.run([...exporting, "--heads", "no/such/folder.json"]);
  assert.deepEqual([nowhere.code, nowhere.output], [2, ""], nowhere.errors);
  assert.match(nowhere.errors, /can't be remembered: .*--heads names another file/);
  const body = { name: "Limited", permissions: ["submissions:read"], forms: [formId] };
  const { key } = (await world.owner.account.request("POST", "/api/api-keys", body)).body.key;
  const limited = await world.runAs(key, exporting);
  assert.deepEqual([limited.code, limited.output], [3, ""]);
  assert.match(limited.errors, /limited to named forms/);
});

test("a server that withholds or replays a list or an envelope is refused, with what was seen before", async (t) => {
  const world = await createReadingProgram(t);
  await world.submit({ name: "Zoë" });
  await world.changeList("add");
  await world.write([world.member.id]);
  const { client } = world.owner;
  const [oldList, oldEnvelope] = [await client.memberList.get(), await client.envelopes.get(world.formId, 1)];
  await world.changeList("add", {
    ...world.member,
    id: createId("account"),
    name: "Second",
    recipient: (await generateReadingKey()).recipient,
  });
  await world.write([world.member.id]);
  const exporting = ["submissions", "export", world.formId, "--format", "ndjson", "--identity", world.identity];
  const first = await world.run([...exporting, "--list", world.headText()]);
  assert.equal(first.code, 0, first.errors);

  const bytes = (body: Uint8Array | undefined) => ({ body: Buffer.from(body ?? []) });
  const list = (body: Uint8Array | undefined) => ({
    ...bytes(body),
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", etag: '"1-lie"' },
  });
  const absent = { status: 404, body: Buffer.from('{"error":"not_found","message":"There is no such thing"}') };
  const none = { body: Buffer.from('{"envelopes":[],"removals":[],"restorableUntil":null}') };
  const lies: readonly (readonly [RegExp, Partial<Passing>, RegExp])[] = [
    [/member-list(\?|$)/, absent, /shows no list of members, although one was seen/],
    [/member-list(\?|$)/, list(oldList), /older than the list of members that was seen before/],
    [/member-list(\?|$)/, list(undefined), /This is damaged/],
    [/envelopes$/, none, /shows no envelope, although one was seen/],
    [/envelopes\/1$/, absent, /shows no envelope, although one was seen/],
    [/envelopes\/1$/, bytes(oldEnvelope), /has another number than the one under which the service keeps it/],
  ];
  const proxy = await startAlteringProxy(t, world.service.url);
  for (const [path, lie, sentence] of lies) {
    proxy.alter = (asked) => (path.test(asked.path) ? lie : undefined);
    const { code, output, errors } = await world.run(exporting, { url: proxy.url });
    assert.deepEqual([code, output], [9, ""], errors);
    assert.match(errors, sentence);
  }
  assert.equal((await world.run(exporting)).code, 0);
});
