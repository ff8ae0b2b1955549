import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { readWorkbook } from "../../../tests/support/workbook.ts";
import { createForm, first, parseLines, second } from "./testing/exported-form.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("an export opens everything here, oldest first, across key versions", async (t) => {
  const form = await createForm(t);
  const typed = { name: "Zoë 😀", topics: ["a", "b"], long: "ä".repeat(60_000) };
  const ids = [await form.submit(typed, first, 1), await form.submit({ name: "two" }, second, 2)];
  const { code, output, errors } = await form.run("--format", "ndjson", "--key", "v1.json", "--key", "v2.json");
  assert.equal(code, 0, errors);
  const rows = parseLines(output);
  assert.deepEqual(
    rows.map((row) => [row.id, row.status, row.keyVersion]),
    [
      [ids[0], "opened", 1],
      [ids[1], "opened", 2],
    ],
  );
  assert.deepEqual(
    rows.map((row) => row.fields),
    [typed, { name: "two" }],
  );
  assert.equal(errors, "2 submissions, 2 of them readable\n");
  const json = await form.run("--format", "json", "--key", "v1.json", "--key", "v2.json");
  assert.deepEqual(JSON.parse(json.output), rows);
  const csv = await form.run("--key", "v1.json", "--key", "v2.json", "--column", "name");
  assert.match(
    csv.output,
    /^"_id","_receivedAt","_keyVersion","_status","name"\r\n"sub_\w+","[^"]+Z","1","opened","Zoë 😀"\r\n/,
  );
});

test("a submission that cannot be opened gets a status and stops nothing; the exit code tells", async (t) => {
  const form = await createForm(t);
  await form.submit({ n: 1 }, first, 1);
  // Anyone who knows the public keys can post what nobody can open.
  await form.submit({ n: 2 }, first, 1, 2);
  await form.submit({ n: 3 }, takeKeyPair(), 1);
  await form.submit({ n: 4 }, second, 2);
  await form.submit({ n: 5 }, first, 1);
  const { code, output, errors } = await form.run("--format", "ndjson", "--key", "v1.json");
  assert.equal(code, 7);
  assert.deepEqual(
    parseLines(output).map((row) => [row.status, row.fields?.n]),
    [
      ["opened", 1],
      ["no_key", undefined],
      ["could_not_be_opened", undefined],
      ["no_key", undefined],
      ["opened", 5],
    ],
  );
  assert.match(
    errors,
    /5 submissions, 2 of them readable\nNo private key available for key version 2: give its file with --key\n/,
  );
  assert.match(errors, /sealpost: 3 submissions could not be opened\n$/);
  assert.equal((await form.run("--format", "json")).code, 7);
});

test("bare keys open as key files do, in any order, and with a credential that may not read forms too", async (t) => {
  const form = await createForm(t);
  await form.submit({ n: 1 }, first, 1);
  await form.submit({ n: 2 }, second, 2);
  for (const [name, { privateKey }] of Object.entries({ first, second }))
    await writeFile(join(form.folder, `${name}.jwk`), JSON.stringify(privateKey));
  const { key } = (
    await form.account.request("POST", "/api/api-keys", { name: "reader", permissions: ["submissions:read"] })
  ).body;
  const token = (await form.account.request("GET", "/api/forms")).status === 200 ? key.key : "";
  for (const run of [form.run, (...parameters: string[]) => form.runAs(token, ...parameters)]) {
    const { code, output, errors } = await run("--format", "ndjson", "--key", "second.jwk", "--key", "first.jwk");
    assert.equal(code, 0, errors);
    assert.deepEqual(
      parseLines(output).map((row) => row.fields?.n),
      [1, 2],
    );
  }
});

test("plain submissions need no key and say that nobody sealed them", async (t) => {
  const form = await createForm(t);
  await form.account.request("PATCH", `/api/forms/${form.id}`, { settings: { encryption: false } });
  const payload = { encrypted: false, version: "plain1", fields: { name: "=1+1" } };
  const posted = await form.account.request("POST", `/api/forms/${form.id}/submissions`, { payload });
  assert.equal(posted.status, 201);
  const { code, output, errors } = await form.run();
  assert.equal(code, 0, errors);
  assert.match(output, /"not_sealed","'=1\+1"\r\n$/);
  const taken = await form.run("--key", "v1.json", "--plain");
  assert.deepEqual([taken.code, taken.output], [0, output], taken.errors);
});

test("an export with a key leaves out what nobody sealed, and the exit code tells", async (t) => {
  const form = await createForm(t);
  await form.submit({ n: 1 }, first, 1);
  await form.submit({ n: 2 }, takeKeyPair(), 1);
  await form.account.request("PATCH", `/api/forms/${form.id}`, { settings: { encryption: false } });
  const payload = { encrypted: false, version: "plain1", fields: { n: "forged" } };
  const posted = await form.account.request("POST", `/api/forms/${form.id}/submissions`, { payload });
  assert.equal(posted.status, 201);
  const { code, output, errors } = await form.run("--format", "ndjson", "--key", "v1.json");
  assert.equal(code, 8);
  assert.deepEqual(
    parseLines(output).map((row) => [row.status, row.fields?.n]),
    [
      ["opened", 1],
      ["could_not_be_opened", undefined],
      ["not_sealed", undefined],
    ],
  );
  assert.match(
    errors,
    /3 submissions, 1 of them readable\n1 of them was never sealed.*--plain includes what is not sealed\n/,
  );
  assert.match(errors, /sealpost: 1 submission was never sealed, 1 submission could not be opened\n$/);
});

test("an export may begin after a submission, and keep to a range of time", async (t) => {
  const form = await createForm(t);
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.push(await form.submit({ n }, first, 1));
  const idsOf = async (...parameters: string[]) =>
    parseLines((await form.run("--format", "ndjson", "--key", "v1.json", ...parameters)).output).map((row) => row.id);
  assert.deepEqual(await idsOf("--after", ids[0] ?? ""), ids.slice(1));
  assert.deepEqual(await idsOf("--from", "2020-01-01"), ids);
  assert.deepEqual(await idsOf("--to", "2020-01-01"), []);
  const { output } = await form.run("--format", "ndjson", "--key", "v1.json");
  const times = parseLines(output).map(({ receivedAt }) => String(receivedAt));
  for (const [index, time] of times.entries()) {
    assert.deepEqual(await idsOf("--from", time), ids.slice(index), "that moment, or later");
    assert.deepEqual(await idsOf("--to", time), ids.slice(0, index), "before that moment");
  }
});

test("the output file is readable by this user alone and never overwrites another", async (t) => {
  const form = await createForm(t);
  await form.submit({ name: "Zoë" }, first, 1);
  const path = join(form.folder, "contact.csv");
  const written = await form.run("--key", "v1.json", "--output", "contact.csv");
  assert.deepEqual([written.code, written.output], [0, ""], written.errors);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const text = await readFile(path, "utf8");
  assert.match(text, /"Zoë"/);
  const again = await form.run("--key", "v1.json", "--output", "contact.csv");
  assert.equal(again.code, 2);
  assert.match(again.errors, /already exists and is never overwritten/);
  assert.equal(await readFile(path, "utf8"), text);
});

test("XLSX goes into a file and never to a terminal; texts that no cell holds are counted; CSV is separated as asked", async (t) => {
  const form = await createForm(t);
  await form.submit({ phone: "+49 30 1234", code: "0123", long: "x".repeat(40_000) }, first, 1);
  const refused = await form.runAtTerminal("--key", "v1.json", "--format", "xlsx");
  assert.deepEqual([refused.code, refused.output], [2, ""]);
  const written = await form.run("--key", "v1.json", "--format", "xlsx", "--output");
  assert.equal(written.code, 0, written.errors);
  assert.match(written.errors, /1 text is too long for an XLSX cell/);
  const [, name = ""] = /Written to (sealpost-contact-[\d-]+\.xlsx)\n/.exec(written.errors) ?? [];
  const [sheet] = readWorkbook(await readFile(join(form.folder, name)));
  assert.deepEqual(
    [4, 5].map((column) => sheet?.rows[1]?.get(column)),
    ["+49 30 1234", "0123"].map((value) => ({ kind: "text", value })),
  );
  const csv = await form.run("--key", "v1.json", "--separator", "semicolon", "--bom", "--column", "phone");
  assert.match(
    csv.output,
    /^\uFEFF"_id";"_receivedAt";"_keyVersion";"_status";"phone"\r\n"sub_\w+";.*;"\+49 30 1234"\r\n$/,
  );
  const unfit = await form.run("--key", "v1.json", "--format", "json", "--separator", "tab");
  assert.equal(unfit.code, 2);
});

test("a terminal gets nothing that it acts on; a file and a pipe get what was typed, the file under the form's name", async (t) => {
  const form = await createForm(t);
  const typed = "\u001b]52;c;cm0gLXJm\u0007 \u202etxt";
  await form.submit({ name: typed }, first, 1);
  for (const format of ["csv", "json", "ndjson"]) {
    const parameters = ["--key", "v1.json", "--format", format];
    const shown = await form.runAtTerminal(...parameters);
    assert.doesNotMatch(shown.output, /[^\P{Cc}\r\n]|\p{Cf}/u, format);
    const piped = await form.run(...parameters);
    const written = await form.runAtTerminal(...parameters, "--output");
    const name = /^Written to (sealpost-contact-\d{4}-\d\d-\d\d\.\w+)$/m.exec(written.errors)?.[1] ?? "";
    assert.equal(await readFile(join(form.folder, name), "utf8"), piped.output);
    if (format === "csv") assert.ok(piped.output.includes(typed));
    else assert.deepEqual([JSON.parse(piped.output)].flat()[0].fields, { name: typed });
  }
});

test("a missing form and an invalid key file end the export before anything is written", async (t) => {
  const form = await createForm(t);
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: "http://127.0.0.1:1", SEALPOST_TOKEN: "sp_token" };
  const noKey = await run(["submissions", "export", createId("form"), "--key", "none.json"], { environment });
  assert.deepEqual([noKey.code, noKey.output], [2, ""]);
  assert.match(noKey.errors, /none\.json cannot be read/);
  await form.account.request("DELETE", `/api/forms/${form.id}?confirm=DELETE_FORM`);
  const gone = await form.run("--output", "contact.csv");
  assert.deepEqual([gone.code, gone.output], [4, ""]);
  await assert.rejects(stat(join(form.folder, "contact.csv")), { code: "ENOENT" });
});

test("a sealed export needs no key, and each line is the submission as the server has it", async (t) => {
  const form = await createForm(t);
  const ids = [await form.submit({ name: "Zoë" }, first, 1), await form.submit({ name: "two" }, second, 2)];
  const { code, output, errors } = await form.run("--format", "sealed");
  assert.equal(code, 0, errors);
  assert.equal(errors, "2 submissions, still sealed\n");
  const stored = await Promise.all(
    ids.map(
      async (id) => (await form.account.request("GET", `/api/forms/${form.id}/submissions/${id}`)).body.submission,
    ),
  );
  assert.deepEqual(parseLines(output), stored);
  const continued = await form.run("--format", "sealed", "--after", ids[0] ?? "");
  assert.deepEqual(parseLines(continued.output), stored.slice(1));
  const named = await form.run("--format", "sealed", "--output");
  assert.match(named.errors, /Written to sealpost-contact-\d{4}-\d{2}-\d{2}\.sealed\.ndjson/);
  for (const option of [["--key", "v1.json"], ["--bom"], ["--column", "name"]])
    assert.equal((await form.run("--format", "sealed", ...option)).code, 2);
  await form.account.request("PATCH", `/api/forms/${form.id}`, { settings: { encryption: false } });
  const payload = { encrypted: false, version: "plain1", fields: { name: "in the clear" } };
  await form.account.request("POST", `/api/forms/${form.id}/submissions`, { payload });
  const without = await form.run("--format", "sealed");
  assert.equal(without.code, 8);
  assert.deepEqual(parseLines(without.output), stored);
  assert.match(without.errors, /1 submission was never sealed and so left out: --plain/);
  const whole = await form.run("--format", "sealed", "--plain");
  assert.equal(whole.code, 0);
  assert.match(whole.output, /in the clear/);
  assert.match(whole.errors, /3 submissions\. 1 of them was never sealed/);
});
