import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createId, fingerprint, generateKeyPair } from "@sealpost/wire";
import { created, createdSealed, form, now, secret, sign } from "./testing/delivery.ts";

const packageFolder = join(import.meta.dirname, "..");
const readme = await readFile(join(packageFolder, "README.md"), "utf8");
const keyPair = await generateKeyPair();
const keyFile = {
  sealpost: "private-key",
  version: 1,
  formId: form.id,
  formName: form.name,
  keyVersion: 1,
  fingerprint: await fingerprint(keyPair.publicKey),
  createdAt: now,
  privateKey: keyPair.privateKey,
};

test("the README's receiver for node:http opens a real request, refuses a forged one and answers alike when opening fails", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sealpost-readme-"));
  t.after(() => rm(folder, { recursive: true }));
  const keyPath = join(folder, "contact.json");
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
    /^dlv_\w+ could not be opened: No private key at hand for key version 2/,
  );

  child.kill();
  await once(child, "exit");
});

test("the README's fetch handler opens a real Request, refuses a forged one and answers alike when opening fails", async () => {
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
  assert.equal(await post(await sign({ ...plain, test: true }, { at: Date.now() })), 204);
  assert.equal(stored.length, 1);
});

/** The code block of the README that begins with ```js `name`: what runs here is what readers copy. */
function readmeExample(name: string): string {
  const block = readme.split(`\`\`\`js ${name}\n`)[1]?.split("\n```")[0];
  assert.ok(block, `The README has no example called ${name}`);
  return block;
}
