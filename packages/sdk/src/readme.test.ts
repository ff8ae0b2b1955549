import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createClient } from "./client/client.ts";
import { createKeyFile } from "./key-file.ts";
import { created, createdSealed, form, now, secret, sign } from "./testing/delivery.ts";

const packageFolder = join(import.meta.dirname, "..");
const readme = await readFile(join(packageFolder, "README.md"), "utf8");
const keyPair = takeKeyPair();
const keyFile = await createKeyFile({
  formId: form.id,
  formName: form.name,
  keyVersion: 1,
  createdAt: now,
  privateKey: keyPair.privateKey,
});

test("the README's receiver for node:http opens a real request, refuses a forged one, takes no plain one and answers alike when opening fails", async (t) => {
  const keyPath = join(createTemporaryFolder(t), "contact.json");
  await writeFile(keyPath, JSON.stringify(keyFile));
  const child = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", "--input-type=module", "--eval", readmeExample("node-http")],
    {
      cwd: packageFolder,
      env: { ...process.env, PORT: "0", SEALPOST_WEBHOOK_SECRET: secret, SEALPOST_PRIVATE_KEY_FILE: keyPath },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  t.after(() => child.kill());
  const output = createInterface(child.stdout)[Symbol.asyncIterator]();
  const complaints = createInterface(child.stderr)[Symbol.asyncIterator]();
  const port = /port (\d+)/.exec((await output.next()).value ?? "")?.[1];
  const post = async ({ headers, body }: { headers: Record<string, string>; body: string }) =>
    (await fetch(`http://localhost:${port}/`, { method: "POST", headers, body })).status;

  const id = createId("delivery");
  const good = await sign(await createdSealed({ name: "Zoë 😀" }, keyPair), { at: Date.now(), id });
  assert.equal(await post(good), 204);
  assert.equal((await output.next()).value, `${id} brought {"name":"Zoë 😀"}`);

  assert.equal(await post({ ...good, body: good.body.replace("Kontakt", "kontakt") }), 401);
  assert.equal(
    (await complaints.next()).value,
    "Refused: No signature fits the body under any secret of this receiver",
  );

  assert.equal(await post(await sign(await createdSealed({}, keyPair, 2), { at: Date.now(), id })), 204);
  assert.match(
    (await complaints.next()).value ?? "",
    /^dlv_\w+ could not be opened: No private key available for key version 2/,
  );

  const plain = created({ encrypted: false, version: "plain1", fields: { name: "forged" } });
  assert.equal(await post(await sign(plain, { at: Date.now(), id })), 204);
  assert.match((await complaints.next()).value ?? "", /^dlv_\w+ could not be opened: Nobody sealed this submission/);
  assert.equal(await post(await sign({ event: "form.archived", timestamp: now, form }, { at: Date.now() })), 204);

  child.kill();
  await once(child, "exit");
});

test("the README's fetch handler opens a real Request, refuses a forged one, stores no plain one and answers alike when opening fails", async () => {
  // A module made of the block alone: only its bare imports are resolved from here.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, context.parentURL?.startsWith("data:") ? { ...context, parentURL: import.meta.url } : context),
  });
  const source = `data:text/javascript,${encodeURIComponent(readmeExample("fetch"))}`;
  const { default: handler } = await import(source);
  hooks.deregister();

  const stored: unknown[] = [];
  const environment = {
    SEALPOST_WEBHOOK_SECRET: secret,
    SEALPOST_PRIVATE_KEY: JSON.stringify(keyFile),
    store: async (deliveryId: string, fields: unknown) => stored.push([deliveryId, fields]),
  };
  const post = async (request: { headers: Record<string, string>; body: string }): Promise<number> => {
    const response = await handler.fetch(
      new Request("https://example.org/", { method: "POST", ...request }),
      environment,
    );
    return response.status;
  };
  const id = createId("delivery");
  const good = await sign(await createdSealed({ name: "Zoë" }, keyPair), { at: Date.now(), id });
  assert.equal(await post(good), 204);
  assert.deepEqual(stored, [[id, { name: "Zoë" }]]);
  assert.equal(await post({ ...good, body: `${good.body} ` }), 401);
  assert.equal(await post(await sign(await createdSealed({}, keyPair, 2), { at: Date.now() })), 204);
  const plain = created({ encrypted: false, version: "plain1", fields: {} });
  assert.equal(await post(await sign(plain, { at: Date.now() })), 204);
  assert.equal(await post(await sign({ event: "form.archived", timestamp: now, form }, { at: Date.now() })), 204);
  assert.equal(stored.length, 1);
});

test("the README's client lists the forms of a real service, opens their submissions, and takes none that nobody sealed", async (t) => {
  const service = await createTestService(t);
  const { token } = await service.signUp();
  const client = createClient({ baseUrl: service.url, token });
  const { id } = await client.forms.create({ name: "Kontakt", publicKey: keyPair.publicKey });
  const submitted = await createdSealed({ name: "Zoë" }, keyPair, 1, id as FormId); // as the server made it
  const { id: submissionId, payload, keyVersion } = submitted.submission;
  const body = { id: submissionId, payload, keyVersion };
  assert.equal((await service.request("POST", `/api/forms/${id}/submissions`, { body })).status, 201);
  await client.forms.update(id, { settings: { encryption: false } });
  const plain = { payload: { encrypted: false, version: "plain1", fields: { name: "forged" } } };
  const posted = await service.request("POST", `/api/forms/${id}/submissions`, { body: plain });
  assert.equal(posted.status, 201);

  const keyPath = join(createTemporaryFolder(t), "key.json");
  await writeFile(keyPath, JSON.stringify(keyPair.privateKey));
  const flags = ["--conditions=@sealpost/source", "--input-type=module", "--eval", readmeExample("client")];
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: token, SEALPOST_PRIVATE_KEY_FILE: keyPath };
  const child = spawn(process.execPath, flags, { cwd: packageFolder, env: { ...process.env, ...environment } });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(complaints, "");
  const [title, sealedLine, plainLine] = output.split("\n");
  assert.deepEqual([title, sealedLine], ["Kontakt: 2 submissions", `${submissionId} {"name":"Zoë"}`]);
  assert.match(plainLine ?? "", /^sub_\w+ Nobody sealed this submission/);
});

/** The code block of the README that begins with ```js `name`: what runs here is what readers copy. */
function readmeExample(name: string): string {
  const block = readme.split(`\`\`\`js ${name}\n`)[1]?.split("\n```")[0];
  assert.ok(block, `The README has no example called ${name}`);
  return block;
}
