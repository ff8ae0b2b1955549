/**
 * `npm run bench -- deliveries`: deliveries per second on loopback HTTPS next to the same number of bare requests from the
 * same HTTP client (node:https with a keep-alive agent) in the same run, rounds alternating; and the time from the commit
 * to the stored 2xx at fixed rates. The receivers run in a process of their own.
 * `--database PostgreSQL` starts one for it, which waits for the disk at each commit. `--direct` leaves the transactions on
 * SQLite to the thread that sends.
 */
import { once } from "node:events";
import { Agent, request } from "node:https";
import { parseArgs } from "node:util";
import { createWebhookSecret, type FormId } from "@sealpost/wire";
import type { WebhookRequest } from "../packages/server/src/webhooks/webhook-request.ts";
import { createWebhookRequest } from "../packages/server/src/webhooks/webhook-request.ts";
import { runAlternating } from "./alternating.ts";
import { createBody, createDeliverySetup, percentile, recordSubmissions, sendAtRate } from "./delivery-setup.ts";
import { describeMachine, median } from "./machine.ts";

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "SQLite" },
    direct: { type: "boolean", default: false },
    rounds: { type: "string", default: "7" },
    deliveries: { type: "string", default: "3000" },
    hosts: { type: "string", default: "16" },
    rates: { type: "string", default: "50,200" },
    seconds: { type: "string", default: "5" },
  },
});
const rounds = Number(options.rounds);
const count = Number(options.deliveries);
/** As many as the worker has under way with sixteen quick hosts: eight times four, eight times two. */
const bareConnections = 48;

const { database } = options;
if (database !== "SQLite" && database !== "PostgreSQL") throw new Error("--database is SQLite or PostgreSQL");
const setup = await createDeliverySetup(["--hosts", options.hosts], {
  databaseName: database,
  isDirect: options.direct,
});
try {
  const { bench, receivers } = setup;
  const forms = await setup.createForms(receivers.urls);
  const [anyForm] = forms;
  if (anyForm === undefined) throw new Error("No forms");
  const bareRequest = createBareRequest(anyForm);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, ca: receivers.ca });
  print(
    `${describeMachine()}, ${database}, ${receivers.urls.length} receivers, bodies of ${bareRequest.body.byteLength} bytes`,
  );
  print(`${count} deliveries a round, median of ${rounds} alternating rounds (lowest to highest)\n`);
  const figures = await runAlternating<Figure>(rounds, [
    { name: "bare", measure: () => sendBare(agent, bareRequest) },
    { name: "ours", measure: () => deliver(forms) },
  ]);
  agent.destroy();
  const [bare = [], ours = []] = ["bare", "ours"].map((name) => figures.get(name));
  const ratios = ours.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? Number.NaN));
  const cell = (values: readonly number[], digits = 0) =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
  print("| bare requests/s | deliveries/s | ratio | processor time of a bare request, µs | of a delivery, µs |");
  print("|---|---|---|---|---|");
  const rates = [bare, ours].map((each) => cell(each.map(({ perSecond }) => perSecond)));
  const times = [bare, ours].map((each) => cell(each.map(({ processorTime }) => processorTime)));
  print(`| ${rates.join(" | ")} | ${cell(ratios, 2)} | ${times.join(" | ")} |\n`);
  print("| events a second, each a commit | p50 ms | p99 ms |\n|---|---|---|");
  for (const rate of options.rates.split(",").map(Number)) {
    const results: (readonly number[])[] = [];
    for (let round = 1; round <= 5; round++)
      results.push(await sendAtRate(setup, forms, rate, Number(options.seconds)));
    const [p50, p99] = [0.5, 0.99].map((share) => results.map((each) => percentile(each, share)));
    if (p50 !== undefined && p99 !== undefined) print(`| ${rate} | ${cell(p50, 1)} | ${cell(p99, 1)} |`);
  }
  if (bench.errors.length > 0) throw new Error(`The worker logged ${bench.errors.length} errors`);
} finally {
  await setup.close();
}

interface Figure {
  readonly perSecond: number;
  /** Of this process on all its threads, in microseconds for each. */
  readonly processorTime: number;
}

/** Gives what `count` of them took since it was called. */
function startMeasuring(): () => Figure {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { perSecond: (count * 1000) / (performance.now() - started), processorTime: (user + system) / count };
  };
}

/** From the commit of all events to the last stored 2xx. */
async function deliver(forms: readonly FormId[]): Promise<Figure> {
  const { bench } = setup;
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  setup.onDelivered = () => {
    left -= 1;
    if (left === 0) resolve();
  };
  await bench.database.transaction().execute(async (transaction) => {
    for (const [index, formId] of forms.entries()) {
      const share = Math.floor((count * (index + 1)) / forms.length) - Math.floor((count * index) / forms.length);
      await recordSubmissions(bench, formId, share, transaction);
    }
  });
  const finish = startMeasuring();
  bench.worker.wake();
  await promise;
  return finish();
}

function createBareRequest(formId: FormId): WebhookRequest {
  const occurredAt = Date.now();
  return createWebhookRequest({
    deliveryId: "dlv_01hk153x00e5rbcwg8rxcnh8w6",
    body: createBody(formId),
    ...{ kind: "submission.created", occurredAt, url: "", sentAt: occurredAt, version: "0.1.0" },
    secrets: [createWebhookSecret()],
  });
}

/** The limit: the same requests, signed once, with nothing to be stored. */
async function sendBare(agent: Agent, { headers, body }: WebhookRequest): Promise<Figure> {
  const { urls } = setup.receivers;
  let next = 0;
  const finish = startMeasuring();
  await Promise.all(
    Array.from({ length: bareConnections }, async () => {
      for (let index = next++; index < count; index = next++) {
        const url = new URL(urls[index % urls.length] ?? "");
        const outgoing = request(url, {
          method: "POST",
          agent,
          headers: { ...headers, "content-length": body.byteLength },
        });
        outgoing.end(body);
        const [response] = await once(outgoing, "response");
        if (response.statusCode !== 204) throw new Error(`A receiver answered ${response.statusCode}`);
        response.resume();
        await once(response, "close");
      }
    }),
  );
  return finish();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
