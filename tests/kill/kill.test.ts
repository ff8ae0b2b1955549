import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createClient, createReceiver, type KeyPair, type Receiver } from "@sealpost/sdk";
import { createId, type FormId, seal } from "@sealpost/wire";
import { createTestDatabase } from "../../packages/server/src/testing/test-database.ts";
import { createAuthority } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { checkHost, checkSchedule, loadDeliveries } from "./check-deliveries.ts";
import { type Hosts, startHosts } from "./hosts.ts";
import { findInFlight } from "./in-flight.ts";
import { startLastService } from "./last-service.ts";

/** `npm run test:kill` runs thirty rounds; `npm test` sets three. */
const rounds = Number(process.env.SEALPOST_KILL_ROUNDS ?? 30);
const clients = 8;
/** At most as many requests are under way to one host. */
const perHostMax = 4;

test(`${rounds} times kill -9 under load, with hosts that misbehave in every way: nothing is lost, and nothing repeated but what was under way`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-kill-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const pair = takeKeyPair();
  const authority = await createAuthority();
  writeFileSync(join(folder, "authority.pem"), authority.ca);
  const errors: string[] = [];
  const opened = new Set<string>();
  let receiver: Receiver | undefined;
  const hosts = await startHosts(t, {
    authority,
    async receive({ headers, body }) {
      const received = await receiver?.receive({ headers, body });
      if (received?.verified !== true) errors.push(`not verified: ${received?.message}`);
      else if (received.event.event !== "submission.created" || !received.event.opened.opened)
        errors.push("not opened");
      else if (received.event.opened.fields.id !== received.event.submission.id)
        errors.push("opens to another's content");
      else opened.add(received.event.submission.id);
      return received?.verified === true ? 204 : 401;
    },
  });

  const environment = {
    ...(await createTestDatabase(t, folder)),
    SEALPOST_DATA: join(folder, "data"),
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
    // One address only: what leads to 127.0.0.2 was saved while more was open.
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.1/32",
    NODE_EXTRA_CA_CERTS: join(folder, "authority.pem"),
  };
  const { token, forms, secret } = await setUp(t, environment, pair, hosts);
  receiver = await createReceiver({ secrets: secret, privateKeys: [pair.privateKey] });
  let service = await startServiceProcess({ ...environment, SEALPOST_PORT: "0" });
  t.after(() => service.kill());

  const accepted = new Map(hosts.all.map(({ url }) => [url, new Set<string>()]));
  let acceptedCount = 0;
  async function post(url: string): Promise<boolean> {
    const id = createId("submission");
    const formId = forms.get(url) ?? assert.fail("a host without a form");
    const binding = { formId, keyVersion: 1, submissionId: id };
    const payload = await seal({ id, message: "x".repeat(500) }, binding, pair.publicKey);
    const answer = await fetch(`${service.url}/api/forms/${formId}/submissions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id, keyVersion: 1, payload, timestamp: Date.now() }),
    }).catch(() => undefined);
    if (answer?.status !== 201) return false;
    accepted.get(url)?.add(id);
    acceptedCount += 1;
    return true;
  }
  /** Every second one goes to the host that does all right, which so has the most in flight. */
  const anyUrl = () =>
    (Math.random() < 0.5 ? hosts.good : (hosts.all[Math.floor(Math.random() * hosts.all.length)] ?? hosts.good)).url;

  for (const { url } of hosts.all) assert.ok(await post(url));
  const inFlight = new Map<string, number>();
  for (let round = 1; round <= rounds; round++) {
    const victim = service;
    // A random moment: right after one of the next 40 answers, while the other clients are in the middle of theirs.
    let untilKill = acceptedCount + 1 + Math.floor(Math.random() * 40);
    const load = Array.from({ length: clients }, async () => {
      while (await post(anyUrl())) {
        if (acceptedCount >= untilKill) {
          untilKill = Number.POSITIVE_INFINITY;
          victim.child.kill("SIGKILL");
        }
      }
    });
    await Promise.all(load);
    await victim.kill();
    for (const id of await findInFlight(environment)) inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
    service = await startServiceProcess({ ...environment, SEALPOST_PORT: "0" });
    await checkListed({ url: service.url, token, forms, accepted, round });
  }
  await service.kill();
  for (const id of await findInFlight(environment)) inFlight.set(id, (inFlight.get(id) ?? 0) + 1);

  // The last one runs in this process, so that it says when nothing is due, on a clock that the days pass quickly on.
  hosts.recover();
  const last = await startLastService(t, environment, authority.ca);
  await last.settle();
  const urls = new Map([...forms].map(([url, formId]) => [formId as string, url]));
  checkSchedule(hosts.all, await loadDeliveries(last.database, urls));
  await last.passSchedule();
  const deliveries = await loadDeliveries(last.database, urls);
  checkSchedule(hosts.all, deliveries);

  const counts = hosts.all.map((host) => checkHost(host, deliveries, { accepted, inFlight }));
  assert.deepEqual(errors, []);
  const lost = [...(accepted.get(hosts.good.url) ?? [])].filter((id) => !opened.has(id));
  assert.deepEqual(lost, [], "accepted and never opened by the good host");
  for (const [index, { givenUp }] of counts.entries())
    assert.ok(givenUp === 0 || hosts.all[index]?.name === "hangs, then recovers", "only what hangs is ever given up");
  assert.equal(hosts.forbiddenConnections(), 0, "connections to a forbidden address");
  for (const { name, openMost } of hosts.all) assert.ok(openMost() <= perHostMax, `${name}: ${openMost()} at once`);
  assert.ok(acceptedCount >= rounds + hosts.all.length);
  const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);
  t.diagnostic(
    `${rounds} kills, ${hosts.all.length} hosts, ${acceptedCount} accepted, 0 lost, ${sum(counts.map(({ repeated }) => repeated))} requests repeated of ` +
      `${sum(inFlight.values())} under way at the kills, ${sum(counts.map(({ givenUp }) => givenUp))} given up after twelve kills, 0 connections to a forbidden address`,
  );
});

/** An account with a form for each host. */
async function setUp(t: TestContext, environment: Record<string, string>, pair: KeyPair, hosts: Hosts) {
  const service: ServiceProcess = await startServiceProcess({
    ...environment,
    SEALPOST_PORT: "0",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  });
  t.after(() => service.kill());
  const session = createClient({ baseUrl: service.url, token: await signUpForToken(service) });
  // A key, because the session's token would run out in the course of many rounds.
  const { key: apiKey } = await session.apiKeys.create({ name: "Kill", permissions: ["submissions:read"] });
  const forms = new Map<string, FormId>();
  for (const { name, url } of hosts.all) {
    const { id } = await session.forms.create({ name, publicKey: pair.publicKey, settings: { webhookUrl: url } });
    forms.set(url, id as FormId); // the service makes nothing else
  }
  const { secret } = await session.webhooks.secret(forms.get(hosts.good.url) ?? "");
  await service.kill();
  return { token: apiKey.key, forms, secret };
}

interface Listing {
  readonly url: string;
  readonly token: string;
  readonly forms: ReadonlyMap<string, FormId>;
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly round: number;
}

async function checkListed({ url: baseUrl, token, forms, accepted, round }: Listing): Promise<void> {
  const client = createClient({ baseUrl, token });
  for (const [url, formId] of forms) {
    const listed = new Set<string>();
    for await (const { id } of client.submissions.export(formId)) listed.add(id);
    const missing = [...(accepted.get(url) ?? [])].filter((id) => !listed.has(id));
    assert.deepEqual(missing, [], `round ${round}: accepted and not listed`);
  }
}
