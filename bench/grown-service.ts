/** A service of its own with any number of submissions and as many deliveries due, for `growth.ts`. */
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createClient } from "@sealpost/sdk";
import { createId, type FormId, type PublicKey } from "@sealpost/wire";
import { sql } from "kysely";
import { type Database, openDatabase } from "../packages/server/src/database/database.ts";
import { kindOf } from "../packages/server/src/database/kind.ts";
import { createDeliveryStore } from "../packages/server/src/deliveries/delivery-store.ts";
import { createHostLimits } from "../packages/server/src/deliveries/host-limits.ts";
import { encodeCursor } from "../packages/server/src/http/cursor.ts";
import { createSecretBox } from "../packages/server/src/instance/secret-box.ts";
import { recordEvents } from "../packages/server/src/outbox/record-events.ts";
import { insertSubmissions } from "../packages/server/src/testing/insert-submissions.ts";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { createEnvironment, runLoadProcess, writeBody } from "./processes.ts";

const hosts = 16;
const batch = 2000;
const dayMilliseconds = 86_400_000;
/** The deliveries are due from here on: the service's own worker leaves them alone, and a claim says that it is later. */
const due = 4_000_000_000_000;
const pageSize = 10;

export interface GrownService {
  /** Each gives the milliseconds of one: of one request, of one submission, of one claim. */
  readonly measures: Readonly<Record<string, () => Promise<number>>>;
  readonly fillSeconds: number;
  stop(): Promise<void>;
}

export async function startGrownService(
  folder: string,
  count: number,
  publicKey: PublicKey,
  databaseUrl: string | undefined,
  requests: number,
): Promise<GrownService> {
  mkdirSync(folder);
  const environment = createEnvironment(folder, databaseUrl);
  const service = await startServiceProcess(environment);
  const database = openDatabase({ databaseUrl, dataFolder: folder });
  const agent = new Agent({ keepAlive: true });
  const url = service.url.replace("localhost", "127.0.0.1");
  const token = await signUpForToken(service);
  const client = createClient({ baseUrl: service.url, token });
  const formId = (await client.forms.create({ name: "Many", publicKey })).id as FormId; // the service makes nothing else
  const path = `/api/forms/${formId}`;
  const body = join(folder, "body.json");
  await writeBody(body, formId, publicKey);
  const started = performance.now();
  const newest = Date.now() - 1000;
  const ids = await fillSubmissions(database, formId, count, newest);
  const webhooks: FormId[] = [];
  for (let host = 0; host < hosts; host++) {
    const webhookUrl = `https://receiver-${host}.example/hook`;
    webhooks.push(
      (await client.forms.create({ name: `Notified ${host}`, publicKey, settings: { webhookUrl } })).id as FormId,
    ); // as above
  }
  await fillDeliveries(database, webhooks, count);
  await tidy(database);
  const fillSeconds = (performance.now() - started) / 1000;

  /** Milliseconds from asking to the last byte of the answer. */
  const ask = (asked: string) =>
    new Promise<number>((resolve, reject) => {
      const from = performance.now();
      get(`${url}${asked}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume().on("end", () => {
          if (response.statusCode === 200) resolve(performance.now() - from);
          else reject(new Error(`${asked} answered ${response.statusCode}`));
        });
      }).on("error", reject);
    });
  const askMany = async (next: () => string) => {
    let total = 0;
    for (let index = 0; index < requests; index++) total += await ask(next());
    return total / requests;
  };
  const list = `${path}/submissions?limit=${pageSize}`;
  const pages = Math.floor(count / pageSize);
  const deep = `${list}&cursor=${await findCursor(database, formId, Math.min(pages, 10_000))}`;
  const last = `${list}&cursor=${await findCursor(database, formId, pages)}`;
  const claim = createClaim(database, environment.SEALPOST_SECRET ?? "");
  return {
    fillSeconds,
    measures: {
      "list, page 1": () => askMany(() => list),
      "list, page 10,000 (or the last)": () => askMany(() => deep),
      "list, last page": () => askMany(() => last),
      "get, any": () => askMany(() => `${path}/submissions/${ids[randomInt(ids.length)]}`),
      "stats of a year": () => askMany(() => `${path}/stats?period=year`),
      "ingest, 1 client": () => ingest(1),
      "ingest, 64 clients": () => ingest(64),
      [`claim of ${hosts} deliveries`]: claim,
    },
    async stop() {
      agent.destroy();
      await database.destroy();
      await service.kill();
    },
  };

  /** Afterwards what came is taken away again, or ten thousand would soon be a hundred thousand. */
  async function ingest(clients: number): Promise<number> {
    const { perSecond } = await runLoadProcess(`${url}${path}/submissions`, body, clients, 0.5);
    await sql`delete from submission where form_id = ${formId} and received_at > ${newest}
      and sequence > ${count}`.execute(database);
    await sql`update form_count set stored = ${count} where form_id = ${formId}`.execute(database);
    return 1000 / perSecond;
  }
}

/** Spread over the days of a year; 1.6 kB each, like a short sealed submission. Gives some of their ids. */
async function fillSubmissions(
  database: Database,
  formId: FormId,
  count: number,
  newest: number,
): Promise<readonly string[]> {
  const [data, key, iv] = [new Uint8Array(1040), new Uint8Array(384), new Uint8Array(12)];
  const ids: string[] = [];
  for (let start = 0; start < count; start += batch) {
    const rows = Array.from({ length: Math.min(batch, count - start) }, (_, index) => {
      const receivedAt = newest - 364 * dayMilliseconds + Math.floor(((start + index) / count) * 364 * dayMilliseconds);
      const id = createId("submission", receivedAt);
      return {
        formId,
        id,
        keyVersion: 1,
        payload: { version: "sp1" as const, data, key, iv },
        timestamp: receivedAt,
        receivedAt,
      };
    });
    for (let index = 0; index < rows.length; index += Math.ceil(count / 10_000)) ids.push(rows[index]?.id ?? "");
    await insertSubmissions(database, rows);
    // SQLite's statements leave the event loop no turn, in which it would hear that the service closed a connection.
    await nextTurn();
  }
  return ids;
}

/** Events with short bodies, and each with its delivery, spread over the hosts. */
async function fillDeliveries(database: Database, forms: readonly FormId[], count: number): Promise<void> {
  for (let start = 0; start < count; start += batch) {
    const events = Array.from({ length: Math.min(batch, count - start) }, (_, index) => {
      const formId = forms[index % forms.length];
      if (formId === undefined) throw new Error("No forms");
      const occurredAt = due + start + index;
      const content = { submission: { id: createId("submission", occurredAt) } };
      return { kind: "submission.deleted" as const, formId, formName: "Notified", occurredAt, content };
    });
    await database.transaction().execute((transaction) => recordEvents(transaction, events));
    await nextTurn();
  }
}

/** The database's own upkeep in the minutes after, which it would otherwise do during the measurement. */
async function tidy(database: Database): Promise<void> {
  if (kindOf(database) === "postgres") await sql`vacuum analyze`.execute(database);
  else await sql`pragma wal_checkpoint(truncate)`.execute(database);
}

/** The cursor that stands before this page. Walked to by the database, which takes a moment. */
async function findCursor(database: Database, formId: FormId, page: number): Promise<string> {
  const row = await database
    .selectFrom("submission")
    .select(["received_at", "sequence"])
    .where("form_id", "=", formId)
    .orderBy("received_at", "desc")
    .orderBy("sequence", "desc")
    .offset((page - 1) * pageSize - 1)
    .limit(1)
    .executeTakeFirstOrThrow();
  return encodeCursor(row.received_at, row.sequence);
}

/** One claim of one delivery for each host, as the worker makes it, with its commit. */
function createClaim(database: Database, secret: string): () => Promise<number> {
  const store = createDeliveryStore(database, createSecretBox(Buffer.from(secret, "base64")));
  // Each claim's rows are not due again before the end of their lease, and so the next takes others.
  const now = due + dayMilliseconds;
  return async () => {
    const claims = 10;
    const from = performance.now();
    for (let index = 0; index < claims; index++) {
      const hostLimits = createHostLimits().plan();
      const scope = { now, slots: hosts, retrySlots: hosts, afterHost: "", fullHosts: [], hostLimits, inFlight: [] };
      const { claim } = await store.settleAndClaim([], scope);
      if (claim?.deliveries.length !== hosts) throw new Error(`${claim?.deliveries.length} deliveries were claimed`);
    }
    return (performance.now() - from) / claims;
  };
}
