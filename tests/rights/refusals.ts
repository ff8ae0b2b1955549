import { createId } from "@sealpost/wire";
import { findRoles, type Role, roles } from "../../packages/server/src/access/roles.ts";
import type { PreparedRequest } from "../contract/operation-calls.ts";
import type { Operation } from "../contract/operations.ts";
import { type Actor, createActor } from "./revocations.ts";
import type { Rights } from "./rights.ts";

/** A request that is refused, or should be. */
export interface Refused {
  /** How it is wrong. */
  readonly name: string;
  readonly request: PreparedRequest;
}

const json = { "content-type": "application/json" };

/** Everybody who asks in vain: of each role, with a stale session, with an address that is not verified, a stranger, a key. */
export async function createAskers(rights: Rights) {
  const { scene, calls, service } = rights;
  const members: Partial<Record<Role, Actor>> = {};
  for (const role of roles) {
    const actor = await createActor(scene, calls, role, ["reader", "developer"].includes(role) ? [] : undefined);
    await service.database
      .updateTable("person")
      .set({ operator_since: null })
      .where("id", "=", actor.account.id)
      .execute();
    members[role] = actor;
  }
  const [stale, unverified] = [await rights.createActor(), await rights.createActor()];
  await service.database
    .updateTable("session")
    .set({ authenticated_at: 0 })
    .where("person_id", "=", stale.account.id)
    .execute();
  await service.database
    .updateTable("person")
    .set({ verification: "needed" })
    .where("id", "=", unverified.account.id)
    .execute();
  const stranger = await service.signUp();
  await stranger.request("GET", "/api/organizations");
  const key = await calls.createKey(scene.owner, []);
  return { members, stale, unverified, stranger, keyWithNothing: `Bearer ${key.value}` };
}
export type Askers = Awaited<ReturnType<typeof createAskers>>;

/** Each way in which a valid request of the owner's goes wrong without anything else being done. */
export function listRefused(
  operation: Operation,
  valid: PreparedRequest,
  askers: Askers,
  /** Whether it may be done all the same, where nothing of it is wrong to the service. */
  mayBeDone: boolean,
): readonly Refused[] {
  const refused = [...byOthers(operation, valid, askers), ...toNothing(operation, valid)];
  return mayBeDone ? [...refused, ...withoutItsQuery(valid), ...withWrongBodies(valid)] : refused;
}

function* byOthers({ operationId, access }: Operation, valid: PreparedRequest, askers: Askers): Iterable<Refused> {
  if (access === "public") return;
  const as = (name: string, authorization: string): Refused => ({
    name: `by ${name}`,
    request: { ...valid, headers: { ...valid.headers, authorization } },
  });
  const { authorization, ...headers } = valid.headers;
  yield { name: "by nobody", request: { ...valid, headers } };
  yield as("a token that is made up", "Bearer made-up");
  yield as("an API key without permissions", askers.keyWithNothing);
  const allowed = findRoles(operationId);
  for (const role of roles) {
    const actor = askers.members[role];
    if (actor === undefined || (allowed === undefined ? access !== "operator" : allowed.includes(role))) continue;
    yield as(`a session of the role ${role}`, actor.authorization.session);
    yield as(`an API key of the role ${role}`, actor.authorization.apiKey);
  }
  if (access !== "session" || allowed !== undefined) yield as("a stranger", `Bearer ${askers.stranger.token}`);
}

/** With one id after the other that leads to nothing. */
function* toNothing({ path }: Operation, valid: PreparedRequest): Iterable<Refused> {
  const [own = "", query] = valid.path.split("?");
  const parts = own.split("/");
  for (const [index, part] of path.split("/").entries()) {
    if (!part.startsWith("{")) continue;
    const kinds = ["form", "submission", "account", "apiKey", "delivery"] as const;
    const made = kinds.map((kind) => createId(kind)).find((id) => id.split("_")[0] === parts[index]?.split("_")[0]);
    for (const id of [made ?? "made-up", "0", "%00", "x".repeat(200)])
      yield {
        name: `with ${id.slice(0, 10)} for ${part}`,
        request: { ...valid, path: parts.with(index, id).join("/") + (query === undefined ? "" : `?${query}`) },
      };
  }
}

/** Without the word that confirms it. */
function* withoutItsQuery(valid: PreparedRequest): Iterable<Refused> {
  const [path = "", query] = valid.path.split("?");
  if (query === undefined) return;
  yield { name: "without its query", request: { ...valid, path } };
  yield { name: "with another query", request: { ...valid, path: `${path}?confirm=made-up` } };
}

function* withWrongBodies({ body, headers, ...valid }: PreparedRequest): Iterable<Refused> {
  if (valid.method === "GET") return;
  const sent = (name: string, text: string, more: Readonly<Record<string, string>> = json): Refused => ({
    name: `with ${name}`,
    request: { ...valid, headers: { ...headers, ...more }, body: text },
  });
  for (const text of ["{", "null", "[]", '"text"', "{}", '{"__proto__":{"a":1}}', "[".repeat(5_000)])
    yield sent(text.slice(0, 30), text);
  if (body === undefined) return;
  yield sent("another media type", body, { "content-type": "text/plain" });
  yield sent("a byte that is no text", `${body.slice(0, -1)}\u0000`);
  const members = Object.entries(JSON.parse(body) as Record<string, unknown>); // each example is an object
  yield sent("a member more", JSON.stringify({ ...Object.fromEntries(members), madeUp: 1 }));
  for (const [name] of members) {
    const others = Object.fromEntries(members.filter(([one]) => one !== name));
    yield sent(`no ${name}`, JSON.stringify(others));
    for (const wrong of [{}, null, "\u0000", "x".repeat(20_000)])
      yield sent(`${JSON.stringify(wrong).slice(0, 20)} for ${name}`, JSON.stringify({ ...others, [name]: wrong }));
  }
}
