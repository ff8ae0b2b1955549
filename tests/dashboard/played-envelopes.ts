import { createHash } from "node:crypto";
import {
  type Change,
  toFormKey as createFormKey,
  createListEntry,
  type EnvelopeParts,
  type FormKey,
  firstVersionOf,
  formatNames,
  generatePersonalKey,
  importSigningKey,
  type NameText,
  RefusalError,
  type SignedEntry,
  sealEnvelope,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { createKeyAgent } from "@sealpost/sdk/envelopes";
import type { OpenKey } from "@sealpost/vault";
import { createId, type FormId, fingerprint, type KeyPair, verifyKeyLog } from "@sealpost/wire";
import type { Bytes } from "../../packages/dashboard/src/envelopes/bytes.ts";
import type { EnvelopeApi, EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads, type Heads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import {
  type AskOrganization,
  guardContext,
  type OpenContext,
} from "../../packages/dashboard/src/envelopes/own-organization.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

/** A server made of functions, which keeps lists and envelopes as the service does, and lies where a test says so. */
export interface PlayedServer {
  /** Entries of two lines each. */
  list: string[];
  /** By organization and signing key, with a space between. */
  readonly signedHeads: Map<string, string>;
  readonly envelopes: Map<number, Bytes[]>;
  readonly keys: { version: number; fingerprint: string }[];
  /** Keys of further forms, next to `keys`. */
  readonly keysOf: Map<FormId, { version: number; fingerprint: string }[]>;
  /** By first version and revision, with a space between: who it says has stored it, where that is not Ada. */
  readonly writers: Map<string, string>;
  /** Envelopes of further forms; `envelopes` and `keys` are those of any other. */
  readonly forms: Map<FormId, Map<number, Bytes[]>>;
  /** The entries of each. */
  readonly keyLogs: Map<FormId, string>;
  /** Everything that was sent to it, as text. */
  readonly sent: string[];
  readonly api: EnvelopeApi;
  /** Answers of this server in place of the honest ones. */
  lies: Partial<EnvelopeApi>;
}

/** Short, so that every search follows pages. */
const pageLength = 20;

export const organizationId = createId("account");

/** Lines of the file of names, by their commitments: of all entries that were written here, whichever server shows them. */
export const knownNames = new Map<string, NameText>();

/** The newest names: a file holds at most 4,096, and the tests of one process write more. */
const newestNames = () => new TextEncoder().encode(formatNames(organizationId, [...knownNames.values()].slice(-4096)));

/** The lines of an entry, whose names are known from then on. */
export function takeEntry({ entry, names }: SignedEntry): string {
  for (const line of names) knownNames.set(line.commitment, line);
  return entry;
}

export function playServer(): PlayedServer {
  const server: PlayedServer = {
    list: [],
    signedHeads: new Map(),
    envelopes: new Map(),
    keys: [],
    keysOf: new Map(),
    writers: new Map(),
    forms: new Map(),
    keyLogs: new Map(),
    sent: [],
    lies: {},
    api: undefined as unknown as EnvelopeApi, // set below, as it reads the rest
  };
  const { keyLogs } = server;
  const envelopesOf = (formId: FormId) => server.forms.get(formId) ?? server.envelopes;
  const honest: EnvelopeApi = {
    async fetchList() {
      return server.list.length === 0 ? undefined : new TextEncoder().encode(server.list.join(""));
    },
    // The list that this server shows, be it a lie.
    async fetchFrom({ number, hash }) {
      const shown = await (server.lies.fetchList ?? honest.fetchList)();
      const lines = new TextDecoder()
        .decode(shown)
        .split("\n")
        .slice(2 * (number - 1));
      if (shown === undefined || lines.length < 3) return undefined;
      const isLast =
        lines.length === 3 &&
        createHash("sha256")
          .update(lines[0] ?? "")
          .digest("base64url") === hash;
      return isLast ? "unchanged" : new TextEncoder().encode(lines.join("\n"));
    },
    async fetchNames() {
      return newestNames();
    },
    async addEntry(entry, head, next) {
      if ((head?.number ?? 0) !== server.list.length) throw changed();
      server.list.push(takeEntry(entry), ...(next === undefined ? [] : [takeEntry(next)]));
    },
    async giveListBack({ entries, after, names }) {
      if ((after?.number ?? 0) !== server.list.length) return false;
      for (const line of names) knownNames.set(line.commitment, line);
      server.list.push(...entries);
      return true;
    },
    async fetchSignedHead(name) {
      return server.signedHeads.get(name);
    },
    async storeSignedHead(name, signedHead) {
      server.signedHeads.set(name, signedHead);
    },
    async listEnvelopes(formId) {
      return [...envelopesOf(formId).keys()];
    },
    async fetchEnvelope(formId, version, revision = 0) {
      const revisions = envelopesOf(formId).get(version) ?? [];
      const number = revision === 0 ? revisions.length : revision;
      const file = revisions[number - 1];
      return file && { file, revision: number };
    },
    async findNewest(formId, version) {
      const revisions = envelopesOf(formId).get(version);
      return revisions && { revision: revisions.length, createdAt: 1 };
    },
    async listRevisions(formId, version, cursor = "0") {
      const first = Number(cursor);
      const { length } = envelopesOf(formId).get(version) ?? [];
      const numbers = Array.from({ length }, (_, index) => length - index).slice(first, first + pageLength);
      const revisions = numbers.map((revision) => {
        const writerId = server.writers.get(`${version} ${revision}`) ?? "acc_of_ada";
        return { revision, createdAt: 1, writerId };
      });
      return { revisions, next: first + pageLength < length ? String(first + pageLength) : undefined };
    },
    async storeEnvelope(formId, version, file, previous) {
      const revisions = envelopesOf(formId).get(version) ?? [];
      if (revisions.length !== (previous?.revision ?? 0)) throw changed();
      envelopesOf(formId).set(version, [...revisions, file]);
    },
    async fetchKeys(formId) {
      return [...server.keys, ...(server.keysOf.get(formId) ?? [])].map(
        (key) => ({ ...key, createdAt: 1, madeBy: "owner", provedAt: 1 }) as never,
      );
    },
    async fetchKeyLog(formId) {
      return new TextEncoder().encode(keyLogs.get(formId) ?? "");
    },
    async addKeyLogEntry(formId, entry) {
      keyLogs.set(formId, `${keyLogs.get(formId)}${entry}`);
      const log = await verifyKeyLog(new TextEncoder().encode(keyLogs.get(formId)), { formId });
      if (typeof log === "string") throw new Error(log);
      return log.head;
    },
    async removeKeyLog(formId) {
      if (!keyLogs.has(formId))
        throw new ApiError("No key log", { status: 404, code: "not_found", reason: "key_log_none" });
      keyLogs.delete(formId);
    },
    async reserveForm() {
      return createId("form");
    },
    async createForm({ formId, publicKey, envelope, keyLogEntry }) {
      keyLogs.set(formId, keyLogEntry);
      server.keys.push({ version: 1, fingerprint: await fingerprint(publicKey) });
      server.envelopes.set(1, [envelope]);
    },
    async rotateKeys(formId, { publicKey, keyVersion, envelope, previous, keyLogEntry }) {
      const firstVersion = firstVersionOf(keyVersion);
      const isBegun = !envelopesOf(formId).has(firstVersion);
      // Begun after the newest revision of the last one below.
      const below = [...envelopesOf(formId)].filter(([one]) => one < firstVersion);
      const last = below.toSorted(([one], [other]) => other - one)[0]?.[1] ?? [];
      if (isBegun && last.length !== (previous?.revision ?? 0)) throw changed();
      await honest.storeEnvelope(formId, firstVersion, envelope, isBegun ? undefined : previous);
      if (keyLogEntry !== undefined) keyLogs.set(formId, `${keyLogs.get(formId)}${keyLogEntry}`);
      server.keys.push({ version: keyVersion, fingerprint: await fingerprint(publicKey) });
    },
  };
  const api = new Proxy(honest, {
    get:
      (_, name: keyof EnvelopeApi) =>
      (...parameters: readonly unknown[]) => {
        server.sent.push(JSON.stringify([name, ...parameters.map(toText)]));
        return Reflect.apply(server.lies[name] ?? honest[name], server.lies, parameters);
      },
  });
  return Object.assign(server, { api });
}

/** Bytes as text, in which a key that was sent in the clear would be found. */
function toText(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder("latin1").decode(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toText(member)]));
}

export function changed(): ApiError {
  return new ApiError("There is another revision by now", { status: 412, code: "precondition_failed" as never });
}

export interface PlayedPerson {
  readonly id: string;
  readonly name: string;
  readonly key: OpenKey;
}

export async function makePerson(name: string): Promise<PlayedPerson> {
  return { id: createId("account"), name, key: { ...(await generatePersonalKey()), former: [] } };
}

/** A browser of a person: what it remembers is its own. */
export function openBrowser(
  { api }: PlayedServer,
  { id, name, key }: PlayedPerson,
  heads: Heads = createHeads(createMemoryStore()),
  ask: AskOrganization = async ({ standing }) => standing.kind === "unseen",
): EnvelopeContext {
  const nameOf = (organization: string) => `${organization} ${key.signingKey}`;
  const context: OpenContext = {
    organizationId,
    personId: id,
    personName: name,
    isOwner: true,
    own: { recipient: key.recipient, signingKey: key.signingKey },
    heads,
    // The server knows whose session it is.
    api: {
      ...api,
      fetchSignedHead: (organization) => api.fetchSignedHead(nameOf(organization)),
      storeSignedHead: (organization, signedHead) => api.storeSignedHead(nameOf(organization), signedHead),
    },
    keyAgent: createKeyAgent(key),
    loadList() {
      return loadCheckedList(this);
    },
  };
  return guardContext(context, "", ask);
}

export function newFormKey(version: number): Promise<{ readonly pair: KeyPair; readonly key: FormKey }> {
  return toFormKey(takeKeyPair(), version);
}

/** The pair, and its private half as an envelope has it. */
export async function toFormKey(pair: KeyPair, version: number) {
  return { pair, key: await createFormKey(version, pair.privateKey) };
}

/** The next entry of a list, as a hostile server that has the key of `signer` can make it. */
export async function writeEntry(
  list: string,
  signer: PlayedPerson,
  change: Change,
  organization: string = organizationId,
): Promise<string> {
  const known = list === "" ? undefined : await verify(list);
  return takeEntry(await createListEntry(known, organization, change, await toSigner(signer)));
}

export function toMember(
  { id, name, key: { recipient, signingKey } }: PlayedPerson,
  role: "owner" | "manager" | "reader" = "owner",
) {
  return { id, name, role, recipient, signingKey };
}

export async function writeEnvelope(
  list: string,
  signer: PlayedPerson,
  parts: Pick<EnvelopeParts, "formId" | "formName" | "readerIds" | "keys" | "keyLog">,
): Promise<Bytes> {
  const { file } = await sealEnvelope({ list: await verify(list), signer: await toSigner(signer), ...parts });
  return file;
}

export async function toSigner({ id, key }: Pick<PlayedPerson, "id" | "key">) {
  return { id, signingKey: await importSigningKey(key.signingSeed) };
}

async function verify(list: string): Promise<VerifiedList> {
  const { member } = JSON.parse(list.split("\n")[0] ?? "");
  const verified = await verifyList(new TextEncoder().encode(list), {
    organizationId,
    trust: { signingKey: member.signingKey },
    names: newestNames(),
  });
  if (verified instanceof RefusalError) throw verified;
  return verified;
}
