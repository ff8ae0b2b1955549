/**
 * `npm run bench -- deliveries`: deliveries per second on loopback HTTPS next to the same number of bare requests from the
 * same HTTP client (node:https with a keep-alive agent) in the same run, rounds alternating; and the time from the commit
 * to the stored 2xx at fixed rates. The receivers run in a process of their own.
 * `--database PostgreSQL` starts one for it, which waits for the disk at each commit; `--citus URL` takes a Citus cluster, by the URL
 * of its coordinator, where the user may create databases. `--direct` leaves the transactions on
 * SQLite to the thread that sends. `--processes 1,2,4` measures these numbers of processes on PostgreSQL in the same rounds.
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
import { parseDatabaseName } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "SQLite" },
    citus: { type: "string" },
    processes: { type: "string", default: "1" },
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

const processCounts = options.processes.split(",").map(Number);

const { citus } = options;
const database = parseDatabaseName(options.database);
const setup = await createDeliverySetup(["--hosts", options.hosts], {
  databaseName: database,
  isDirect: options.direct,
  clusterUrl: citus,
});
try {
  const { bench, receivers } = setup;
  const forms = await setup.createForms(receivers.urls);
  const [anyForm] = forms;
  if (anyForm === undefined) throw new Error("No forms");
  const bareRequest = createBareRequest(anyForm);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, ca: receivers.ca });
  print(
    `${describeMachine()}, ${citus === undefined ? database : "Citus"}, ${receivers.urls.length} receivers, bodies of ${bareRequest.body.byteLength} bytes`,
  );
  print(`${count} deliveries a round, median of ${rounds} alternating rounds (lowest to highest)\n`);
  const figures = await runAlternating<Figure>(rounds, [
    { name: "bare", measure: () => sendBare(agent, bareRequest) },
    ...processCounts.map((processes) => ({ name: `${processes}`, measure: () => deliver(forms, processes) })),
  ]);
  agent.destroy();
  const bare = figures.get("bare") ?? [];
  const cell = (values: readonly number[], digits = 0) =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
  const rate = (each: readonly Figure[]) => cell(each.map(({ perSecond }) => perSecond));
  const time = (each: readonly Figure[]) => cell(each.map(({ processorTime }) => processorTime));
  print(
    "| processes | bare requests/s | deliveries/s | ratio | processor time of a bare request, µs | of a delivery, µs, first process |",
  );
  print("|---|---|---|---|---|---|");
  for (const processes of processCounts) {
    const ours = figures.get(`${processes}`) ?? [];
    const ratios = ours.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? Number.NaN));
    print(`| ${processes} | ${rate(bare)} | ${rate(ours)} | ${cell(ratios, 2)} | ${time(bare)} | ${time(ours)} |`);
  }
  print("");
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
  /** Processor time of this process on all its threads, in microseconds for each. */
  readonly processorTime: number;
}

/** Gives what `count` of them took since it was called, and of this process each of the `here` that it did itself. */
function startMeasuring(): (share?: number) => Figure {
  const started = performance.now();
  const before = process.cpuUsage();
  return (here = count) => {
    const { user, system } = process.cpuUsage(before);
    return { perSecond: (count * 1000) / (performance.now() - started), processorTime: (user + system) / here };
  };
}

/** From the commit of all events to the last stored 2xx. */
async function deliver(forms: readonly FormId[], processCount: number): Promise<Figure> {
  const { bench } = setup;
  const { promise, resolve } = Promise.withResolvers<void>();
  let [here, others] = [0, 0];
  const check = () => {
    if (here + others === count) resolve();
  };
  setup.onDelivered = () => {
    here += 1;
    check();
  };
  const processes = await setup.startProcesses(processCount - 1, (delivered) => {
    others += delivered;
    check();
  });
  await bench.database.transaction().execute(async (transaction) => {
    for (const [index, formId] of forms.entries()) {
      const share = Math.floor((count * (index + 1)) / forms.length) - Math.floor((count * index) / forms.length);
      await recordSubmissions(bench, formId, share, transaction);
    }
  });
  const finish = startMeasuring();
  bench.worker.wake();
  processes.wake();
  await promise;
  const figure = finish(here);
  await processes.stop();
  return figure;
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
