/** A service of its own with any number of submissions and as many deliveries due, for `growth.ts`. */
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import type { AccountId, FormId, PublicKey } from "@sealpost/wire";
import { type Database, openDatabase } from "../packages/server/src/database/database.ts";
import { isOneOf } from "../packages/server/src/database/insert-rows.ts";
import type { ClaimedDelivery, EndedRequest } from "../packages/server/src/deliveries/claim.ts";
import { createDeliveryStore } from "../packages/server/src/deliveries/delivery-store.ts";
import { createDestinationLimits } from "../packages/server/src/deliveries/destination-limits.ts";
import { createSingleRing } from "../packages/server/src/instance/key-ring.ts";
import { createSecretBox, type SecretBox } from "../packages/server/src/instance/secret-box.ts";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { due, fillDatabase, findCursor, pageSize, pick } from "./grown-rows.ts";
import { createManyForms } from "./many-forms.ts";
import { createEnvironment, runLoadProcess, writeBody } from "./processes.ts";

const hosts = 16;
const dayMilliseconds = 86_400_000;
/** How many forms have their last page asked for. */
const listedMax = 16;

export interface GrowthOptions {
  readonly folder: string;
  readonly count: number;
  /** Over how many forms. */
  readonly forms: number;
  readonly publicKey: PublicKey;
  readonly databaseUrl: string | undefined;
  /** In each round of what is asked one after the other. */
  readonly requests: number;
  /** By `performance.now()`: what is not written by then is left out. */
  readonly endsAt: number;
}

export interface GrownService {
  /** Each gives the milliseconds of one: of one request, of one submission, of one transaction of the deliveries. */
  readonly measures: Readonly<Record<string, () => Promise<number>>>;
  readonly fillSeconds: number;
  /** Fewer than were asked for if the time was over. */
  readonly count: number;
  stop(): Promise<void>;
}

export async function startGrownService(options: GrowthOptions): Promise<GrownService> {
  const { folder, databaseUrl, publicKey, requests } = options;
  mkdirSync(folder);
  const environment = createEnvironment(folder, databaseUrl);
  const service = await startServiceProcess(environment);
  const database = openDatabase({ databaseUrl, dataFolder: folder });
  const agent = new Agent({ keepAlive: true });
  const url = service.url.replace("localhost", "127.0.0.1");
  const token = await signUpForToken(service);
  const started = performance.now();
  const { id: accountId } = await database.selectFrom("person").select("id").executeTakeFirstOrThrow();
  const secretBox = createSecretBox(createSingleRing(Buffer.from(environment.SEALPOST_SECRET ?? "", "base64")));
  const createForms = (count: number, webhookOf?: (index: number) => string) =>
    createManyForms(database, secretBox, {
      ...{ accountId: accountId as AccountId, publicKey, count }, // the service makes nothing else
      ...(webhookOf && { webhookOf }),
    });
  const forms = await createForms(options.forms);
  const pathOf = (formId: FormId) => `/api/forms/${formId}`;
  const body = join(folder, "body.json");
  await writeBody(body, pick(forms, 0), publicKey);
  // As many for each host, so that those that follow each other are for different ones.
  const notified = await createForms(
    Math.ceil(options.forms / hosts) * hosts,
    (index) => `https://receiver-${index % hosts}.example/hook`,
  );
  const newest = Date.now() - 1000;
  const filling = { ...{ forms, notified, newest }, count: options.count, endsAt: options.endsAt };
  const { filled, samples } = await fillDatabase(database, filling);
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
  const pickAny = <Item>(items: readonly Item[]) => pick(items, randomInt(items.length));
  const listOf = (formId: FormId) => `${pathOf(formId)}/submissions?limit=${pageSize}`;
  /** Lists only some forms, since each page is reached by walking to it. */
  const listPage = (page: number) =>
    Promise.all(
      forms.slice(0, listedMax).map(async (formId) => {
        const cursor = await findCursor(database, secretBox, formId, page);
        return cursor === undefined ? listOf(formId) : `${listOf(formId)}&cursor=${cursor}`;
      }),
    );
  const pages = Math.floor(filled / forms.length / pageSize);
  const deep = await listPage(Math.min(pages, 10_000));
  const last = await listPage(pages);
  const settle = createSettling(database, secretBox);
  let turns = 0;
  return {
    fillSeconds,
    count: filled,
    measures: {
      "list, page 1": () => askMany(() => listOf(pickAny(forms))),
      ...(forms.length === 1 && { "list, page 10,000 (or the last)": () => askMany(() => pickAny(deep)) }),
      "list, last page": () => askMany(() => pickAny(last)),
      "get, any": () =>
        askMany(() => {
          const { formId, id } = pickAny(samples);
          return `${pathOf(formId)}/submissions/${id}`;
        }),
      "stats of a year": () => askMany(() => `${pathOf(pickAny(forms))}/stats?period=year`),
      "ingest, 1 client": () => ingest(1),
      "ingest, 64 clients": () => ingest(64),
      // A delivery is due each millisecond, the next for the next host.
      [`${hosts} deliveries stored and ${hosts} claimed`]: () => settle(() => due + hosts * ++turns - 1),
      "the same while all others are due": () => settle(() => due + dayMilliseconds),
    },
    async stop() {
      agent.destroy();
      await database.destroy();
      await service.kill();
    },
  };

  /** Afterwards what came is taken away again, or ten thousand would soon be a hundred thousand. */
  async function ingest(clients: number): Promise<number> {
    const urls = forms.map((formId) => `${url}${pathOf(formId)}/submissions`);
    const { perSecond } = await runLoadProcess(urls, body, clients, 0.5);
    await database
      .deleteFrom("submission")
      .where(isOneOf(database, "form_id", forms))
      .where("received_at", ">", newest)
      .execute();
    await database
      .updateTable("form_count")
      .set({ stored: Math.floor(filled / forms.length) })
      .where(isOneOf(database, "form_id", forms))
      .execute();
    return 1000 / perSecond;
  }
}

/**
 * Milliseconds of a transaction of the worker: one delivery for each host was delivered, and the next of each is claimed. `nextTime`
 * gives what the time is at the next claim.
 */
function createSettling(database: Database, secretBox: SecretBox): (nextTime: () => number) => Promise<number> {
  const store = createDeliveryStore(database, secretBox);
  const settleAndClaim = async (sent: readonly ClaimedDelivery[], now: number) => {
    const destinationLimits = createDestinationLimits().plan();
    const scope = {
      now,
      slots: hosts,
      retrySlots: hosts,
      afterDestination: "",
      fullDestinations: [],
      destinationLimits,
      inFlight: [],
    };
    const { stored, claim } = await store.settleAndClaim(
      sent.map((claimed) => toDelivered(claimed, now)),
      scope,
    );
    if (stored.some(({ kind }) => kind !== "stored")) throw new Error("A delivery was not stored");
    if (claim?.deliveries.length !== hosts) throw new Error(`${claim?.deliveries.length} deliveries were claimed`);
    return claim.deliveries;
  };
  return async (nextTime) => {
    const turns = 10;
    let sent = await settleAndClaim([], nextTime());
    const from = performance.now();
    for (let index = 0; index < turns; index++) sent = await settleAndClaim(sent, nextTime());
    return (performance.now() - from) / turns;
  };
}

function toDelivered(claimed: ClaimedDelivery, at: number): EndedRequest {
  const { sending, lease } = claimed;
  const result = { durationMilliseconds: 5, statusCode: 204, error: undefined };
  const after = { state: "delivered" as const, attempts: sending.attempt, at, accepted: sending.secrets[0] };
  return { ...{ claimed, before: sending, lease, at, result, after } };
}
