import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createWebhookSecret, signStandard } from "@sealpost/wire";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../packages/server/src/api-document/document-types.ts";
import { closeAnswers } from "../../packages/server/src/testing/close-answers.ts";
import { createOpenApiDocument } from "../../scripts/openapi-document.ts";
import { inWhole } from "../support/sample.ts";
import { readBlocks, root } from "./blocks.ts";
import { type Case, keyLines, openLines, readAnswer, type Vector, verifyLine } from "./receivers/lines.ts";

/** A program may take minutes to begin on a busy machine: made for each, so that what is valid is so for four minutes from then on. */
async function createCases(): Promise<readonly Case[]> {
  const cases: Case[] = [];
  const secret = createWebhookSecret();
  const body = Buffer.from('{"event":"submission.created","form":{"name":"Zoë 😀"}}');
  const now = Math.floor(Date.now() / 1000);
  async function add(
    name: string,
    valid: boolean,
    change: {
      at?: number;
      id?: string;
      timestamp?: string;
      headers?: Record<string, string>;
      body?: Buffer;
      secret?: string;
      key?: Buffer;
    } = {},
  ) {
    const { id = "dlv_01hk153x00e5rbcwg8rxcnh8w6", timestamp = String(change.at ?? now) } = change;
    const { key = Buffer.from(secret.slice("whsec_".length), "base64") } = change;
    const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${createHmac("sha256", key).update(content).digest("base64")}`,
      ...change.headers,
    };
    cases.push({
      name,
      valid,
      secret: change.secret ?? secret,
      headers,
      body: (change.body ?? body).toString("base64"),
    });
  }
  const good = await signStandard(secret, "dlv_01hk153x00e5rbcwg8rxcnh8w6", now, body);
  await add("as sent", true);
  await add("among others", true, { headers: { "webhook-signature": `v1,AAAA v2,x ${good}` } });
  await add("an older attempt inside the tolerance", true, { at: now - 60 });
  await add("another body", false, { body: Buffer.from("{}") });
  await add("another secret", false, { secret: createWebhookSecret() });
  await add("too old", false, { at: now - 400 });
  await add("from the future", false, { at: now + 86_400 });
  await add("no signature", false, { headers: { "webhook-signature": "" } });
  await add("no id", false, { headers: { "webhook-id": "" } });
  await add("no time", false, { headers: { "webhook-timestamp": "" } });
  await add("an invalid time", false, { headers: { "webhook-timestamp": "Infinity" } });
  await add("among 32", true, { headers: { "webhook-signature": `${"v1,AAAA ".repeat(31)}${good}` } });
  await add("after 32 others", false, { headers: { "webhook-signature": `${"v1,AAAA ".repeat(32)}${good}` } });
  await add("signed, with an empty id", false, { id: "" });
  await add("signed, with a dot in the id", false, { id: `dlv_1.${now}` });
  for (const timestamp of [`+${now}`, `0${now}`, ` ${now}`, `${now}.0`, `${now}000`, "1".repeat(5000), ""])
    await add(`signed, with the timestamp ${timestamp.slice(0, 20)}`, false, { timestamp });
  for (const bytes of [24, 64]) {
    const key = Buffer.alloc(bytes, 5);
    await add(`a secret of ${bytes} bytes`, true, { key, secret: `whsec_${key.toString("base64")}` });
  }
  // As far as a lenient reader decodes it, too.
  for (const wrong of wrongSecrets(secret))
    for (const key of [Buffer.alloc(0), Buffer.from(wrong), Buffer.from(wrong.replace("whsec_", ""), "base64")])
      await add(`${JSON.stringify(wrong)} as the secret, signed with ${key.length} bytes`, false, {
        key,
        secret: wrong,
      });
  for (const wrong of wrongSecrets(secret))
    await add(`${JSON.stringify(wrong)} as the secret, with an empty signature`, false, {
      secret: wrong,
      headers: { "webhook-signature": "v1,  v1, v1," },
    });
  await add("another version's tag", false, { headers: { "webhook-signature": good.replace("v1,", "v2,") } });
  return cases;
}

/** Settings that are empty, cut, still quoted or another thing. */
function wrongSecrets(secret: string): readonly string[] {
  const ofBytes = (bytes: number) => `whsec_${Buffer.alloc(bytes, 5).toString("base64")}`;
  const encoded = secret.slice("whsec_".length);
  const wrapped = [
    `"${secret}"`,
    `'${secret}'`,
    `whsec_"${encoded}"`,
    encoded,
    `WHSEC_${encoded}`,
    `whsec_whsec_${encoded}`,
  ];
  return [
    "",
    "whsec_",
    ...wrapped,
    "whsec_%%%%",
    `whsec_${"?".repeat(44)}`,
    `${secret}%`,
    ofBytes(0),
    ofBytes(23),
    ofBytes(65),
  ];
}

test("each body that the guide shows is what the service's document says of its event, and every kind is shown", async () => {
  const document = closeAnswers(await createOpenApiDocument()) as OpenApiDocument; // made by the service
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false }).addSchema(document, "openapi");
  const bodies = readBlocks("docs/receivers.md")
    .filter(({ language, text }) => language === "json" && text.includes('"event"'))
    .map(({ text }) => JSON.parse(fillIn(text)));
  assert.deepEqual(new Set(bodies.map(({ event }) => event)), new Set(Object.keys(document.webhooks ?? {})));
  for (const body of bodies) {
    const { $ref } = Object(document.webhooks?.[body.event]).post.requestBody.content["application/json"].schema;
    const validate = ajv.compile({ $ref: `openapi${$ref}` });
    assert.ok(validate(body), `${body.event}: ${ajv.errorsText(validate.errors)}`);
  }
});

/** The parts that the guide leaves out for brevity. */
function fillIn(text: string): string {
  const base64 = (bytes: number) => Buffer.alloc(bytes, 1).toString("base64");
  return text
    .replace('"data": "SEALED"', `"data": "${base64(1040)}"`)
    .replace('"key": "SEALED"', `"key": "${base64(384)}"`)
    .replace('"iv": "SEALED"', `"iv": "${base64(12)}"`);
}

/** The guide has two blocks of each language that this tests: the first verifies, the second opens. */
function snippet(language: string, what: "verify" | "open"): string {
  const blocks = readBlocks("docs/receivers.md").filter(
    ({ language: ours, mark }) =>
      ours === language && mark.kind === "part" && mark.test === "tests/docs/receivers.test.ts",
  );
  assert.equal(blocks.length, 2, `The guide has ${blocks.length} blocks of ${language}`);
  return `${blocks[what === "verify" ? 0 : 1]?.text}\n`;
}

function isPresent(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters).status === 0;
}

const vectorsFolder = join(root, "packages", "wire", "vectors");
const readVectors = (file: string): unknown => JSON.parse(readFileSync(join(vectorsFolder, file), "utf8"));
const good = readVectors("good.json") as readonly Vector[]; // the format's own test holds them to this shape
const hostile = readVectors("hostile.json") as readonly Vector[];
const foreign = readVectors("foreign.json") as readonly Vector[];
const privateKeys = readVectors("keys.json") as Readonly<Record<string, { readonly privateKey: unknown }>>;
// Which key to take is left to the reader; the functions get one.
const vectors = [...good, ...hostile, ...foreign].filter(
  ({ outcome, keys }) => outcome !== "no_key" && !(outcome === "could_not_be_opened" && keys.length > 1),
);

interface Results {
  readonly cases: readonly Case[];
  readonly verdicts: readonly boolean[];
  /** For each vector what each of its keys gave. */
  readonly opened: readonly (readonly unknown[])[];
}

async function runIn(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [program = "", ...parameters] = command;
  const cases = await createCases();
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd: folder,
    input: JSON.stringify({
      cases,
      keys: Object.fromEntries(Object.entries(privateKeys).map(([name, { privateKey }]) => [name, privateKey])),
      openings: vectors.map(({ formId, keyVersion, submissionId: id, payload, keys }) => ({
        formId,
        submission: { id, keyVersion, payload },
        keys: keys.map(({ name }) => name),
      })),
    }),
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off", PYTHONDONTWRITEBYTECODE: "1" },
  });
  assert.equal(status, 0, stderr);
  return { cases, ...JSON.parse(stdout) }; // printed by main.py and main.go
}

function assertRight({ cases, verdicts, opened }: Results, read: (text: string) => string = (text) => text): void {
  assert.deepEqual(
    cases.map(({ name }, index) => [name, verdicts[index]]),
    cases.map(({ name, valid }) => [name, valid]),
  );
  assert.ok(vectors.length > 100);
  vectors.forEach(({ name, outcome, text, plaintext = text, fields: typed, sealpost: $sealpost }, index) => {
    const found = opened[index]?.filter((fields) => fields !== null) ?? [];
    const fields: object | undefined = plaintext === undefined ? typed : JSON.parse(read(plaintext));
    // As the guide says, what the page has sealed along is left among the fields.
    assert.deepEqual(found, outcome === "opened" ? [{ ...fields, ...($sealpost && { $sealpost }) }] : [], name);
  });
}

/** As the guide says of Go and Ruby: their JSON knows no halves of surrogate pairs. */
const withoutHalves = (text: string) => text.replace(/\\ud[89a-f]../gi, "\\ufffd");

test("the guide's Python verifies what we sign and opens the vectors, and refuses the rest", async (t) => {
  const python = process.env.SEALPOST_TEST_GUIDE_PYTHON ?? "python3";
  if (!isPresent(python, "-c", "import cryptography")) return t.skip("no Python with cryptography here");
  const files = {
    "guide_verify.py": snippet("python", "verify"),
    "guide_open.py": snippet("python", "open"),
    "main.py": readFileSync(join(import.meta.dirname, "receivers", "main.py"), "utf8"),
  };
  assertRight(await runIn(t, files, [python, "main.py"]));
});

// Compilers take half a minute of the processor: in `npm test` the languages that need none stand for all.
test("the guide's Go verifies what we sign and opens the vectors, and refuses the rest", inWhole, async (t) => {
  if (!isPresent("go", "version")) return t.skip("no Go here");
  const files = {
    "go.mod": "module receiver\n\ngo 1.21\n",
    "verify.go": snippet("go", "verify"),
    "open.go": snippet("go", "open"),
    "main.go": readFileSync(join(import.meta.dirname, "receivers", "main.go"), "utf8"),
  };
  assertRight(await runIn(t, files, ["go", "run", "."]), withoutHalves);
});

// A whole number of Ruby has no sign where it is zero.
test("the guide's Ruby verifies what we sign and opens the vectors, and refuses the rest", async (t) => {
  if (!isPresent("ruby", "-e", "exit RUBY_VERSION >= '3.1'")) return t.skip("no Ruby 3.1 or newer here");
  const files = {
    "guide_verify.rb": snippet("ruby", "verify"),
    "guide_open.rb": snippet("ruby", "open"),
    "main.rb": readFileSync(join(import.meta.dirname, "receivers", "main.rb"), "utf8"),
  };
  assertRight(await runIn(t, files, ["ruby", "main.rb"]), (text) => withoutHalves(text).replaceAll(":-0,", ":0,"));
});

test("the guide's Java verifies what we sign and opens the vectors, and refuses the rest", inWhole, async (t) => {
  if (!isPresent("javac", "--release", "17", "--version")) return t.skip("no JDK 17 or newer here");
  const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "Verify.java"), snippet("java", "verify"));
  writeFileSync(join(folder, "Open.java"), snippet("java", "open"));
  const main = join(import.meta.dirname, "receivers", "Main.java");
  const compiled = spawnSync("javac", ["--release", "17", "-d", folder, "Verify.java", "Open.java", main], {
    cwd: folder,
    encoding: "utf8",
    // Before JDK 18 source is read in the charset of the locale, which may know no letters but ASCII's.
    env: { ...process.env, LC_ALL: "C" },
  });
  assert.equal(compiled.status, 0, compiled.stderr);
  const cases = await createCases();
  const { status, stdout, stderr } = spawnSync("java", ["-cp", folder, "Main"], {
    input: [...keyLines(privateKeys), ...cases.map(verifyLine), ...vectors.flatMap(openLines)].join("\n"),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const answers = stdout.trim().split("\n").values();
  const verdicts = cases.map(() => answers.next().value === "true");
  const opened = vectors.map(({ keys }) => keys.map(() => readAnswer(answers.next().value ?? "")));
  assertRight({ cases, verdicts, opened });
});

// Only by `npm run test:clients`, since it takes minutes to compile the crates, which come from their registry.
const isRustWished = process.env.SEALPOST_TEST_GUIDE_RUST === "1";
test("the guide's Rust verifies what we sign and opens the vectors, and refuses the rest", {
  skip: !isRustWished,
}, async (t) => {
  const [manifest] = readBlocks("docs/receivers.md").filter(({ language }) => language === "toml");
  const bin = '\n[[bin]]\nname = "receiver"\npath = "main.rs"\n';
  const files = {
    "Cargo.toml": `${manifest?.text}\n${bin}`,
    "verify.rs": snippet("rust", "verify"),
    "open.rs": snippet("rust", "open"),
    "main.rs": readFileSync(join(import.meta.dirname, "receivers", "main.rs"), "utf8"),
  };
  assertRight(await runIn(t, files, ["cargo", "run", "--quiet"]), withoutHalves);
});

test("the guide's shell verifies what we sign, and refuses the rest", async (t) => {
  if (!isPresent("openssl", "version")) return t.skip("no openssl here");
  const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const cases = await createCases();
  const verdicts = cases.map(({ name, secret, headers, body }) => {
    writeFileSync(join(folder, "body.json"), Buffer.from(body, "base64"));
    const { status, stderr } = spawnSync(
      "sh",
      [
        ...["-uc", `${snippet("sh", "verify")}\nverify "$@"`, "sh", secret],
        ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((header) => headers[header] ?? ""),
        "body.json",
      ],
      { cwd: folder, encoding: "utf8" },
    );
    assert.equal(stderr, "", name);
    return [name, status === 0];
  });
  assert.deepEqual(
    verdicts,
    cases.map(({ name, valid }) => [name, valid]),
  );
});

test("the guide's shell refuses every request where one of its programs is missing or fails", async (t) => {
  if (!isPresent("openssl", "version")) return t.skip("no openssl here");
  const text = snippet("sh", "verify");
  const programs = ["openssl", "od", "tr", "date", "cat", "cut"].filter((name) => new RegExp(`\\b${name} `).test(text));
  assert.equal(programs.length, 6);
  const cases = await createCases();
  const [asSent] = cases;
  assert.ok(asSent);
  const forged = { ...asSent, headers: { ...asSent.headers, "webhook-signature": "v1," } };
  for (const lacking of [undefined, ...programs])
    for (const instead of lacking === undefined ? [""] : ["", "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexit 0\n"]) {
      const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
      t.after(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, "body.json"), Buffer.from(asSent.body, "base64"));
      const shell = findProgram("sh");
      for (const name of programs)
        if (name !== lacking) symlinkSync(findProgram(name), join(folder, name));
        else if (instead !== "") writeFileSync(join(folder, name), instead, { mode: 0o700 });
      const isAccepted = ({ secret, headers }: Case) =>
        spawnSync(
          shell,
          [
            ...["-uc", `${text}\nverify "$@"`, "sh", secret],
            ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((header) => headers[header] ?? ""),
            "body.json",
          ],
          { cwd: folder, env: { PATH: folder } },
        ).status === 0;
      assert.equal(isAccepted(asSent), lacking === undefined, `${lacking} ${instead}`);
      assert.equal(isAccepted(forged), false, `${lacking} ${instead}`);
    }
});

function findProgram(name: string): string {
  return spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
}

test("the guide's shell opens a submission with the command line", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [vector] = good;
  assert.ok(vector);
  const { formId, keyVersion, submissionId: id, payload, keys, plaintext } = vector;
  const submission = { id, payload, keyVersion, timestamp: 1, receivedAt: 2 };
  const body = { event: "submission.created", timestamp: 2, form: { id: formId, name: "Contact" }, submission };
  writeFileSync(join(folder, "body.json"), JSON.stringify(body));
  const { privateKey } = privateKeys[keys[0]?.name ?? ""] ?? {};
  writeFileSync(join(folder, "sealpost-contact-v1.key.json"), JSON.stringify(privateKey));
  const program = join(root, "packages/cli/src/main.ts");
  const sealpost = `sealpost() { "${process.execPath}" --conditions=@sealpost/source "${program}" "$@"; }`;
  const { stdout, stderr } = spawnSync("sh", ["-c", `${sealpost}\n${snippet("sh", "open")}`], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.deepEqual([JSON.parse(stdout), stderr], [JSON.parse(plaintext ?? ""), ""]);
});
