import assert from "node:assert/strict";
import { test } from "node:test";
import { createInstalled, type Folder, findNode, nodes } from "./folders.ts";

const libraries = ["wire", "envelope", "pii", "embed", "sdk"];

/** Every entry that the packages declare but those that need an optional package to load: React, or fflate for XLSX. */
function listEntries(folder: Folder): readonly string[] {
  const names = JSON.stringify(libraries.map((name) => `@sealpost/${name}`));
  const print = `
    const entries = ${names}.flatMap((name) => Object.keys(require(name + "/package.json").exports)
      .filter((path) => !/package|react|xlsx/.test(path)).map((path) => name + path.slice(1)));
    console.log(JSON.stringify(entries));`;
  return JSON.parse(folder.run([findNode(26), folder.write("entries.cjs", print)]));
}

test(`require loads every entry of every library on Node.js ${nodes.join(", ")}`, (t) => {
  const folder = createInstalled(t, libraries);
  const entries = listEntries(folder);
  assert.ok(entries.length >= 9, entries.join(", "));
  const load = `
    // The entry for key logs only adds to the embed.
    const hasNone = ${JSON.stringify(entries)}.filter((entry) => Object.keys(require(entry)).length === 0);
    console.log(hasNone.join(" "));`;
  const file = folder.write("load.cjs", load);
  for (const major of nodes)
    assert.equal(folder.run([findNode(major), file]), "@sealpost/embed/key-log\n", `Node.js ${major}`);
});

const program = `
import { openEnvelope } from "@sealpost/envelope";
import { stripPii } from "@sealpost/pii";
import { createReceiver, openSubmission, parseOpeningKey, type Receiver, type Submission } from "@sealpost/sdk";
import { createCsvColumns, formatCsvHead } from "@sealpost/sdk/csv";
import { createEnvelopeReader } from "@sealpost/sdk/envelopes";
import { createHeadFile } from "@sealpost/sdk/head-file";
import { createId, createWebhookSecret, generateKeyPair, seal } from "@sealpost/wire";
import { importOpeningKey } from "@sealpost/wire/open";

async function main(): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair();
  const formId = createId("form");
  const id = createId("submission");
  const payload = await seal({ name: "Zoë" }, { formId, keyVersion: 1, submissionId: id }, publicKey);
  const submission: Submission = { id, formId, payload, keyVersion: 1, timestamp: 1, receivedAt: 1 };
  const opened = await openSubmission(formId, submission, [await parseOpeningKey(privateKey, "mine")]);
  const receiver: Receiver = await createReceiver({ secrets: createWebhookSecret(), privateKeys: [privateKey] });
  const refused = await receiver.receive({ headers: {}, body: new Uint8Array() });
  const others = [openEnvelope, stripPii, createEnvelopeReader, createHeadFile, importOpeningKey];
  const isEach = others.every((each) => typeof each === "function") && formatCsvHead(createCsvColumns(["a"])) !== "";
  if (opened.opened && opened.fields.name === "Zoë" && !refused.verified && isEach) console.log("done");
}
// @ts-expect-error the types are there: a number is no id
void (() => createReceiver(1));
void main();
`;

/** How CommonJS projects in TypeScript are set up: by Node's own rules, and as before there were any. */
const setUps = [
  { compiler: "typescript@5.9.3", module: "commonjs", moduleResolution: "node10", target: "es2022" },
  { compiler: "typescript@5.9.3", module: "node20", moduleResolution: "node16", target: "es2023" },
  { compiler: "typescript@7.0.2", module: "nodenext", moduleResolution: "nodenext", target: "es2024" },
] as const;

for (const { compiler, ...options } of setUps)
  test(`a CommonJS project compiles with ${compiler}, module ${options.module}, and runs on Node.js ${nodes.join(", ")}`, (t) => {
    const folder = createInstalled(t, ["wire", "envelope", "pii", "sdk"], [compiler, "@types/node@26.6.6"]);
    folder.write("package.json", JSON.stringify({ name: "app", private: true }));
    const compilerOptions = { ...options, strict: true, lib: ["es2024", "dom"], types: ["node"] };
    folder.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...compilerOptions, rootDir: "src", outDir: "out" }, include: ["src"] }),
    );
    folder.write("src/main.ts", program);
    folder.run(["npx", "tsc"]);
    for (const major of nodes) assert.equal(folder.run([findNode(major), "out/main.js"]), "done\n", `Node.js ${major}`);
  });
