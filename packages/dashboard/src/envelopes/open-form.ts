import type { EnvelopeHead, EnvelopeRequest, RefusedEnvelope } from "@sealpost/envelope";
import {
  type NotUsed,
  type OpenedEnvelope,
  type OpenedEnvelopes,
  openForm as openAnyForm,
  openOne as openOneOf,
  openRevision as openOneRevision,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import {
  type CheckedList,
  ListUnusable,
  type LoadedList,
  loadCheckedList,
  loadReadableList,
  type ReadableList,
} from "./load-list.ts";

export type OpenedFormEnvelope = OpenedEnvelope;

/** All envelopes of a form, opened as far as they may be. */
export interface OpenedForm<List extends ReadableList = ReadableList> extends Omit<OpenedEnvelopes<List>, "refused"> {
  readonly refused: readonly NotUsed[];
}

type Unopened =
  /** The form has no envelope. */
  | { readonly kind: "none" }
  /** `isMoved`: this browser has seen the form in another organization. */
  | { readonly kind: "list"; readonly list: Exclude<LoadedList, CheckedList>; readonly isMoved?: true };

export type FormOpening = OpenedForm | Unopened;

/** Opens the envelopes of a form with the personal key, and compares their keys with those that the server publishes. */
export function openForm(context: EnvelopeContext, formId: FormId): Promise<FormOpening> {
  return open(context, formId, () => loadReadableList(context));
}

/** The same to write by `known`, a list that was loaded a moment ago. */
export function openFormBy(
  context: EnvelopeContext,
  formId: FormId,
  known: CheckedList,
): Promise<OpenedForm<CheckedList> | Unopened> {
  return open(context, formId, () => loadCheckedList(context), known);
}

async function open<List extends ReadableList>(
  context: EnvelopeContext,
  formId: FormId,
  loadList: () => Promise<List>,
  known?: List,
): Promise<OpenedForm<List> | Unopened> {
  const { organizationId } = context;
  try {
    const opened = await openAnyForm(context, { formId, organizationId, loadList, known });
    if (opened.kind !== "moved_form") return opened;
    const nothing = { envelopes: [], forReading: [], keys: [], otherKeys: [], missing: [] };
    const nobodys = { unproved: [], otherThanLogged: [], seenAgain: [] };
    return {
      ...nothing,
      ...nobodys,
      kind: "opened",
      list: opened.list,
      refused: [{ firstVersion: 0, reason: "moved_form" }],
    };
  } catch (error) {
    if (!(error instanceof ListUnusable)) throw error;
    const isOwn = await context.heads.claimForm(formId, organizationId);
    return { kind: "list", list: error.list, ...(!isOwn && { isMoved: true }) };
  }
}

/** Opens one of the form's envelopes, and remembers its head. `stored`: the one that this page has just sent. */
export function openOne(
  context: EnvelopeContext,
  formId: FormId,
  known: ReadableList,
  firstVersion: number,
  stored?: EnvelopeHead,
): Promise<OpenedFormEnvelope | RefusedEnvelope> {
  return openOneOf(context, { formId, known, loadList: () => loadReadableList(context) }, firstVersion, stored);
}

/** The request to open a revision again. */
export function toRequest({ file, head }: Pick<OpenedFormEnvelope, "file" | "head">): EnvelopeRequest {
  const { formId, firstVersion, revision } = head;
  return { file, formId, firstVersion, revision, newest: head };
}

/** A revision that is looked at, and not remembered. */
export function openRevision(context: EnvelopeContext, known: ReadableList, request: EnvelopeRequest) {
  return openOneRevision(context, { known, loadList: () => loadReadableList(context) }, request);
}
