import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { StatementSync } from "node:sqlite";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Client } from "pg";
import { holdAsked } from "../forms/form-hold-store.ts";
import { roomAsked } from "../quotas/room.ts";
import { findRowChanges, type RowChanges } from "./row-changes.ts";

/** Done by one request: rows of which tables its statements add and remove, and whether it asked first. */
interface Act extends RowChanges {
  asksRoom: boolean;
  asksHold: boolean;
}

/**
 * Operations that add rows of a counted table without asking for room, and why. Tables that no operation asks for say so in
 * their record (`bytes.unasked`).
 */
export const addsUnasked: Readonly<Record<string, string>> = {
  "POST /api/account/admissions/:admission_id/answer": "halves of a key, in a row that room was asked for",
  "DELETE /api/admissions/:admission_id": "empties the row",
  "POST /api/forms/:form_id/hand-over": "invitations and keys name one form less",
  "POST /api/admissions/:admission_id/refusal": "the same",
};

/** Operations that remove rows that a legal hold keeps, and why they lose nothing. */
export const removesUnasked: Readonly<Record<string, string>> = {
  "POST /api/forms/:form_id/envelopes/restore": "brings them back",
  "POST /api/forms/:form_id/submissions/bin/restore": "the same",
  "PUT /api/forms/:form_id/retention": "a setting, which ends no hold",
  "PUT /api/forms/:form_id/notifications": "a setting, which its owner changes",
  "PUT /api/notifications": "the same",
  "POST /api/forms/:form_id/hand-over":
    "those that were removed before stay as long as the hold, and can't be restored by others",
  "PUT /api/forms/:form_id/envelopes/:lowest_version": "drops former revisions, and none under a hold",
  "POST /api/forms/:form_id/rotate-keys": "the same",
};

/** A request that was done, by its route: `DELETE /api/forms/:form_id`. */
export interface Done extends Readonly<Act> {
  readonly operation: string;
}

const acts = new AsyncLocalStorage<Act>();
const listeners = new WeakMap<object, Set<(done: Done) => void>>();
let isWatching = false;

/**
 * From here on each request to the service has to ask whether there is room if it adds rows of a table whose bytes are counted, and for
 * a legal hold if it removes rows that one keeps: as the records of the tables say. Gives a function that throws if one did not.
 */
export function watchRequests(server: Server): () => void {
  const errors = new Set<string>();
  onRequestDone(server, (done) => {
    for (const error of findErrors(done)) errors.add(error);
  });
  return () => assert.deepEqual([...errors], []);
}

/** Tells of each request to the service that was not refused, what it did to rows. */
export function onRequestDone(server: Server, listener: (done: Done) => void): void {
  if (!isWatching) watchProcess();
  isWatching = true;
  const known = listeners.get(server) ?? new Set();
  listeners.set(server, known.add(listener));
}

function findErrors({ operation, adds, removes, asksRoom, asksHold }: Done): readonly string[] {
  const errors: string[] = [];
  if (!asksRoom && adds.size > 0 && !(operation in addsUnasked))
    errors.push(`${operation} adds to ${[...adds].sort()} without requireRoom`);
  if (!asksHold && removes.size > 0 && !(operation in removesUnasked))
    errors.push(`${operation} removes from ${[...removes].sort()} without requireNotHeld`);
  return errors;
}

/** Statements are asked in the context of the handler, whichever service of the process it belongs to. */
function watchProcess(): void {
  tracingChannel<Handled, Act>("fastify.request.handler").start.bindStore(acts, beginAct);
  roomAsked.subscribe((accountId) => note((act) => (act.asksRoom ||= accountId !== undefined)));
  holdAsked.subscribe(() => note((act) => (act.asksHold = true)));
  watchSqlite();
  watchPostgres();
}

interface Handled {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function beginAct({ request, reply }: Handled): Act {
  const act: Act = { adds: new Set(), removes: new Set(), asksRoom: false, asksHold: false };
  const { method, url } = request.routeOptions;
  const { server } = request.raw.socket as { readonly server?: object }; // Node's own, not in its types
  const known = listeners.get(server ?? request);
  reply.raw.once("finish", () => {
    // A refusal rolls back.
    if (reply.statusCode < 400) for (const listen of known ?? []) listen({ operation: `${method} ${url}`, ...act });
  });
  return act;
}

function note(change: (act: Act) => void): void {
  const act = acts.getStore();
  if (act !== undefined) change(act);
}

function noteStatement(text: string): void {
  note(({ adds, removes }) => {
    const changes = findRowChanges(text);
    for (const table of changes.adds) adds.add(table);
    for (const table of changes.removes) removes.add(table);
  });
}

function watchSqlite(): void {
  const { run, all } = StatementSync.prototype;
  const watched = <Method extends typeof run | typeof all>(method: Method) =>
    function (this: StatementSync, ...asked: Parameters<Method>) {
      noteStatement(this.sourceSQL);
      return Reflect.apply(method, this, asked);
    } as Method; // with its parameters and result
  Object.assign(StatementSync.prototype, { run: watched(run), all: watched(all) });
}

function watchPostgres(): void {
  const { query } = Client.prototype;
  const watched = function (this: Client, ...asked: unknown[]) {
    const [first] = asked;
    const text = typeof first === "string" ? first : (first as { readonly text?: unknown } | undefined)?.text; // one of pg's forms
    if (typeof text === "string") noteStatement(text);
    return Reflect.apply(query, this, asked);
  };
  Client.prototype.query = watched as typeof query; // whatever overload is called
}
