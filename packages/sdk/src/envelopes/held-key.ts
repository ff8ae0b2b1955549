import {
  type EnvelopeHead,
  type FollowedKeyLog,
  type FormKey,
  type NamedKeyLog,
  nameKeyLog,
  toLoggedKey,
} from "@sealpost/envelope";
import { type FormId, hasKeyLogHead, type LoggedKey, type VerifiedKeyLog } from "@sealpost/wire";
import type { OpeningKey } from "../open.ts";
import type { EnvelopeClient, SealingList } from "./envelope-client.ts";
import type { OpenedEnvelope } from "./open-form.ts";

/** The members by which a key that is open here differs from others. */
export interface HeldKey extends Pick<OpeningKey, "fingerprint" | "replyKey"> {
  readonly hybrid?: { readonly fingerprint: string };
}

/** A private key that is not in an envelope yet. */
export async function toHeldKey(formId: FormId, key: FormKey): Promise<HeldKey> {
  const { fingerprint, hybridFingerprint, replyKey } = await toLoggedKey(formId, key);
  return {
    fingerprint,
    ...(hybridFingerprint !== null && { hybrid: { fingerprint: hybridFingerprint } }),
    ...(replyKey !== null && { replyKey }),
  };
}

/** Whether a key that a log's entry names is open here: all of it. A server can name one of its own, and sign with a key of its own that it is the form's. */
export function isHeld({ fingerprint, hybridFingerprint, replyKey }: LoggedKey, held: readonly HeldKey[]): boolean {
  return held.some(
    (key) =>
      key.fingerprint === fingerprint &&
      (key.hybrid?.fingerprint ?? null) === hybridFingerprint &&
      (replyKey === null || key.replyKey === replyKey),
  );
}

/**
 * Keys of these envelopes by which a person may say that something is the form's: without those that are not published for this device. A hybrid key counts
 * that is published as well.
 */
export function findHeldKeys(
  envelopes: readonly Pick<OpenedEnvelope, "head" | "keys" | "unproved">[],
): readonly OpeningKey[] {
  return envelopes.flatMap(({ head, keys, unproved = [] }) =>
    keys.filter(({ keyVersion = 0 }) => !unproved.includes(keyVersion)).map((key) => withoutUnseen(key, head)),
  );
}

/** Without a hybrid key that is next to the form's and that nobody has published, and without the reply key of a seed that is not the form's. */
function withoutUnseen({ hybrid, replyKey, ...rest }: OpeningKey, { keys }: EnvelopeHead): OpeningKey {
  const seen = keys.find(({ version }) => version === rest.keyVersion);
  return {
    ...rest,
    ...(hybrid !== undefined && seen?.hybridFingerprint === hybrid.fingerprint && { hybrid }),
    ...(replyKey !== undefined && seen?.seedHash !== null && { replyKey }),
  };
}

/**
 * Whether a person may say by their signature, or to a page, that a log is the form's: its newest key is among `held`, those of the form that are open here.
 * Where none is, the log has to contain an entry which a key of theirs has signed, or which the form head names.
 */
export async function isOwnLog(
  { heads, own: { signingKey, former = [] } }: Pick<EnvelopeClient, "heads" | "own">,
  formId: FormId,
  log: VerifiedKeyLog,
  held: readonly HeldKey[],
): Promise<boolean> {
  if (held.length > 0) return isHeld(log.entry.key, held);
  if (log.entries.some(({ signedBy }) => signedBy === signingKey || former.includes(signedBy))) return true;
  const seen = (await heads.findEnvelopes(formId)).heads;
  return seen.some(({ keyLog }) => keyLog !== null && hasKeyLogHead(log, keyLog));
}

/** The head that a next revision names where no entry is written with it. Another log than the revision before names only one whose newest key is open here. */
export function nameFollowedLog(
  before: Pick<EnvelopeHead, "keyLog">,
  followed: FollowedKeyLog,
  { list, own }: Pick<SealingList, "list" | "own">,
  held: readonly HeldKey[],
): NamedKeyLog {
  const named = nameKeyLog(before, followed, list, own);
  const isOther =
    followed.kind === "checked" && !(before.keyLog !== null && hasKeyLogHead(followed.log, before.keyLog));
  if (!isOther || isHeld(followed.log.entry.key, held)) return named;
  return { keyLog: before.keyLog, isOther: false };
}
