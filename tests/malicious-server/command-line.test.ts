import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { Submission } from "@sealpost/sdk";
import { createId, fingerprint, hybridFingerprint, type SubmissionId, seal } from "@sealpost/wire";
import { type CommandLine, createCommandLine } from "../../packages/cli/src/testing/run-command-line.ts";
import { firstHybridPair, secondHybridPair } from "../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type MaliciousService, startMaliciousService } from "./malicious-service.ts";

// The command line and the client, asked to work with a server in bad hands.

let server: MaliciousService;
let commandLine: CommandLine;
let ids: readonly SubmissionId[];
const closers: (() => unknown)[] = [];
const exporting = /\/submissions\/export/;

before(async () => {
  const scope = { after: (close: () => unknown) => void closers.unshift(close) };
  server = await startMaliciousService(scope);
  commandLine = createCommandLine(scope as Parameters<typeof createCommandLine>[0]);
  ids = [await server.submit({ vote: "yes" }), await server.submit({ vote: "no" })];
  await writeFile(join(commandLine.folder, "v1.json"), server.keyFile);
});
beforeEach(() => server.honest());
after(async () => {
  for (const close of closers) await close();
});

async function run(...parameters: string[]) {
  const environment = { SEALPOST_URL: server.url, SEALPOST_TOKEN: server.account.token };
  return commandLine.run(parameters, { environment });
}

async function exportRows(...more: string[]) {
  const done = await run("submissions", "export", server.formId, "--key", "v1.json", "--format", "ndjson", ...more);
  const rows: { id: string; status: string; fields?: object }[] = done.output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { ...done, rows };
}

function swap<Row>([first, second]: readonly Row[], change: (first: Row, second: Row) => [Row, Row]): Row[] {
  assert.ok(first !== undefined && second !== undefined);
  return change(first, second);
}

test("control: from an honest server, everything opens", async () => {
  const { code, rows, errors } = await exportRows();
  assert.deepEqual(
    rows.map(({ id, status, fields }) => ({ id, status, fields })),
    [
      { id: ids[0], status: "opened", fields: { vote: "yes" } },
      { id: ids[1], status: "opened", fields: { vote: "no" } },
    ],
  );
  assert.equal(code, 0, errors);
});

test("swapped payloads, ids, key versions and single members never open as something else", async () => {
  type Way = [string, (one: Submission, other: Submission) => [Submission, Submission], string];
  // biome-ignore format: a row each
  const ways: Way[] = [
    ["ids", (a, b) => [{ ...a, id: b.id }, { ...b, id: a.id }], "could_not_be_opened"],
    ["payloads", (a, b) => [{ ...a, payload: b.payload }, { ...b, payload: a.payload }], "could_not_be_opened"],
    ["key version", (a, b) => [{ ...a, keyVersion: 2 }, { ...b, keyVersion: 2 }], "no_key"],
    ...(["data", "key", "iv"] as const).map(
      (member): Way => [member, (a, b) => [mix(a, b, member), mix(b, a, member)], "could_not_be_opened"],
    ),
  ];
  for (const [name, change, expected] of ways) {
    server.honest();
    server.lie<Submission[]>("GET", exporting, (rows) => swap(rows, change));
    const { code, rows, errors } = await exportRows();
    const statuses = rows.map(({ status, fields }) => [status, fields]);
    assert.deepEqual(
      statuses,
      [
        [expected, undefined],
        [expected, undefined],
      ],
      name,
    );
    assert.equal(code, 7, name);
    assert.match(errors, /2 submissions could not be opened/);
  }
});

function mix(one: Submission, other: Submission, member: "data" | "key" | "iv"): Submission {
  if (!one.payload.encrypted || !other.payload.encrypted) throw new Error("both are sealed");
  return { ...one, payload: { ...one.payload, [member]: other.payload[member] } };
}

test("a key version that the list of keys shifts along with the rows opens nothing under the wrong version", async () => {
  server.lie<{ keys: { version: number }[] }>("GET", /\/keys$/, ({ keys }) => ({
    keys: keys.map((key) => ({ ...key, version: 2 })),
  }));
  server.lie<Submission[]>("GET", exporting, (rows) => rows.map((row) => ({ ...row, keyVersion: 2 })));
  const { code, rows } = await exportRows();
  assert.deepEqual([...new Set(rows.map(({ status }) => status))], ["could_not_be_opened"]);
  assert.equal(code, 7);
});

test("a swapped public key in the list of keys makes rows unreadable and says which key is missing", async () => {
  const other = takeKeyPair();
  const swapped = await fingerprint(other.publicKey);
  server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({
    keys: keys.map((key) => ({ ...key, publicKey: other.publicKey, fingerprint: swapped })),
  }));
  const { code, rows, errors } = await exportRows();
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["no_key", "no_key"],
  );
  assert.match(errors, /No private key available for key version 1/);
  assert.equal(code, 7);
});

test("a submission given twice ends the export, and says so", async () => {
  server.lie<Submission[]>("GET", exporting, (rows) => [...rows, ...rows.slice(0, 1)]);
  const { code, rows, errors } = await exportRows();
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.match(errors, new RegExp(`gave ${ids[0]} twice: its answers cannot be relied on`));
  assert.equal(code, 6);
});

test("not detectable: dropped rows, and rows that the server sealed itself, look like any others", async () => {
  const submissionId = createId("submission");
  const payload = await seal(
    { vote: "forged" },
    { formId: server.formId, keyVersion: 1, submissionId },
    server.pair.publicKey,
  );
  server.lie<Submission[]>("GET", exporting, (rows) => [
    ...rows.slice(1),
    ...rows.slice(1).map((row) => ({ ...row, id: submissionId, payload })),
  ]);
  const { code, rows } = await exportRows();
  assert.deepEqual(
    rows.map(({ status, fields }) => [status, fields]),
    [
      ["opened", { vote: "no" }],
      ["opened", { vote: "forged" }],
    ],
  );
  assert.equal(code, 0);
});

test("rows that nobody sealed are named as such, each and in the end", async () => {
  server.lie<Submission[]>("GET", exporting, (rows) =>
    rows.map((row) => ({
      ...row,
      payload: { encrypted: false, version: "plain1", fields: { vote: "read and changed" } },
    })),
  );
  const { code, rows, errors } = await exportRows();
  assert.deepEqual([...new Set(rows.map(({ status }) => status))], ["not_sealed"]);
  assert.match(errors, /2 of them were never sealed: the server could read and change these/);
  assert.deepEqual([code, rows.some(({ fields }) => fields !== undefined)], [8, false], "and nothing of them is taken");
});

test("answers with other members, or none, are refused in a sentence", async () => {
  const ways: ((row: Submission) => unknown)[] = [
    () => null,
    () => "sub",
    () => [],
    () => ({}),
    (row) => ({ ...row, id: "../../x" }),
    (row) => ({ ...row, id: { toString: "x" } }),
    (row) => ({ ...row, payload: null }),
    (row) => ({ ...row, payload: { ...row.payload, encrypted: "true" } }),
    (row) => ({ ...row, payload: { ...row.payload, data: 7 } }),
    (row) => ({ ...row, payload: { encrypted: false, version: "plain1", fields: ["x"] } }),
    (row) => ({ ...row, keyVersion: "1" }),
    (row) => ({ ...row, receivedAt: 1e300 }),
    (row) => ({ ...row, timestamp: null }),
  ];
  for (const change of ways) {
    server.honest();
    server.lie<Submission[]>("GET", exporting, (rows) => rows.map(change));
    const { code, rows, errors } = await exportRows();
    assert.match(
      errors,
      /^sealpost: The server's answer holds (?:something that is no submission|a line that is no object)$/m,
      `${change}`,
    );
    assert.deepEqual(rows, []);
    assert.equal(code, 6);
  }
  server.honest();
  server.lie("GET", /\/submissions\?/, () => ({ total: 1, nextCursor: null }));
  assert.equal((await run("submissions", "list", server.formId)).code, 6);
  server.honest();
  server.lie("GET", exporting, () => "<h1>Sign in to the hotel</h1>");
  assert.match((await exportRows()).errors, /is not JSON/);
});

test("an unknown version tag is named, and a downgrade to one opens nothing", async () => {
  server.lie<Submission[]>("GET", exporting, (rows) =>
    rows.map((row) => ({ ...row, payload: { ...row.payload, version: "sp0" } })),
  );
  const { code, rows } = await exportRows();
  assert.deepEqual([...new Set(rows.map(({ status }) => status))], ["unknown_version"]);
  assert.equal(code, 7);
});

test("a list that leads round in a circle ends", async () => {
  const body = { submissions: [], total: 1, nextCursor: "again" };
  server.swallow("GET", /\/submissions\?/, () => ({ status: 200, body }));
  const { code, errors } = await run("submissions", "list", server.formId, "--limit", "1000000");
  assert.match(errors, /list has no end/);
  assert.equal(code, 6);
});

test("a form whose answer names another key than the one made here is not to be used, and its key file stays", async () => {
  const other = takeKeyPair();
  server.lie<{ form: object }>("POST", /\/api\/forms$/, ({ form }) => ({
    form: { ...form, publicKey: other.publicKey, privateKey: other.privateKey },
  }));
  const created = await run("forms", "create", "Votes", "--key-file", "votes.json");
  assert.match(created.errors, /uses another public key than the one made here.*Do not use this form/);
  assert.equal(created.code, 6);
  assert.equal(created.output, "");
  const kept = JSON.parse(await readFile(join(commandLine.folder, "votes.json"), "utf8"));
  assert.notEqual(kept.n, other.privateKey.n);
  server.honest();
  server.lie<{ form: object }>("POST", /rotate-keys$/, ({ form }) => ({
    form: { ...form, publicKey: other.publicKey },
  }));
  const rotated = await run("forms", "rotate", server.formId, "--key-file", "v2.json");
  assert.match(rotated.errors, /uses another public key than the one made here/);
  assert.equal(rotated.code, 6);
  assert.ok((await stat(join(commandLine.folder, "v2.json"))).size > 0);
});

test("hybrid keys that the server adds, swaps or hides are named by an export", async () => {
  const { publicKey: hybridPublicKey } = secondHybridPair;
  const answer = (change: object) =>
    server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({
      keys: keys.map((key) => ({ ...key, ...change })),
    }));
  const differences = async () => (await exportRows()).errors.match(/The server names[^:.]*/g) ?? [];
  assert.deepEqual(await differences(), [], "control: neither side has one");
  const named = { hybridPublicKey, hybridFingerprint: await hybridFingerprint(hybridPublicKey) };
  answer(named);
  assert.deepEqual(await differences(), ["The server names a hybrid key for version 1 that is not in this key file"]);
  const keyFile = { ...JSON.parse(server.keyFile), hybridPrivateKey: firstHybridPair.privateKey };
  await writeFile(join(commandLine.folder, "v1.json"), JSON.stringify(keyFile));
  try {
    assert.deepEqual(await differences(), [
      "The server names another hybrid key for version 1 than the key file given here",
    ]);
    server.honest();
    assert.deepEqual(await differences(), [
      "The server names no hybrid key for version 1, but the key file given here has one",
    ]);
    answer({ ...named, hybridFingerprint: await hybridFingerprint(firstHybridPair.publicKey) });
    assert.deepEqual(await differences(), [], "control: both have the same");
  } finally {
    await writeFile(join(commandLine.folder, "v1.json"), server.keyFile);
  }
});

test("no private key leaves this machine, whatever is made here", async () => {
  await run("forms", "create", "Polls", "--key-file", "polls.json");
  await run("forms", "rotate", server.formId, "--key-file", "v3.json");
  await exportRows();
  for (const name of ["polls.json", "v3.json", "v1.json"]) {
    const { d, p, q } = JSON.parse(await readFile(join(commandLine.folder, name), "utf8")).privateKey;
    const sent = server.asked.map(({ path, body }) => path + body).join("\n");
    assert.ok(sent.includes("publicKey"));
    for (const secret of [d, p, q]) assert.ok(!sent.includes(secret), name);
  }
});

test("the snippet comes with the fingerprint of the key made here, not with one that the server names", async () => {
  server.lie<{ form: object }>("GET", /\/api\/forms\/form_\w+$/, ({ form }) => ({
    form: { ...form, embedCode: `<script>Sealpost.init("x", { keyFingerprint: "${"A".repeat(43)}" })</script>` },
  }));
  const { errors } = await run("forms", "create", "Orders", "--key-file", "orders.json");
  const made = JSON.parse(await readFile(join(commandLine.folder, "orders.json"), "utf8"));
  assert.ok(errors.includes(`{"keyFingerprint":"${made.fingerprint}"}`));
});

test("nothing that a server says moves the cursor or hides text", async () => {
  const evil = "\u001b[2J\u001b]0;owned\u0007\u009b1A\u202Eok\r";
  server.lie<{ form: object }>("GET", /\/api\/forms\/form_\w+$/, ({ form }) => ({
    form: { ...form, name: evil, embedCode: evil },
  }));
  server.lie<{ form: object }>("POST", /\/api\/forms$/, ({ form }) => ({ form: { ...form, name: evil } }));
  server.lie<{ forms: object[] }>("GET", /\/api\/forms\?/, ({ forms, ...page }) => ({
    ...page,
    forms: forms.map((form) => ({ ...form, id: evil, name: evil })),
  }));
  server.lie("GET", /\/api\/api-keys/, () => ({ error: evil }), 401);
  const runs = [
    await run("forms", "create", "Terminal", "--key-file", "terminal.json"),
    await run("forms", "list"),
    await run("forms", "list", "--json"),
    await run("keys", "list"),
  ];
  for (const { output, errors } of runs) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
    assert.doesNotMatch(output + errors, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.notEqual(output + errors, "");
  }
});

test("a redirect is not followed, so a credential goes nowhere else", async () => {
  server.swallow("GET", /\/api\/forms\?/, () => ({ status: 307, body: "" }));
  const { code, errors } = await run("forms", "list");
  assert.match(errors, /answered 307, but not as Sealpost does/);
  assert.equal(code, 6);
  assert.equal(server.asked.length, 1);
});
