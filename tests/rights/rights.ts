import assert from "node:assert/strict";
import { type IncomingMessage, request as send } from "node:http";
import { json } from "node:stream/consumers";
import { createPasswordQueue } from "../../packages/server/src/rate-limits/password-queue.ts";
import type { TestScope } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { createOperationCalls, type Ids, type PreparedRequest } from "../contract/operation-calls.ts";
import { listDocumentOperations, listRoutes, type Operation } from "../contract/operations.ts";
import { holdRequest, type Refusal } from "./held-request.ts";
import { type Actor, createActor, makeOperator, type Revocation, type Scene } from "./revocations.ts";

/** An operation by somebody with a credential of one kind. */
export interface Case {
  readonly operation: Operation;
  readonly credential: "session" | "apiKey";
}

export type Rights = Awaited<ReturnType<typeof openRights>>;

/** A service whose transactions can be held, and every operation that changes something and wants a credential. */
export async function openRights(
  t: TestScope,
  environment: Readonly<Record<string, string>> = {},
  { hasWebhooks = true, apiKeyRate }: { readonly hasWebhooks?: boolean; readonly apiKeyRate?: number } = {},
) {
  const gates = new Map<string, Gate>();
  const service = await createTestService(t, {
    environment: {
      SEALPOST_DEFAULT_PLAN: "enterprise",
      SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
      ...environment,
    },
    ...(apiKeyRate !== undefined && { apiKeyRate }),
    // One that is held keeps its turn: the others begin all the same.
    pagesAtOnce: 1000,
    passwordQueue: createPasswordQueue({ runningMax: 1000 }),
    beforeTransaction: async ({ headers }) => gates.get(String(headers["x-case"]))?.arrive(),
  });
  const owner = await service.signUp();
  const scene: Scene = { service, owner };
  await makeOperator(service, owner);
  const calls = createOperationCalls(service, { hasWebhooks });
  const operations = listDocumentOperations(service.app.swagger()).filter(
    ({ access, method }) => access !== "public" && method !== "GET",
  );
  const known = new Map<string, Promise<Ids>>();
  /** Once for an operation: every request but that of the control is refused. */
  function idsOf(operation: Operation): Promise<Ids> {
    // A form is tested a few times a minute.
    const isCounted = operation.operationId === "testWebhook";
    const ids = (isCounted ? undefined : known.get(operation.operationId)) ?? calls.createIds(owner, operation);
    known.set(operation.operationId, ids);
    return ids;
  }
  service.app.server.setMaxListeners(operations.length * 2);
  return { scene, service, calls, gates, operations, idsOf, createActor: () => createActor(scene, calls) };
}

/**
 * Routes that want a session and are not in the document: passkeys. Found by what they answer, since the router does not say who may
 * call a route.
 */
export async function listHiddenOperations({ service, scene: { owner } }: Rights): Promise<readonly Operation[]> {
  const documented = new Set(listDocumentOperations(service.app.swagger()).map(({ name }) => name));
  const hidden: Operation[] = [];
  for (const name of listRoutes(service.app)) {
    const [method = "", path = ""] = name.split(" ");
    if (method === "GET" || documented.has(name)) continue;
    const url = path.replaceAll(/\{\w+\}/g, "none");
    const statusFor = async (token?: string) => (await service.request(method, url, { token, body: {} })).status;
    if ((await statusFor()) === 401 && (await statusFor(owner.token)) !== 401)
      hidden.push({ name, method, path, operationId: name, access: "session" });
  }
  assert.ok(hidden.some(({ name }) => name === "POST /api/auth/passkeys"));
  return hidden;
}

/** Requests that a revocation must stop. */
export function casesOf(operations: readonly Operation[], { takes }: Revocation): readonly Case[] {
  const bySession = operations.filter((operation) => takes.session(operation));
  const byKey = operations.filter((operation) => takes.apiKey(operation) && typeof operation.access === "object");
  return [
    ...bySession.map((operation) => ({ operation, credential: "session" }) as const),
    ...byKey.map((operation) => ({ operation, credential: "apiKey" }) as const),
  ];
}

/** In place of examples that are refused before their transaction, because what follows them needs what they would end. */
const meant: Readonly<Record<string, string>> = {
  deleteAccount: "?confirm=DELETE_ACCOUNT",
  deleteOrganization: "?confirm=DELETE_ORGANIZATION",
};
/** In place of examples that set what is there already: nothing is done for them, and no right is asked for again. */
const otherBodies: Readonly<Record<string, object>> = {
  setSecondFactorRule: { requiredFrom: Date.now() + 300 * 86_400_000 },
  setRecoveryRule: { requireRecovery: true },
};
const madeUpAdmission = `adm_${"0".repeat(26)}`;

export async function prepare({ calls, idsOf }: Rights, actor: Actor, { operation, credential }: Case) {
  const ids = { ...(await idsOf(operation)), admission_id: madeUpAdmission };
  const {
    headers,
    path: example,
    ...rest
  } = isHidden(operation) ? prepareHidden(operation) : calls.prepare(operation, ids);
  const path = `${example}${meant[operation.operationId] ?? ""}`;
  const authorization = actor.authorization[credential];
  const other = otherBodies[operation.operationId];
  const body = other === undefined ? {} : { body: JSON.stringify(other) };
  return { ...rest, ...body, path, headers: { ...headers, authorization } } satisfies PreparedRequest;
}

const isHidden = ({ name, operationId }: Operation) => name === operationId;

function prepareHidden({ method, path }: Operation): PreparedRequest {
  const headers = { "content-type": "application/json" };
  return { method, path: path.replaceAll(/\{\w+\}/g, "none"), headers, body: "{}" };
}

export interface Outcome extends Refusal {
  readonly name: string;
}

/** A request of each case by somebody who may do them all. */
async function prepareAll(rights: Rights, { begin }: Revocation, cases: readonly Case[]) {
  const actor = await rights.createActor();
  const requests = await Promise.all(cases.map((one) => prepare(rights, actor, one)));
  const forms = new Set(requests.flatMap(({ path }) => path.match(/\bform_[0-9a-z]{26}\b/) ?? []));
  await begin?.(rights.scene, actor, [...forms]);
  return { actor, requests };
}

/** Holds a request of each case, takes the right away, and sends the rest. */
export async function runHeld(rights: Rights, revocation: Revocation, cases: readonly Case[]): Promise<Outcome[]> {
  const { scene, service } = rights;
  const { actor, requests } = await prepareAll(rights, revocation, cases);
  const held = await Promise.all(requests.map((request) => holdRequest(service.app.server, service.url, request)));
  await revocation.by(scene, actor);
  const answers = await Promise.all(held.map(({ finish }) => finish()));
  await revocation.undo?.(scene);
  return answers.map((answer, index) => ({ name: nameOf(cases[index]), ...answer }));
}

/** Holds a request of each case at its first transaction, takes the right away, and lets them continue. `undefined`: it had none. */
export async function runGated(rights: Rights, revocation: Revocation, cases: readonly Case[]) {
  const { scene, service, gates } = rights;
  const { actor, requests } = await prepareAll(rights, revocation, cases);
  const running = await Promise.all(
    requests.map(async (request, index) => {
      const one = cases[index];
      assert.ok(one !== undefined);
      const id = crypto.randomUUID();
      const gate = createGate();
      gates.set(id, gate);
      const answer = sendWhole(service, request, id);
      const first = await Promise.race([gate.arrived, answer]);
      const { operationId } = one.operation;
      return { answer, gate, operationId, name: nameOf(one), hasTransaction: first === undefined };
    }),
  );
  await revocation.by(scene, actor);
  for (const { gate } of running) gate.open();
  const outcomes = await Promise.all(running.map(async ({ answer, ...one }) => ({ ...one, ...(await answer) })));
  gates.clear();
  await revocation.undo?.(scene);
  return outcomes;
}

/** One request, held at its first transaction, or a later one, while `revoke` is done. */
export async function runAlone(
  { service, gates }: Rights,
  prepared: PreparedRequest,
  revoke: () => Promise<unknown>,
  transaction = 1,
) {
  const id = crypto.randomUUID();
  const gate = createGate(transaction);
  gates.set(id, gate);
  const answer = sendWhole(service, prepared, id);
  const first = await Promise.race([gate.arrived, answer]);
  assert.equal(first, undefined, `${prepared.path} has no ${transaction}. transaction: ${JSON.stringify(first)}`);
  await revoke();
  gate.open();
  gates.delete(id);
  return answer;
}

export function assertRefused(
  outcomes: readonly Outcome[],
  { status: expected }: Pick<Revocation, "status"> = {},
): void {
  const done = outcomes.filter(({ status }) => ![401, 403, expected].includes(status));
  assert.deepEqual(
    done.map(({ name, status, body }) => `${name}: ${status} ${JSON.stringify(body)?.slice(0, 120)}`),
    [],
  );
}

export function nameOf(one: Case | undefined): string {
  return `${one?.operation.operationId} by ${one?.credential}`;
}

/** Not by `fetch`, whose headers a page's rules would hold. */
export async function sendWhole({ url }: TestService, { method, path, headers, body }: PreparedRequest, id = "") {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(`${url}${path}`, { method, headers: { ...headers, "x-case": id }, agent: false }, resolve);
    sent.once("error", reject);
    sent.end(body);
  });
  const { location } = answer.headers;
  return {
    status: answer.statusCode ?? 0,
    body: await json(answer).catch(() => undefined),
    location,
  } satisfies Refusal;
}

/** Counts the transactions of the request that is sent with this id. */
export function countTransactions({ gates }: Rights) {
  const id = crypto.randomUUID();
  let begun = 0;
  const { arrived, open } = createGate();
  gates.set(id, { arrived, open, arrive: async () => void begun++ });
  return { id, count: () => begun };
}

interface Gate {
  readonly arrived: Promise<undefined>;
  arrive(): Promise<void>;
  open(): void;
}

function createGate(transaction = 1): Gate {
  const arrived = Promise.withResolvers<undefined>();
  const opened = Promise.withResolvers<void>();
  let count = 0;
  return {
    arrived: arrived.promise,
    async arrive() {
      if (++count < transaction) return;
      arrived.resolve(undefined);
      return opened.promise;
    },
    open: opened.resolve,
  };
}
