import type { HeadStore } from "@sealpost/envelope";
import { decodeBase64Url, encodeBase64Url, type FormId } from "@sealpost/wire";

/** An envelope with a new key of a form, which is about to be sent: sealed, for those who may read it. */
export interface SealedNow {
  readonly formId: FormId;
  /** The version of the new key, and the fingerprint of its RSA half. */
  readonly version: number;
  readonly fingerprint: string;
  /** The hash of its seed. */
  readonly seedHash: string;
  readonly file: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** With the name under which it is kept. */
export interface Attempt extends SealedNow {
  readonly name: string;
}

const recentMilliseconds = 3_600_000;
const creationMilliseconds = 7 * 24 * recentMilliseconds;

/** Whether a call of now may mean the one that was cut off then. */
export function isRecent({ startedAt }: SealedNow, now: number): boolean {
  return Math.abs(now - startedAt) < recentMilliseconds;
}

/** The same for the creation of a form, which its name alone says is meant: later it may be another form with that name. */
export function isRecentCreation({ startedAt }: SealedNow, now: number): boolean {
  return Math.abs(now - startedAt) < creationMilliseconds;
}

/** Envelopes that are about to be sent, until they were read back: the next call finishes what a crash has cut off, and a server that loses an envelope loses no key. */
export function createAttempts(store: HeadStore) {
  const find = async (name: string) => toAttempt(name, await store.find(name));
  return {
    findCreation: (organizationId: string, formName: string) => find(creationName(organizationId, formName)),
    findRotation: (formId: string) => find(rotationName(formId)),
    ofCreation: (organizationId: string, formName: string, sealed: SealedNow): Attempt => ({
      ...sealed,
      name: creationName(organizationId, formName),
    }),
    ofRotation: (sealed: SealedNow): Attempt => ({ ...sealed, name: rotationName(sealed.formId) }),
    begin: ({ name, file, ...others }: Attempt) =>
      store.change(name, () => ({ ...others, file: encodeBase64Url(file) })),
    /** Another program with the same store may have begun another one meanwhile, which stays. */
    end: ({ name, fingerprint }: Attempt) =>
      store.change(name, (value) => (toAttempt(name, value)?.fingerprint === fingerprint ? null : undefined)),
  };
}

function toAttempt(name: string, value: unknown): Attempt | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  // Only this module writes these names, so each has the type that it is read as.
  const { file, ...others } = value as Omit<SealedNow, "file"> & { readonly file: string };
  return { ...others, name, file: decodeBase64Url(file) ?? new Uint8Array() };
}

const creationName = (organizationId: string, formName: string) => `creating in ${organizationId}: ${formName}`;
const rotationName = (formId: string) => `rotating ${formId}`;
