import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { createId, type FormId, fingerprint, hybridFingerprint, isVersionSeed, seal, sealHybrid } from "@sealpost/wire";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("a form is created with a key pair that never left this machine, and its private key is in a file of mode 0600", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const created = await run(
    [
      "forms",
      "create",
      "Kontakt – Zoë",
      "--pii-strip",
      "--allowed-origin",
      "https://a.example, https://b.example",
      "--allowed-origin",
      "https://c.example",
    ],
    { environment },
  );
  assert.equal(created.code, 0, created.errors);
  const formId = created.output.trim();
  assert.match(created.errors, /sealpost-kontakt-zoe-v1\.key\.json: keep a copy: it cannot be restored/);
  assert.match(created.errors, /<script/);

  const path = join(folder, "sealpost-kontakt-zoe-v1.key.json");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const keyFile = JSON.parse(await readFile(path, "utf8"));
  const { form } = (await account.request("GET", `/api/forms/${formId}`)).body;
  assert.equal(form.keyProof, "proved", "the written file opened a test value");
  assert.partialDeepStrictEqual(form.settings, {
    encryption: true,
    piiStrip: true,
    webhookUrl: null,
    allowedOrigins: ["https://a.example", "https://b.example", "https://c.example"],
  });
  assert.equal(keyFile.fingerprint, await fingerprint(form.publicKey));
  const { privateKey, ...label } = keyFile;
  assert.deepEqual(Object.keys(privateKey).toSorted(), ["d", "dp", "dq", "e", "kty", "n", "p", "q", "qi"]);
  const expected = {
    sealpost: "private-key",
    version: 1,
    formId,
    formName: "Kontakt – Zoë",
    keyVersion: 1,
    createdAt: form.createdAt,
  };
  assert.ok(isVersionSeed(keyFile.seed));
  assert.deepEqual(label, { ...expected, fingerprint: keyFile.fingerprint, seed: keyFile.seed });

  const listed = await run(["forms", "list"], { environment });
  assert.match(listed.output, new RegExp(`^ID .*\\n${formId}  Kontakt – Zoë  20\\S+Z +0 +yes +proved\\n$`));
  const json = JSON.parse((await run(["forms", "list", "--json"], { environment })).output);
  assert.deepEqual(
    json.map((one: { id: string }) => one.id),
    [formId],
  );
});

test("a key file that is there already stops the command before the server hears of it", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  assert.equal((await run(["forms", "create", "One", "--key-file", "key.json"], { environment })).code, 0);
  const before = await readFile(join(folder, "key.json"), "utf8");
  const again = await run(["forms", "create", "Two", "--key-file", "key.json"], { environment });
  assert.equal(again.code, 2);
  assert.match(again.errors, /already exists and is never overwritten/);
  assert.equal(await readFile(join(folder, "key.json"), "utf8"), before);
  assert.equal((await account.request("GET", "/api/forms")).body.total, 1);
});

test("a refused form leaves no key file, and says what was wrong", async (t) => {
  const service = await createTestService(t);
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: (await service.signUp()).token };
  const refused = await run(["forms", "create", "a", "--webhook-url", "http://example.org"], { environment });
  assert.deepEqual([refused.code, refused.output], [5, ""]);
  assert.match(refused.errors, /Invalid form settings\n {2}webhookUrl: Must be a valid HTTPS URL: one that begins/);
  const joined = ["forms", "create", "a", "--allowed-origin", "https://a.example;https://b.example"];
  const several = await run(joined, { environment });
  assert.equal(several.code, 5);
  assert.match(
    several.errors,
    /allowedOrigins: Entry 1: Must be a single address\. .* on the command line, commas separate them/,
  );
  assert.equal((await run(["forms", "create", "Two"], { environment })).code, 0);
  const twice = await run(["forms", "create", "two"], { environment });
  assert.equal(twice.code, 2, "the same file name");
  const taken = await run(["forms", "create", "two", "--key-file", "other.json"], { environment });
  assert.equal(taken.code, 5);
  assert.match(taken.errors, /A form with this name already exists/);
  assert.deepEqual(await readdir(folder), ["sealpost-two-v1.key.json"]);
});

test("where it is not known whether the server took the public key, the private key stays", async (t) => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.url !== "/api/forms/reservations") return void request.socket.destroy();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ formId: createId("form"), expiresAt: 0 }));
    });
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: `http://127.0.0.1:${port}`, SEALPOST_TOKEN: "sp_token" };
  const { code, errors } = await run(["forms", "create", "Contact"], { environment });
  assert.equal(code, 6);
  assert.match(
    errors,
    /not known whether the server accepted the key: the private key stays in .*sealpost-contact-v1\.key\.json/,
  );
  assert.equal(JSON.parse(await readFile(join(folder, "sealpost-contact-v1.key.json"), "utf8")).privateKey.kty, "RSA");
});

test("rotating makes the next key pair here, writes it next to the older one, and both versions stay known", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const formId = (await run(["forms", "create", "Contact"], { environment })).output.trim();
  const rotated = await run(["forms", "rotate", formId], { environment });
  assert.deepEqual([rotated.code, rotated.output], [0, "2\n"], rotated.errors);
  assert.match(
    rotated.errors,
    /^The form has no key log: once it is rotated, a page that pins its key takes no answers until it has the new pin\. .*--prepare\.\nRotated Contact from key version 1 to 2\.\n/,
  );
  assert.match(
    rotated.errors,
    /A page that pins its key needs \{"keyFingerprint":"[\w-]{43}"\} in the script's attribute/,
  );
  assert.doesNotMatch(rotated.errors, /snippet/);
  assert.deepEqual(await readdir(folder), ["sealpost-contact-v1.key.json", "sealpost-contact-v2.key.json"]);
  const files = await Promise.all(
    [1, 2].map(async (version) =>
      JSON.parse(await readFile(join(folder, `sealpost-contact-v${version}.key.json`), "utf8")),
    ),
  );
  const { keys } = (await account.request("GET", `/api/forms/${formId}/keys`)).body;
  const known = new Map(keys.map((key: { version: number; fingerprint: string }) => [key.version, key.fingerprint]));
  for (const file of files) assert.equal(file.fingerprint, known.get(file.keyVersion));
  assert.deepEqual(
    files.map((file) => [file.formId, file.keyVersion]),
    [
      [formId, 1],
      [formId, 2],
    ],
  );

  const json = await run(["forms", "rotate", formId, "--json", "--key-file", "third.json"], { environment });
  const shown = JSON.parse(json.output);
  assert.deepEqual([shown.keyVersion, shown.previousKeyVersion, "privateKey" in shown], [3, 2, false]);
  assert.equal(shown.keyFile, join(folder, "third.json"));
  assert.equal((await run(["forms", "rotate", "form_01hk153x00e5rbcwg8rxcnh8w4"], { environment })).code, 4);
});

test("rotating a form that is not sealed says nothing of pins: its page has none", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const formId = (await run(["forms", "create", "Open", "--no-encryption"], { environment })).output.trim();
  const rotated = await run(["forms", "rotate", formId], { environment });
  assert.deepEqual([rotated.code, rotated.output], [0, "2\n"], rotated.errors);
  assert.doesNotMatch(rotated.errors, /keyFingerprint/);
});

test("a form and a version with hybrid keys: one key file of each opens both formats, and a version without one is said", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const created = await run(["forms", "create", "Contact", "--hybrid"], { environment });
  assert.equal(created.code, 0, created.errors);
  const formId = created.output.trim() as FormId; // as the service made it
  const rotated = await run(["forms", "rotate", formId, "--hybrid"], { environment });
  assert.equal(rotated.code, 0);
  for (const [keyVersion, { errors }] of [created, rotated].map((outcome, index) => [index + 1, outcome] as const)) {
    const keyFile = JSON.parse(await readFile(join(folder, `sealpost-contact-v${keyVersion}.key.json`), "utf8"));
    assert.equal(keyFile.hybridFingerprint, await hybridFingerprint(keyFile.hybridPrivateKey));
    // A page that named the RSA key too could be held at it.
    assert.ok(
      errors.includes(`{"keyFingerprint":"${keyFile.hybridFingerprint}"}`) && !errors.includes(keyFile.fingerprint),
    );
    const { kty, n, e } = keyFile.privateKey;
    const { priv: _, ...hybridPublicKey } = keyFile.hybridPrivateKey;
    for (const version of ["sp1", "sp2"]) {
      const id = createId("submission");
      const binding = { formId, keyVersion, submissionId: id };
      const payload =
        version === "sp1"
          ? await seal({ version }, binding, { kty, n, e })
          : await sealHybrid({ version }, binding, hybridPublicKey);
      const body = { id, payload, keyVersion };
      assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body })).status, 201);
    }
  }
  const keyFiles = [1, 2].flatMap((version) => ["--key", `sealpost-contact-v${version}.key.json`]);
  const exported = await run(["submissions", "export", formId, "--format", "json", ...keyFiles], { environment });
  assert.equal(exported.code, 0, exported.errors);
  assert.deepEqual(
    JSON.parse(exported.output).map((row: { keyVersion: number; fields: object }) => [row.keyVersion, row.fields]),
    [1, 2].flatMap((version) => [
      [version, { version: "sp1" }],
      [version, { version: "sp2" }],
    ]),
  );
  const { keys } = (await account.request("GET", `/api/forms/${formId}/keys`)).body;
  for (const { provedAt } of keys) assert.notEqual(provedAt, null);
  const dropped = await run(["forms", "rotate", formId], { environment });
  assert.match(dropped.errors, /had a hybrid key, this one has none/);
});
