import {
  type ComparedKeys,
  comparePublished,
  type EnvelopeHead,
  type EnvelopeRequest,
  type EnvelopeSource,
  type FollowedEnvelope,
  followEnvelope,
  followEnvelopes,
  openRevision as openOneRevision,
  type PublishedKey,
  type RefusedEnvelope,
} from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeRefusal } from "../refusals.ts";
import type { EnvelopeContext } from "./context.ts";
import type { EnvelopeSeen } from "./form-operations.ts";
import {
  type CheckedList,
  isReadable,
  type LoadedList,
  loadList,
  type ReadableList,
  toListToCheck,
} from "./load-list.ts";

export type OpenedFormEnvelope = FollowedEnvelope<EnvelopeSeen>;

/** All envelopes of a form, opened as far as they may be. */
export interface OpenedEnvelopes<List extends ReadableList = ReadableList> {
  readonly kind: "opened";
  /** The form's public keys. */
  readonly published: readonly PublishedKey[] | undefined;
  readonly envelopes: readonly OpenedFormEnvelope[];
  /** Refused revisions that open and name an entry of a key log which the server does not show. They are good for reading only. */
  readonly forReading: readonly OpenedFormEnvelope[];
  readonly refused: readonly { readonly firstVersion: number; readonly reason: EnvelopeRefusal }[];
  readonly list: List;
}

export interface OpenedForm extends OpenedEnvelopes, ComparedKeys<OpeningKey> {}

type Unopened =
  /** The form has no envelope. */
  { readonly kind: "none" } | { readonly kind: "list"; readonly list: Exclude<LoadedList, ReadableList> };

export type FormOpening = OpenedForm | Unopened;

/** Opens the envelopes of a form with the personal key, and compares their keys with those that the server publishes. */
export async function openForm(context: EnvelopeContext, formId: FormId): Promise<FormOpening> {
  const opened = await openEnvelopes(context, formId);
  if (opened.kind !== "opened") return opened;
  const readable = [...opened.envelopes, ...opened.forReading];
  return { ...opened, ...compareWith(readable, opened.published ?? []) };
}

/** Opens the envelopes of a form with the personal key. Nothing of a refused one is used. `known`: the list, where it was loaded a moment ago. */
export function openEnvelopes(context: EnvelopeContext, formId: FormId): Promise<OpenedEnvelopes | Unopened>;
export function openEnvelopes(
  context: EnvelopeContext,
  formId: FormId,
  known: CheckedList,
): Promise<OpenedEnvelopes<CheckedList> | Unopened>;
export async function openEnvelopes(
  context: EnvelopeContext,
  formId: FormId,
  known?: CheckedList,
): Promise<OpenedEnvelopes | Unopened> {
  const [versions, { heads, isRemoved }] = await Promise.all([
    context.api.listEnvelopes(formId),
    context.heads.findEnvelopes(formId),
  ]);
  const isOwn = await context.heads.claimForm(formId, context.organizationId);
  const expected = isRemoved ? [] : heads.map(({ firstVersion }) => firstVersion);
  if (isOwn && versions.length === 0 && expected.length === 0) return { kind: "none" };
  const list = known ?? (await loadList(context));
  if (!isReadable(list)) return { kind: "list", list };
  // Others read there: a key that is put into an envelope would be theirs.
  if (!isOwn)
    return {
      ...{ kind: "opened", envelopes: [], forReading: [], published: undefined, list },
      refused: [{ firstVersion: 0, reason: "moved_form" }],
    };
  return { kind: "opened", list, ...(await followEnvelopes(createSource(context, list), formId, versions)) };
}

/** Opens one of the form's envelopes, and remembers its head. `stored`: the one that this page has just sent. */
export function openOne(
  context: EnvelopeContext,
  formId: FormId,
  list: ReadableList,
  firstVersion: number,
  stored?: EnvelopeHead,
): Promise<OpenedFormEnvelope | RefusedEnvelope> {
  return followEnvelope(createSource(context, list), formId, firstVersion, stored && { stored });
}

/** The request to open a revision again. */
export function toRequest({ file, head }: Pick<OpenedFormEnvelope, "file" | "head">): EnvelopeRequest {
  const { formId, firstVersion, revision } = head;
  return { file, formId, firstVersion, revision, newest: head };
}

/** A revision that is looked at, and not remembered. */
export function openRevision(context: EnvelopeContext, list: ReadableList, request: EnvelopeRequest) {
  return openOneRevision(createSource(context, list), request);
}

function createSource(context: EnvelopeContext, list: ReadableList): EnvelopeSource<EnvelopeSeen> {
  const { heads, api, operations } = context;
  let checked = list;
  return {
    heads,
    fetchEnvelope: (id, firstVersion) => api.fetchEnvelope(id, firstVersion),
    fetchPublished: (id) => api.fetchKeys(id),
    fetchKeyLog: (id) => api.fetchKeyLog(id),
    openEnvelope: (request) => operations.openEnvelope({ ...request, list: toListToCheck(checked) }),
    async renewList() {
      const newer = await loadList(context);
      if (isReadable(newer)) checked = newer;
      return isReadable(newer);
    },
  };
}

/** Which keys of these envelopes are the form's. */
export async function compareKeys(
  { api }: EnvelopeContext,
  formId: FormId,
  envelopes: readonly OpenedFormEnvelope[],
): Promise<ComparedKeys<OpeningKey>> {
  return compareWith(envelopes, await api.fetchKeys(formId));
}

function compareWith(envelopes: readonly OpenedFormEnvelope[], published: readonly PublishedKey[]) {
  const held = envelopes.flatMap(({ keys }) => keys);
  return comparePublished(
    held,
    published,
    envelopes.flatMap(({ head }) => head.keys),
  );
}
