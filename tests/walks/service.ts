import { type EnvelopeVersion, firstVersionOf } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import type { EnvelopeApi } from "@sealpost/sdk/envelopes";
import { encodeText, fingerprint, verifyKeyLog } from "@sealpost/wire";
import { formId } from "../../packages/envelope/src/testing/envelope-maker.ts";
import { hashOf } from "../../packages/envelope/src/text.ts";
import type { Name } from "./people.ts";

/** A revision that is kept. */
export interface Stored {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly writer: Name;
  /** The writer is dishonest, or has gone by the word of somebody who is. */
  readonly isDishonest: boolean;
}

/** Everything that a service has of a form. */
export interface Service {
  readonly envelopes: Map<number, readonly Stored[]>;
  published: readonly { readonly version: number; readonly fingerprint: string }[];
  keyLog: string;
}

/** Parts of that which it hides, or shows by an older state. */
export interface Lie {
  /** Envelopes that it hides. */
  readonly hidden?: number;
  /** The envelope that it shows by an older revision, and how many before the newest. */
  readonly older?: { readonly firstVersion: number; readonly by: number };
  /** It denies its newest key. */
  readonly isKeyDenied?: boolean;
  readonly isLogHidden?: boolean;
  /** It shows the list as the device has seen it. */
  readonly isListOld?: boolean;
}

export function forkService({ envelopes, ...service }: Service): Service {
  return { ...service, envelopes: new Map(envelopes) };
}

const refuse = (status: number, code: string, reason?: string) =>
  new ApiError("The service does not", { status, code: code as never, ...(reason && { reason }) });

interface Writing {
  readonly lie?: Lie | undefined;
  /** After something was stored. */
  onStored(firstVersion: number, revision: number): Promise<void>;
  readonly by: Pick<Stored, "writer" | "isDishonest">;
}

export function createApi(service: Service, { lie = {}, by, onStored }: Writing): EnvelopeApi {
  const shown = (firstVersion: number) => {
    const all = service.envelopes.get(firstVersion) ?? [];
    const { older } = lie;
    return older?.firstVersion === firstVersion ? all.slice(0, Math.max(1, all.length - older.by)) : all;
  };
  const log = () => (lie.isLogHidden ? "" : service.keyLog);
  const requireSeen = async (all: readonly Stored[], seen: EnvelopeVersion | undefined) => {
    const newest = all.at(-1);
    const isSeen = all.length === (seen?.revision ?? 0) && (newest && (await hashOf(newest.file))) === seen?.hash;
    if (!isSeen) throw refuse(412, "precondition_failed");
  };
  const store = async (firstVersion: number, file: Stored["file"]) => {
    const all = service.envelopes.get(firstVersion) ?? [];
    service.envelopes.set(firstVersion, [...all, { file, ...by }]);
    await onStored(firstVersion, all.length + 1);
  };
  const addEntry = async (entry: string) => {
    const after = `${service.keyLog}${entry}`;
    const verified = await verifyKeyLog(encodeText(after), { formId });
    if (typeof verified === "string") throw refuse(412, "precondition_failed");
    service.keyLog = after;
  };
  return {
    listEnvelopes: async () => [...service.envelopes.keys()].filter((one) => one !== lie.hidden),
    async fetchEnvelope(_formId, firstVersion, revision = shown(firstVersion).length) {
      const file = shown(firstVersion)[revision - 1]?.file;
      return file && { file, revision };
    },
    async findNewest(_formId, firstVersion) {
      const { length } = shown(firstVersion);
      return length === 0 ? undefined : { revision: length, createdAt: 1 };
    },
    listRevisions: async (_formId, firstVersion) => {
      const all = shown(firstVersion).map(({ writer }, index) => ({
        revision: index + 1,
        createdAt: 1,
        writerId: writer,
      }));
      return { revisions: all.toReversed(), next: undefined };
    },
    async storeEnvelope(_formId, firstVersion, file, previous) {
      await requireSeen(service.envelopes.get(firstVersion) ?? [], previous);
      await store(firstVersion, file);
    },
    async fetchKeys() {
      const all = lie.isKeyDenied ? service.published.slice(0, -1) : service.published;
      return all.map((key) => ({ ...key, createdAt: 1, madeBy: "owner", provedAt: 1 }) as never);
    },
    fetchKeyLog: async () => encodeText(log()),
    async addKeyLogEntry(_formId, entry) {
      await addEntry(entry);
    },
    async removeKeyLog() {
      if (service.keyLog === "") throw refuse(404, "not_found", "key_log_none");
      service.keyLog = "";
    },
    createForm: () => Promise.reject(new Error("The form is there")),
    async rotateKeys(_formId, { publicKey, keyVersion, envelope, previous, keyLogEntry }) {
      if ((keyLogEntry === undefined) !== (service.keyLog === "")) throw refuse(409, "conflict");
      const newest = Math.max(...service.published.map(({ version }) => version));
      if (keyVersion <= newest) throw refuse(412, "precondition_failed");
      const firstVersion = firstVersionOf(keyVersion);
      // The one in which the version has its place or, where the rotation begins that, the one below.
      const last = Math.max(...[...service.envelopes.keys()].filter((one) => one <= firstVersion));
      await requireSeen(service.envelopes.get(last) ?? [], previous);
      if (keyLogEntry !== undefined) await addEntry(keyLogEntry);
      service.published = [...service.published, { version: keyVersion, fingerprint: await fingerprint(publicKey) }];
      await store(firstVersion, envelope);
    },
  };
}
