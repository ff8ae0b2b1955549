import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import {
  createKeyLogEntry,
  createListEntry,
  formatNames,
  formatPersonalKey,
  generatePersonalKey,
  importSigningKey,
  type Member,
  type NameText,
  RefusalError,
  type Signer,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { createId, type FormId, type PublicKey, seal, verifyKeyLog } from "@sealpost/wire";
import { isWhole } from "../../../tests/support/sample.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

/** An owner whose key is in a file, and an API key that may change forms. */
async function createWritingProgram(t: TestContext) {
  const world = await createReadingProgram(t);
  const { owner, folder } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const permissions = ["forms:read", "forms:write", "submissions:read"];
  const made = await owner.account.request("POST", "/api/api-keys", { name: "Writing", permissions });
  const { key } = made.body.key;
  const withKey = ["--identity", "key.txt"];
  const heads = () => JSON.parse(readFileSync(join(folder, "config/sealpost/personal.heads.json"), "utf8")).heads;
  return { ...world, apiKey: key as string, withKey, heads };
}

type World = Awaited<ReturnType<typeof createWritingProgram>>;

async function submit({ service, owner }: World, formId: FormId, keyVersion = 1): Promise<void> {
  const keys = await owner.client.forms.keys(formId);
  const key = keys.find(({ version }) => version === keyVersion)?.publicKey;
  assert.ok(key);
  const submissionId = createId("submission");
  const payload = await seal({ name: `sealed to ${keyVersion}` }, { formId, keyVersion, submissionId }, toPublic(key));
  const body = { id: submissionId, payload, keyVersion };
  const posted = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
  assert.equal(posted.status, 201, JSON.stringify(posted.body));
}

test("a form is created and rotated with its envelope, for its readers, by a person and by a program with a personal key", async (t) => {
  const world = await createWritingProgram(t);
  const { owner, apiKey, withKey, member, folder } = world;
  const run = (...parameters: readonly string[]) => world.runAs(apiKey, parameters);
  const refusals: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [2, /not both: an envelope replaces the file/, ["--key-file", "x", ...withKey]],
    [2, /--reader goes with --envelope/, ["--reader", "Reports"]],
    [2, /--organization goes with --envelope/, ["--organization", "acc_x"]],
    [2, /the identity of a program can read but not sign/, ["--identity", world.identity]],
    [4, /Nobody in the list of members is called Reports/, [...withKey, "--reader", "Reports"]],
    [3, /This needs a session/, ["--envelope"]],
  ];
  for (const [code, sentence, more] of refusals) {
    const refused = await run("forms", "create", "Reports", ...more);
    assert.deepEqual([refused.code, refused.output], [code, ""], refused.errors);
    assert.match(refused.errors, sentence);
  }
  await world.changeList("add");
  const created = await run("forms", "create", "Press", ...withKey, "--reader", "Reports", "--pii-strip", "--hybrid");
  assert.equal(created.code, 0, created.errors);
  assert.match(created.errors, /in the form's envelope, for (Name of owner, Reports|Reports, Name of owner)\./);
  assert.match(created.errors, /\{"keyFingerprint":"[\w-]{43}"\}/);
  const formId = created.output.trim() as FormId;
  const form = await owner.client.forms.get(formId);
  assert.deepEqual([form.name, form.settings.piiStrip, form.keyProof], ["Press", true, "proved"]);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes("key.json")),
    [],
    "no key file",
  );
  await submit(world, formId);
  const exporting = ["submissions", "export", formId, "--format", "ndjson", "--identity", world.identity];
  const read = await world.run([...exporting, "--list", world.headText()]);
  assert.equal(read.code, 0, read.errors);
  assert.match(read.output, /"sealed to 1"/);

  const again = await run("forms", "create", "Press", ...withKey);
  assert.deepEqual([again.code, again.output], [5, ""]);
  assert.match(again.errors, /already exists/);

  const { key, signer } = owner;
  const [first] = await owner.client.forms.keys(formId);
  assert.ok(first);
  const begun = await verifyKeyLog(await owner.client.forms.keyLog(formId), { formId });
  assert.ok(typeof begun !== "string", "a form that is made with a personal key begins with a key log");
  const { owners, managers } = begun.entry;
  assert.deepEqual([begun.entry.key.fingerprint, owners, managers], [first.fingerprint, [key.signingKey], []]);
  const rotating = ["forms", "rotate", formId, ...withKey];
  const file = await run(...rotating, "--key-file", "x.json");
  assert.deepEqual([file.code, file.output], [2, ""]);
  const rotated = await run(...rotating, "--end-older", "2027-01-31");
  assert.equal(rotated.code, 0, rotated.errors);
  assert.equal(rotated.output, "2\n");
  assert.match(rotated.errors, /pages that pin the log need nothing new/);
  assert.doesNotMatch(rotated.errors, /needs \{"keyFingerprint"/);
  const keys = await owner.client.forms.keys(formId);
  assert.deepEqual(keys.map((one) => [one.version, one.closesAt, one.hybridFingerprint !== undefined]).toSorted(), [
    [1, Date.parse("2027-01-31"), true],
    [2, undefined, true],
  ]);
  const log = await verifyKeyLog(await owner.client.forms.keyLog(formId), { formId });
  assert.ok(typeof log !== "string");
  assert.deepEqual([log.head.number, log.entry.key.version], [2, 2]);
  await owner.client.forms.removeKeyLog(formId);
  await owner.client.forms.addKeyLogEntry(
    formId,
    await createKeyLogEntry(
      undefined,
      { formId, key: log.entry.key, owners, managers },
      {
        publicKey: key.signingKey,
        signingKey: signer.signingKey,
      },
    ),
  );
  const onOther = await run("forms", "rotate", formId, ...withKey);
  assert.match(
    onOther.errors,
    /older key log than was seen here/,
    "another log than the one that was seen gets no entry",
  );
  await owner.client.forms.removeKeyLog(formId);
  await submit(world, formId, 2);
  const both = await world.run(exporting);
  assert.match(both.output, /"sealed to 1"[\s\S]*"sealed to 2"/, both.errors);

  // Without the options a form that has an envelope is known by what was seen, whatever the server says.
  const asked = await world.runAs(owner.account.token, ["forms", "rotate", formId]);
  assert.deepEqual([asked.code, asked.output], [4, ""]);
  assert.match(asked.errors, /You have no personal key yet/);
  const names = Object.keys(world.heads()).filter((name) => /^(creating|rotating)/.test(name));
  assert.deepEqual(names, [], "nothing is pending");

  const readerList = await world.runAs(owner.account.token, ["keys", "readers", "list", "--form", formId, ...withKey]);
  assert.match(readerList.output, /Reports +program +reads\n/);
  await world.changeList("remove", member);
});

interface Stage {
  readonly method: string;
  readonly path: RegExp;
  /** Whether the service hears of it. */
  readonly isPassed: boolean;
}

/** A server before the service that ends a process with SIGKILL at one request. */
async function startKillingProxy(t: TestContext, serviceUrl: string) {
  let stage: Stage | undefined;
  let victim: ChildProcess | undefined;
  let isKilled = false;
  const server = createServer(async (asked, answer) => {
    const { method = "", url = "", headers } = asked;
    const body = new Uint8Array(await buffer(asked));
    const isIt = stage !== undefined && !isKilled && stage.method === method && stage.path.test(url);
    const pass = () => {
      const { host: _, connection: __, "content-length": ___, ...others } = headers;
      const init = { method, headers: others as Record<string, string>, ...(body.length > 0 && { body }) };
      return fetch(serviceUrl + url, init);
    };
    if (isIt) {
      isKilled = true;
      if (stage?.isPassed) await pass();
      victim?.kill("SIGKILL");
      return answer.destroy();
    }
    const passed = await pass();
    const { "content-encoding": _, "content-length": __, ...others } = Object.fromEntries(passed.headers);
    answer.writeHead(passed.status, others).end(Buffer.from(await passed.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://localhost:${(server.address() as AddressInfo).port}`; // a TCP server that listens
  return {
    /** Runs `sealpost` as a process of its own, and ends it at `at`. */
    async kill({ folder, apiKey }: World, parameters: readonly string[], at: Stage): Promise<void> {
      const program = ["--conditions=@sealpost/source", join(import.meta.dirname, "main.ts"), ...parameters];
      const { PATH, SystemRoot, NODE_COMPILE_CACHE } = process.env;
      const environment = { PATH, SystemRoot, NODE_COMPILE_CACHE, SEALPOST_URL: url, SEALPOST_TOKEN: apiKey };
      const env = { ...environment, XDG_CONFIG_HOME: join(folder, "config") };
      [stage, isKilled] = [at, false];
      const child = spawn(process.execPath, program, { cwd: folder, env, stdio: "ignore" });
      victim = child;
      const [code] = await once(child, "exit");
      assert.deepEqual([isKilled, code], [true, null], "it came so far");
    },
  };
}

/** Requests in their order; at each request the process may die before or after the service has heard of it. */
const stages = (work: RegExp): readonly Stage[] => [
  { method: "GET", path: /member-list(\?from=\d+)?$/, isPassed: true },
  { method: "POST", path: work, isPassed: false },
  { method: "POST", path: work, isPassed: true },
  { method: "GET", path: /envelopes\/1$/, isPassed: true },
  { method: "POST", path: /\/proved$/, isPassed: true },
];

/** After it was heard of the work in `npm test`; the last three, which are past what is written, in `npm run test:cases`; all in `npm run test:kill`. */
const someStages = (work: RegExp) => {
  const rounds = Number(process.env.SEALPOST_KILL_ROUNDS ?? 3);
  return isWhole || rounds > 3 ? stages(work).slice(-rounds) : stages(work).slice(2, 3);
};

test("a creation that is killed at any moment leaves nothing or the whole form, and the next run finishes it", async (t) => {
  const world = await createWritingProgram(t);
  const proxy = await startKillingProxy(t, world.service.url);
  for (const [index, stage] of someStages(/\/api\/forms$/).entries()) {
    const name = `Form ${index}`;
    const creating = ["forms", "create", name, ...world.withKey];
    await proxy.kill(world, creating, stage);
    const next = await world.runAs(world.apiKey, creating);
    assert.equal(next.code, 0, next.errors);
    const { body } = await world.owner.account.request("GET", "/api/forms");
    const made = body.forms.filter((form: { name: string }) => form.name === name);
    assert.deepEqual([made.length, made[0].keyProof], [1, "proved"]);
    await submit(world, made[0].id);
    const read = await world.runAs(world.apiKey, ["submissions", "export", made[0].id, ...world.withKey]);
    assert.match(read.output, /sealed to 1/, read.errors);
  }
  assert.deepEqual(
    Object.keys(world.heads()).filter((name) => name.startsWith("creating")),
    [],
  );
});

test("a rotation that is killed at any moment leaves the form as it was or rotated, and the next run finishes it: it rotates once", async (t) => {
  const world = await createWritingProgram(t);
  const { owner, withKey } = world;
  const proxy = await startKillingProxy(t, world.service.url);
  const creating = await world.runAs(world.apiKey, ["forms", "create", "Press", ...withKey]);
  const formId = creating.output.trim() as FormId;
  const rotating = ["forms", "rotate", formId, ...withKey];
  for (const [index, stage] of someStages(/rotate-keys$/).entries()) {
    await proxy.kill(world, rotating, stage);
    const next = await world.runAs(world.apiKey, rotating);
    assert.equal(next.code, 0, next.errors);
    const version = index + 2;
    const versions = (await owner.client.forms.keys(formId)).map((key) => key.version);
    assert.equal(Math.max(...versions), version, `once, where it is killed at stage ${index}`);
    await submit(world, formId, version);
  }
  const read = await world.runAs(world.apiKey, ["submissions", "export", formId, "--format", "ndjson", ...withKey]);
  for (const index of someStages(/rotate-keys$/).keys())
    assert.match(read.output, new RegExp(`sealed to ${index + 2}"`), read.errors);
});

test("a server that takes the key and loses the envelope has it written to a file, which opens", async (t) => {
  const world = await createWritingProgram(t);
  const envelopes = hideEnvelopes(t, /\/api\/forms$/);
  const creating = ["forms", "create", "Press", ...world.withKey];
  for (const _ of ["at first", "and again, as long as it does so"]) {
    const lost = await world.runAs(world.apiKey, creating);
    assert.deepEqual([lost.code, lost.output], [9, ""]);
    const [, name = ""] = /It is in (\S+\.age), sealed for you: keep that file/.exec(lost.errors) ?? [];
    const input = await sealOne(world);
    const opened = await world.run(["webhooks", "open", "--identity", "key.txt", "--envelope", name], { input });
    assert.match(opened.output, /sealed to 1/, opened.errors);
  }
  envelopes.show();
  const found = await world.runAs(world.apiKey, creating);
  assert.equal(found.code, 0, found.errors);
  assert.match(found.errors, /An earlier run that was cut off has created it/);
});

test("a creation that was cut off more than a week ago does not stand for another form with its name", async (t) => {
  const world = await createWritingProgram(t);
  const creating = ["forms", "create", "Press", ...world.withKey];
  const envelopes = hideEnvelopes(t, /\/api\/forms$/);
  assert.equal((await world.runAs(world.apiKey, creating)).code, 9);
  envelopes.show();
  const path = join(world.folder, "config/sealpost/personal.heads.json");
  const eightDays = 8 * 86_400_000;
  const written = readFileSync(path, "utf8");
  writeFileSync(
    path,
    written.replace(/("startedAt":\s*)(\d+)/, (_, name, at) => name + (Number(at) - eightDays)),
  );
  const refused = await world.runAs(world.apiKey, creating);
  assert.deepEqual([refused.code, refused.output], [5, ""]);
  assert.match(refused.errors, /already exists/);
  const { forms } = (await world.owner.account.request("GET", "/api/forms")).body;
  const { id } = forms.find(({ name }: { readonly name: string }) => name === "Press");
  await world.owner.client.forms.update(id, { name: "Press until last year" });
  const created = await world.runAs(world.apiKey, creating);
  assert.equal(created.code, 0, created.errors);
  assert.notEqual(created.output.trim(), id);
});

/** A server that shows no envelope once it was asked for this, until `show` is called. */
function hideEnvelopes(t: TestContext, from: RegExp): { show(): void } {
  const { fetch } = globalThis;
  let isHidden = false;
  const mocked = t.mock.method(globalThis, "fetch", (input: string, init?: RequestInit) => {
    isHidden ||= init?.method === "POST" && from.test(String(input));
    if (!isHidden || init?.method !== "GET" || !/envelopes(\/1)?$/.test(String(input))) return fetch(input, init);
    return Promise.resolve(
      String(input).endsWith("/1")
        ? Response.json({ error: "not_found", message: "Not found" }, { status: 404 })
        : Response.json({ envelopes: [], removals: [], restorableUntil: null }),
    );
  });
  return { show: () => mocked.mock.restore() };
}

test("a rotation that was cut off does not stand for the next one where somebody has been taken out since, and ends what that one ends", async (t) => {
  const world = await createWritingProgram(t);
  const { owner, member, withKey } = world;
  await world.changeList("add");
  const run = (...parameters: readonly string[]) => world.runAs(world.apiKey, parameters);
  const created = await run("forms", "create", "Press", ...withKey, "--reader", "Reports");
  const formId = created.output.trim() as FormId;
  const rotating = ["forms", "rotate", formId, ...withKey];
  async function cutOff() {
    const envelopes = hideEnvelopes(t, /rotate-keys$/);
    const lost = await run(...rotating);
    assert.deepEqual([lost.code, lost.output], [9, ""], lost.errors);
    envelopes.show();
  }
  const versions = async () => {
    const keys = await owner.client.forms.keys(formId);
    return keys.map(({ version, closesAt }) => [version, closesAt]).toSorted();
  };

  await cutOff();
  const ended = await run(...rotating, "--end-older", "2027-01-31");
  assert.match(ended.errors, /An earlier run that was cut off has rotated the form/);
  assert.match(ended.errors, /pages that pin the log need nothing new/, "the form began with a key log");
  const until = Date.parse("2027-01-31");
  assert.deepEqual(await versions(), [
    [1, until],
    [2, undefined],
  ]);

  await cutOff();
  const session = (...parameters: readonly string[]) => world.runAs(owner.account.token, parameters);
  const removed = await session("keys", "readers", "remove", "Reports", "--form", formId, ...withKey);
  assert.equal(removed.code, 0, removed.errors);
  const after = await run(...rotating);
  assert.equal(after.output, "4\n", "taken out of the envelope");
  assert.match(after.errors, /in the form's envelope, for Name of owner\.\n/);

  await session("keys", "readers", "add", "Reports", "--form", formId, ...withKey);
  await cutOff();
  await world.changeList("remove", member);
  const last = await run(...rotating);
  assert.equal(last.output, "6\n", "taken out of the list");
  assert.match(last.errors, /in the form's envelope, for Name of owner\.\n/);
});

/** The list of another organization, in which this person is a manager, and has signed an entry. */
async function createOtherList({ owner }: World) {
  const [organizationId, id] = [createId("account"), createId("account")];
  const { recipient, signingKey, signingSeed } = await generatePersonalKey();
  const stranger = { id, signingKey: await importSigningKey(signingSeed) };
  let [text, list]: [string, VerifiedList | undefined] = ["", undefined];
  const lines: NameText[] = [];
  async function add(by: Signer, added: Pick<Member, "id" | "role" | "recipient" | "signingKey">): Promise<void> {
    const member = { name: added.role, ...added };
    const signed = await createListEntry(list, organizationId, { change: "add", member }, by);
    text += signed.entry;
    lines.push(...signed.names);
    const bytes = new TextEncoder().encode(text);
    const verified = await verifyList(bytes, { organizationId, trust: { signingKey } });
    assert.ok(!(verified instanceof RefusalError), String(verified));
    list = verified;
  }
  const { recipient: own, signingKey: ownSigningKey } = owner.key;
  await add(stranger, { id, role: "owner", recipient, signingKey });
  await add(stranger, { id: owner.account.id, role: "manager", recipient: own, signingKey: ownSigningKey });
  for (const [by, role] of [
    [owner.signer, "program"],
    [stranger, "recovery"],
  ] as const)
    await add(by, {
      id: createId("account"),
      role,
      recipient: (await generatePersonalKey()).recipient,
      signingKey: null,
    });
  return { organizationId, text, names: formatNames(organizationId, lines) };
}

test("a server that shows the list of another organization of the person gets no form for its readers, until somebody names it", async (t) => {
  const world = await createWritingProgram(t);
  const creating = (...parameters: readonly string[]) =>
    world.runAs(world.apiKey, ["forms", "create", ...parameters, ...world.withKey]);
  const own = await creating("Contact us");
  assert.equal(own.code, 0, own.errors);
  const other = await createOtherList(world);
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", (input: string, init?: RequestInit) =>
    /member-list(?:\/names|\?from=\d+)?$/.test(String(input))
      ? Promise.resolve(
          new Response(/names$/.test(String(input)) ? other.names : other.text, { headers: { etag: '"4-other"' } }),
        )
      : fetch(input, init),
  );
  const count = async () => (await world.owner.account.request("GET", "/api/forms")).body.forms.length;
  const before = await count();
  for (const more of [[], ["--organization", world.owner.account.id]]) {
    const refused = await creating("Press", ...more);
    assert.deepEqual([refused.code, refused.output], [9, ""], refused.errors);
    assert.match(refused.errors, /the list of another organization than the one for which the new form is/);
  }
  assert.equal(await count(), before);
  const named = await creating("Press", "--organization", other.organizationId);
  // It is made for the owners of the list that was named. This service, which has another one, doesn't take their key log.
  assert.match(named.errors, /key log can't take this entry\. One of its owners is no owner/);
});

/** The body of a webhook with a submission of the form that is called Press. */
async function sealOne({ owner }: World): Promise<string> {
  const { body } = await owner.account.request("GET", "/api/forms");
  const { id: formId } = body.forms.find((form: { name: string }) => form.name === "Press");
  const [key] = await owner.client.forms.keys(formId);
  const id = createId("submission");
  const payload = await seal(
    { name: "sealed to 1" },
    { formId, keyVersion: 1, submissionId: id },
    toPublic(key?.publicKey),
  );
  const submission = { id, payload, keyVersion: 1, timestamp: 1, receivedAt: 1 };
  return JSON.stringify({ event: "submission.created", timestamp: 1, form: { id: formId, name: "Press" }, submission });
}

/** The API's document allows more than the service gives. */
function toPublic(key: object | undefined): PublicKey {
  return key as PublicKey;
}
