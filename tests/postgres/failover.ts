import assert from "node:assert/strict";
import type { PostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import {
  promote,
  replicateSynchronously,
  startPrimary,
  startStandby,
} from "../../packages/server/src/testing/postgres-standby.ts";
import {
  closeAtEnd,
  createTemporaryFolder,
  type TestScope,
} from "../../packages/server/src/testing/temporary-folder.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { createPlainForm, listAll, post, request } from "./processes.ts";

/** Two servers, of which one follows the other. */
export interface Pair {
  /** With both hosts. */
  readonly url: string;
  primary(): PostgresServer;
  standby(): PostgresServer;
  /** The standby is the primary from here on; resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Throws the old primary away; another server follows the new one, at the address of the old one. */
  renew(): Promise<void>;
}

export async function startPair(t: TestScope, { isSynchronous = true } = {}): Promise<Pair> {
  const servers = new Set<PostgresServer>();
  closeAtEnd(t, () => Promise.all([...servers].map((server) => server.remove())));
  const keep = (server: PostgresServer) => {
    servers.add(server);
    return server;
  };
  let primary = keep(await startPrimary());
  let standby = keep(await startStandby(primary));
  if (isSynchronous) await replicateSynchronously(primary);
  let old: PostgresServer | undefined;
  return {
    url: `postgres://postgres:password@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`,
    primary: () => primary,
    standby: () => standby,
    async promote() {
      await promote(standby);
      [old, primary] = [primary, standby];
    },
    async renew() {
      assert.ok(old !== undefined, "nothing was promoted");
      servers.delete(old);
      await old.remove();
      standby = keep(await startStandby(primary, old.port));
      if (isSynchronous) await replicateSynchronously(primary);
    },
  };
}

/** Clients of a service whose database may be gone. Each answer is 201, or 503 that says when to try again. */
export interface OutageLoad {
  readonly accepted: ReadonlySet<string>;
  /** How many were answered 503. */
  refused(): number;
  acceptedMore(more: number): Promise<void>;
  refusedMore(more: number): Promise<void>;
  /** Throws what a client found wrong. */
  stop(): Promise<void>;
}

const pauseMilliseconds = 20;

export function startOutageLoad(formId: string, service: ServiceProcess): OutageLoad {
  const accepted = new Set<string>();
  const progress = new EventTarget();
  let refused = 0;
  let isOver = false;
  const clients = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, headers, body } = await post(service, formId);
        if (status === 201) accepted.add(body.submission.id);
        else {
          assert.deepEqual([status, body.error], [503, "unavailable"]);
          assert.match(headers.get("retry-after") ?? "", /^[0-9]+$/);
          refused += 1;
          // As a client would, and so that the servers have some of the processor.
          await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
        }
        progress.dispatchEvent(new Event("answer"));
      }
    }),
  );
  const reach = async (count: () => number, more: number) => {
    const wanted = count() + more;
    const answered = () => new Promise((resolve) => progress.addEventListener("answer", resolve, { once: true }));
    while (count() < wanted) await Promise.race([answered(), clients]);
  };
  return {
    accepted,
    refused: () => refused,
    acceptedMore: (more) => reach(() => accepted.size, more),
    refusedMore: (more) => reach(() => refused, more),
    async stop() {
      isOver = true;
      await clients;
    },
  };
}

/** The settings of a service on both servers. */
export function environmentOf(t: TestScope, { url }: Pair): Record<string, string> {
  return {
    SEALPOST_DATABASE_URL: url,
    SEALPOST_SECRET: Buffer.alloc(32, 1).toString("base64"),
    SEALPOST_DATA: createTemporaryFolder(t),
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_LOG_LEVEL: "warn",
  };
}

/** A service, and a form without encryption. */
export async function startWithForm(
  t: TestScope,
  environment: Readonly<Record<string, string>>,
  settings: object = {},
) {
  const service = await startServiceProcess(environment);
  closeAtEnd(t, () => service.kill());
  const token = await signUpForToken(service);
  const form = await createPlainForm(service, token, settings);
  const { key } = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Key" } })).body.key;
  return { service, form, listAll: () => listAll(service, form, key) };
}
