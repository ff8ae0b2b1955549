import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { describeVersion } from "../../packages/wire/src/pre-release.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { createInstalled, findNode, nodes, released, releaseFolder } from "./folders.ts";

/** A program for each package, which prints `done`, and our other packages that it imports. */
const programs: Readonly<Record<string, { readonly needs: readonly string[]; readonly program: string }>> = {
  wire: {
    needs: [],
    program: `
      import { createId, generateKeyPair, seal } from "@sealpost/wire";
      import { importOpeningKey, open } from "@sealpost/wire/open";
      const { publicKey, privateKey } = await generateKeyPair();
      const binding = { formId: createId("form"), keyVersion: 1, submissionId: createId("submission") };
      const payload = await seal({ name: "Zoë" }, binding, publicKey);
      const opened = await open({ ...binding, payload }, [await importOpeningKey(privateKey)]);
      if (opened.fields.name === "Zoë") console.log("done");`,
  },
  envelope: {
    needs: ["wire"],
    program: `
      import { createListEntry, generatePersonalKey, importSigningKey, openEnvelope, sealEnvelope, toFormKey, verifyList } from "@sealpost/envelope";
      import { createId, generateKeyPair } from "@sealpost/wire";
      const own = await generatePersonalKey();
      const [id, organizationId, formId] = [createId("account"), createId("account"), createId("form")];
      const signer = { id, signingKey: await importSigningKey(own.signingSeed) };
      const member = { id, name: "Zoë", role: "owner", recipient: own.recipient, signingKey: own.signingKey };
      const { entry: text, names } = await createListEntry(undefined, organizationId, { change: "add", member }, signer);
      const trust = { signingKey: own.signingKey };
      const list = await verifyList(new TextEncoder().encode(text), { organizationId, trust });
      const { privateKey } = await generateKeyPair();
      const key = await toFormKey(1, privateKey);
      const { file } = await sealEnvelope({ list, signer, formId, readerIds: [id], keys: [key] });
      const opened = await openEnvelope(file, own.identity, { list, formId, firstVersion: 1, revision: 1 });
      const foreign = await openEnvelope(file, (await generatePersonalKey()).identity, { list, formId, firstVersion: 1, revision: 1 });
      if (opened.content.keys[0].privateKey.d === privateKey.d && foreign.reason === "not_a_reader") console.log("done");`,
  },
  pii: {
    needs: [],
    program: `
      import { stripPii } from "@sealpost/pii";
      const { fields } = stripPii({ message: "Write to ada@example.com or call +49 30 901820" });
      if (!/ada@|901820/.test(fields.message)) console.log("done");`,
  },
  embed: {
    needs: [],
    program: `
      import { englishMessages, init } from "@sealpost/embed";
      if (typeof init === "function" && englishMessages.sent) console.log("done");`,
  },
  sdk: {
    needs: ["wire"],
    program: `
      import { createClient, createReceiver, generateKeyPair, openSubmission, parseOpeningKey } from "@sealpost/sdk";
      import { createCsvColumns, formatCsvHead } from "@sealpost/sdk/csv";
      import { createId, createWebhookSecret, seal, signStandard } from "@sealpost/wire";
      const { publicKey, privateKey } = await generateKeyPair();
      const secret = createWebhookSecret();
      const form = { id: createId("form"), name: "Contact" };
      const id = createId("submission");
      const payload = await seal({ name: "Zoë" }, { formId: form.id, keyVersion: 1, submissionId: id }, publicKey);
      const submission = { id, payload, keyVersion: 1, timestamp: 1, receivedAt: 1 };
      const opened = await openSubmission(form.id, submission, [await parseOpeningKey(privateKey, "mine")]);
      const receiver = await createReceiver({ secrets: secret, privateKeys: [privateKey] });
      const refused = await receiver.receive({ headers: {}, body: new Uint8Array() });
      const client = createClient({ baseUrl: "http://localhost:1", token: "none" });
      const offline = await client.forms.list().catch((error) => error.message);
      if (opened.fields.name === "Zoë" && !refused.verified && offline && formatCsvHead(createCsvColumns(["a"]))) console.log("done");`,
  },
};

for (const [name, { needs, program }] of Object.entries(programs))
  test(`@sealpost/${name}, installed into an empty folder, does its work on Node.js ${nodes.join(", ")}`, (t) => {
    const folder = createInstalled(t, [name, ...needs]);
    const file = folder.write("program.js", program);
    for (const major of nodes) assert.equal(folder.run([findNode(major), file]), "done\n", `Node.js ${major}`);
  });

test(`sealpost, installed into an empty folder, opens a sealed webhook on Node.js ${nodes.join(", ")}`, (t) => {
  const folder = createInstalled(t, ["cli", "sdk", "wire"]);
  const program = join(folder.path, "node_modules", ".bin", "sealpost");
  const { version } = JSON.parse(readFileSync(join(folder.path, "node_modules/@sealpost/cli/package.json"), "utf8"));
  assert.equal(folder.run(["npx", "--offline", "@sealpost/cli", "--version"]), `${describeVersion(version)}\n`);
  const make = folder.write(
    "make.js",
    `
    import { writeFileSync } from "node:fs";
    import { createKeyFile, generateKeyPair } from "@sealpost/sdk";
    import { createId, seal } from "@sealpost/wire";
    const { publicKey, privateKey } = await generateKeyPair();
    const form = { id: createId("form"), name: "Contact" };
    const id = createId("submission");
    const payload = await seal({ name: "Zoë" }, { formId: form.id, keyVersion: 1, submissionId: id }, publicKey);
    const submission = { id, payload, keyVersion: 1, timestamp: 1, receivedAt: 1 };
    writeFileSync("body.json", JSON.stringify({ event: "submission.created", timestamp: 1, form, submission }));
    const key = { formId: form.id, formName: form.name, keyVersion: 1, createdAt: 1, privateKey };
    writeFileSync("key.json", JSON.stringify(await createKeyFile(key)));`,
  );
  folder.run([findNode(26), make]);
  for (const major of nodes) {
    const node = findNode(major);
    assert.equal(folder.run([node, program, "--version"]), `${describeVersion(version)}\n`);
    assert.match(folder.run([node, program, "submissions", "export", "--help"]), /--passphrase-file/);
    const open = '"$0" "$1" webhooks open --key key.json < body.json';
    assert.match(folder.run(["sh", "-c", open, node, program]), /"name": ?"Zoë"/);
    const refused = folder.try([node, program, "forms", "list"], { XDG_CONFIG_HOME: folder.path });
    assert.deepEqual([refused.status, refused.output], [3, ""]);
  }
});

test("what is installed is licensed, described and compiled: no source, no test, no link that leads nowhere", (t) => {
  const names = ["wire", "envelope", "pii", "embed", "sdk", "cli", "server"];
  assert.equal(released.length, names.length);
  const folder = createInstalled(t, names);
  for (const name of names) {
    const home = join(folder.path, "node_modules", "@sealpost", name);
    const files = globSync("**/*", { cwd: home, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
    for (const needed of ["LICENSE", "README.md", "package.json"])
      assert.ok(files.includes(needed), `${name}: ${needed}`);
    assert.deepEqual(
      files.filter((file) => /(^src\/|\.test\.|(?<!\.d)\.tsx?$|testing\/)/.test(file)),
      [],
      name,
    );
    const manifest = readFileSync(join(home, "package.json"), "utf8");
    assert.doesNotMatch(manifest, /@sealpost\/source|devDependencies|"private"/, name);
    const links = readFileSync(join(home, "README.md"), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g);
    for (const [, link = ""] of links) assert.ok(globSync(link, { cwd: home }).length > 0, `${name}: ${link}`);
  }
});

test("the service says in a sentence which Node.js it needs, and runs on that one", (t) => {
  const folder = createInstalled(t, ["server"]);
  const program = join(folder.path, "node_modules", ".bin", "sealpost-server");
  for (const major of [22, 24] as const) {
    const { status, output, errors } = folder.try([findNode(major), program]);
    assert.deepEqual([status, output], [2, ""]);
    assert.match(
      errors,
      new RegExp(`^sealpost-server needs Node\\.js 26 or newer, and this is Node\\.js ${major}\\.[^\\n]+\\n$`),
    );
  }
  assert.match(folder.run([findNode(26), program, "--help"]), /doctor/);
  assert.equal(globSync("node_modules/*", { cwd: folder.path }).length, 1, "it brings all of its libraries along");
});

test("the service, installed into an empty folder, serves dashboard, embed, API reference and documentation", async (t) => {
  const folder = createInstalled(t, ["server"]);
  const installed = join(folder.path, "node_modules", ".bin", "sealpost-server");
  const environment = { SEALPOST_DATA: join(folder.path, "data"), SEALPOST_PORT: "0" };
  const service = await startServiceProcess(environment, [], { installed });
  try {
    for (const path of ["/", "/embed/sealpost.js", "/api/docs", "/docs"])
      assert.equal((await fetch(service.url + path)).status, 200, path);
  } finally {
    await service.kill();
  }
});

test("the command line of a release finds that the service of the same release serves what was released, by itself and by its folder", async (t) => {
  const folder = createInstalled(t, ["server", "cli"]);
  const installed = join(folder.path, "node_modules", ".bin", "sealpost-server");
  const environment = { SEALPOST_DATA: join(folder.path, "data"), SEALPOST_PORT: "0" };
  const service = await startServiceProcess(environment, [], { installed });
  try {
    const program = join(folder.path, "node_modules", ".bin", "sealpost");
    for (const major of nodes)
      assert.match(folder.run([findNode(major), program, "verify", service.url]), /by the list of this command line/);
    const output = folder.run([program, "verify", service.url, "--release", releaseFolder, "--json"]);
    const { release, findings } = JSON.parse(output);
    assert.deepEqual([findings, release.trust, release.files > 100], [[], "unsigned", true]);
  } finally {
    await service.kill();
  }
});
