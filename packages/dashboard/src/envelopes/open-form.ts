import { type EnvelopeHead, type Reason, RefusalError } from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import type { Bytes, EnvelopeContext } from "./context.ts";
import type { EnvelopeSeen } from "./form-operations.ts";
import { findHead, firstVersionOf } from "./heads.ts";
import { type CheckedList, type LoadedList, loadList, toListToCheck } from "./load-list.ts";

/**
 * `hidden_envelope`: there was one. `lost_envelope`: the server took one, and does not show it. `former_writer`: somebody who may not write it any
 * longer has put keys into it that this browser has not seen.
 */
export type EnvelopeRefusal = Reason | "hidden_envelope" | "lost_envelope" | "former_writer";

/** An envelope that was opened, with its bytes, which the next revision follows. */
export interface OpenedFormEnvelope extends EnvelopeSeen {
  readonly firstVersion: number;
  readonly file: Bytes;
}

export interface RefusedEnvelope {
  readonly firstVersion: number;
  readonly reason: EnvelopeRefusal;
}

/** The keys of opened envelopes, compared with those that the server publishes for the form. */
export interface ComparedKeys {
  /** Those of published versions, and no others. */
  readonly keys: readonly OpeningKey[];
  /** Versions for which the server publishes another key than the envelope has, or none. */
  readonly otherKeys: readonly number[];
  /** Versions without a key in any envelope. */
  readonly missing: readonly number[];
}

export interface OpenedForm extends ComparedKeys {
  readonly kind: "opened";
  readonly envelopes: readonly OpenedFormEnvelope[];
  readonly refused: readonly RefusedEnvelope[];
  readonly list: CheckedList;
}

export type FormOpening =
  | OpenedForm
  /** The form has no envelope. */
  | { readonly kind: "none" }
  | { readonly kind: "list"; readonly list: Exclude<LoadedList, CheckedList> };

/** Opens the envelopes of a form with the personal key. Nothing of a refused one is used. */
export async function openForm(context: EnvelopeContext, formId: FormId): Promise<FormOpening> {
  const [versions, { heads, isRemoved }] = await Promise.all([
    context.api.listEnvelopes(formId),
    context.heads.findEnvelopes(formId),
  ]);
  const expected = isRemoved ? [] : heads.map(firstVersionOf);
  if (versions.length === 0 && expected.length === 0) return { kind: "none" };
  const list = await loadList(context);
  if (list.kind !== "checked") return { kind: "list", list };
  const hidden = expected.filter((version) => !versions.includes(version));
  const refused: RefusedEnvelope[] = hidden.map((firstVersion) => ({ firstVersion, reason: "hidden_envelope" }));
  const envelopes: OpenedFormEnvelope[] = [];
  for (const firstVersion of versions) {
    const opened = await openOne(context, formId, list, firstVersion, { known: heads });
    if ("reason" in opened) refused.push(opened);
    else envelopes.push(opened);
  }
  return { kind: "opened", envelopes, refused, list, ...(await comparePublished(context, formId, envelopes)) };
}

/**
 * Opens one of the form's envelopes, and remembers its head. It has to continue the newest head that was seen in any tab, and `stored`, the one that
 * this page has just sent, which counts as seen only once it could be read back. `known`: all of the form's heads, as they were before the first was opened.
 */
export async function openOne(
  context: EnvelopeContext,
  formId: FormId,
  list: CheckedList,
  firstVersion: number,
  { stored, known }: { readonly stored?: EnvelopeHead; readonly known?: readonly EnvelopeHead[] } = {},
): Promise<OpenedFormEnvelope | RefusedEnvelope> {
  const { heads, api, operations } = context;
  const remembered = (await heads.findEnvelopes(formId)).heads;
  const before = findHead(remembered, firstVersion);
  // Another tab may have seen more than this one had when it sent its own.
  const isFirst = stored !== undefined && (before === undefined || before.revision < stored.revision);
  const newest = isFirst ? stored : before;
  const file = await api.fetchEnvelope(formId, firstVersion);
  if (file === undefined) return { firstVersion, reason: stored === undefined ? "hidden_envelope" : "lost_envelope" };
  const request = { file, formId, firstVersion, ...(newest && { newest }) };
  let seen = await operations.openEnvelope({ ...request, list: toListToCheck(list) });
  if (seen instanceof RefusalError && seen.reason === "unknown_list") {
    // Its writer had a newer list than was fetched a moment ago.
    const newer = await loadList(context);
    if (newer.kind === "checked") seen = await operations.openEnvelope({ ...request, list: toListToCheck(newer) });
  }
  if (seen instanceof RefusalError) return { firstVersion, reason: seen.reason };
  // With the server, a member who was removed can continue to write, under the list from before.
  if (seen.isByFormer && !hasKeys(known ?? remembered, seen.head)) return { firstVersion, reason: "former_writer" };
  if (await heads.advanceEnvelope(before, seen.head)) return { ...seen, firstVersion, file };
  // Another tab has seen a newer revision meanwhile: this one has to be it, or to follow.
  return openOne(context, formId, list, firstVersion);
}

/** Whether all keys of `head` were seen before, in one of the form's envelopes; at the first sight there is nothing to compare with. */
function hasKeys(known: readonly EnvelopeHead[], head: EnvelopeHead): boolean {
  if (known.length === 0) return true;
  const seen = known.flatMap(({ keys }) => keys);
  return head.keys.every((key) =>
    seen.some(
      ({ version, fingerprint, hybridFingerprint }) =>
        version === key.version && fingerprint === key.fingerprint && hybridFingerprint === key.hybridFingerprint,
    ),
  );
}

/** Which keys of these envelopes are the form's. */
export async function comparePublished(
  { api }: EnvelopeContext,
  formId: FormId,
  envelopes: readonly OpenedFormEnvelope[],
): Promise<ComparedKeys> {
  const published = new Map((await api.fetchKeys(formId)).map(({ version, fingerprint }) => [version, fingerprint]));
  const held = envelopes.flatMap(({ keys }) => keys);
  const isPublished = ({ keyVersion = 0, fingerprint }: OpeningKey) => published.get(keyVersion) === fingerprint;
  const versionsOf = (keys: readonly OpeningKey[]) => keys.map(({ keyVersion = 0 }) => keyVersion);
  return {
    keys: held.filter(isPublished),
    otherKeys: versionsOf(held.filter((key) => !isPublished(key))),
    missing: [...published.keys()].filter((version) => !versionsOf(held).includes(version)),
  };
}
