import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, createReceiver, generateKeyPair, type Receiver } from "@sealpost/receiver";
import { createId, type FormId, seal } from "@sealpost/wire";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";

/** `npm run test:kill` runs twenty rounds; `npm test` sets three. */
const rounds = Number(process.env.SEALPOST_KILL_ROUNDS ?? 20);
const clients = 8;
/** At most as many requests are under way to one host, so at most as many may be repeated after each kill. */
const inFlightMax = 4;

test(`${rounds} times kill -9 under load: every submission answered with 201 is listed, delivered and opened`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-kill-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const pair = await generateKeyPair();
  const certificate = await createCertificate();
  writeFileSync(join(folder, "receiver.pem"), certificate.cert);

  // The ledger of the receiver: how often each submission came, by its opened content.
  const ledger = new Map<string, number>();
  const progress = new EventTarget();
  let receiver: Receiver | undefined;
  const receiverServer = createHttpsServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const result = await receiver?.receive({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(result?.verified ? 204 : 401).end();
      assert.ok(result?.verified && result.event.event === "submission.created" && result.event.opened.opened);
      const { submission, opened } = result.event;
      assert.equal(opened.fields.id, submission.id, "each opens to what was sealed under its own id");
      ledger.set(submission.id, (ledger.get(submission.id) ?? 0) + 1);
      progress.dispatchEvent(new Event("delivered"));
    });
  });
  await new Promise<void>((resolve) => receiverServer.listen(0, "localhost", resolve));
  t.after(() => {
    receiverServer.closeAllConnections();
    receiverServer.close();
  });
  const receiverPort = (receiverServer.address() as AddressInfo).port; // it listens on TCP

  const environment = {
    SEALPOST_DATA: join(folder, "data"),
    SEALPOST_PORT: String(await findFreePort()),
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128",
    NODE_EXTRA_CA_CERTS: join(folder, "receiver.pem"),
  };
  let service: ServiceProcess = await startServiceProcess(environment);
  t.after(() => service.kill());
  const client = createClient({ baseUrl: service.url, token: await signUpForToken(service.url) });
  const created = await client.forms.create({
    name: "Kill",
    publicKey: pair.publicKey,
    settings: { webhookUrl: `https://localhost:${receiverPort}/` },
  });
  const formId = created.id as FormId; // the service makes nothing else
  const { secret } = await client.webhooks.secret(formId);
  receiver = await createReceiver({ secrets: [secret], privateKeys: [pair.privateKey] });

  const accepted = new Set<string>();
  async function post(): Promise<boolean> {
    const id = createId("submission");
    const payload = await seal(
      { id, message: "x".repeat(500) },
      { formId, keyVersion: 1, submissionId: id },
      pair.publicKey,
    );
    const body = JSON.stringify({ id, keyVersion: 1, payload, timestamp: Date.now() });
    const answer = await fetch(`${service.url}/api/forms/${formId}/submissions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }).catch(() => undefined);
    if (answer?.status !== 201) return false;
    accepted.add(id);
    return true;
  }

  for (let round = 1; round <= rounds; round++) {
    const victim = service;
    // A random moment: right after one of the next 40 answers, while the other clients are in the middle of theirs.
    let untilKill = accepted.size + 1 + Math.floor(Math.random() * 40);
    const load = Array.from({ length: clients }, async () => {
      while (await post()) {
        if (accepted.size >= untilKill) {
          untilKill = Number.POSITIVE_INFINITY;
          victim.child.kill("SIGKILL");
        }
      }
    });
    await Promise.all(load);
    await victim.kill();
    service = await startServiceProcess(environment);
    const listed = new Set<string>();
    for await (const submission of client.submissions.all(formId)) listed.add(submission.id);
    assert.deepEqual(
      [...accepted].filter((id) => !listed.has(id)),
      [],
      `round ${round}: accepted and not listed`,
    );
  }

  const lost = () => [...accepted].filter((id) => !ledger.has(id));
  while (lost().length > 0) {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Nothing was delivered for a minute, ${lost().length} are missing`)),
        60_000,
      );
      progress.addEventListener("delivered", () => resolve(clearTimeout(timer)), { once: true });
    });
  }
  const repeated = [...ledger.values()].reduce((sum, count) => sum + count - 1, 0);
  t.diagnostic(`${rounds} kills, ${accepted.size} accepted, 0 lost, ${repeated} delivered more than once`);
  assert.ok(accepted.size >= rounds);
  assert.ok(repeated <= rounds * inFlightMax, `${repeated} repeats`);
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}
