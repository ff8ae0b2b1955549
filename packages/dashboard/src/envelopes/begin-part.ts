import { findUnvouched, type Member } from "@sealpost/envelope";
import { beginListPart, type PartToBegin, prepareListPart } from "@sealpost/sdk/envelopes";
import { answerStanding, type StandingAnswer, type StandingRow, toStandingRows } from "./answer-standing.ts";
import type { EnvelopeContext } from "./context.ts";
import { loadCheckedList } from "./load-list.ts";

/** Everything the dialog shows before an owner begins a new part, with one row for each member to decide on. */
export interface PartQuestion extends PartToBegin {
  readonly rows: readonly StandingRow[];
}

/** Rejects with a `RefusalError` for others than owners, and with `ListUnusable`. */
export async function findPartQuestion(context: EnvelopeContext): Promise<PartQuestion> {
  const list = await loadCheckedList(context);
  const part = await prepareListPart({ own: context.own, loadList: async () => list });
  return { ...part, rows: await toStandingRows(part.rows, list) };
}

export type BegunByOwner =
  /** `left`: members that stay unvouched, so a new device seals nothing for them. */
  | { readonly kind: "begun"; readonly members: number; readonly left: readonly Member[] }
  /** Somebody else has changed the list since the question; nothing was changed. */
  | { readonly kind: "to_ask"; readonly question: PartQuestion };

/** Begun, answered, read back. */
export const partSteps = 3;

/**
 * Begins another part, and then vouches for the members whom the person knows, or removes those who are to go: the part before may have no place for that.
 * Begun again, it finds what is done.
 */
export async function beginPart(
  context: EnvelopeContext,
  { head, rows }: PartQuestion,
  answers: readonly (readonly [StandingRow, StandingAnswer])[],
  onDone: (steps: number) => void = () => undefined,
): Promise<BegunByOwner> {
  const { own, keyAgent, api } = context;
  const loadList = () => loadCheckedList(context);
  const begun = await beginListPart(
    { own, keyAgent, loadList, beginPart: (part, after) => api.beginPart(part, after) },
    { head, asked: rows.map(({ member }) => member.id) },
  );
  if (begun.kind === "to_ask") return { kind: "to_ask", question: await findPartQuestion(context) };
  onDone(1);
  const { list, confirmed } = await answerStanding(context, [], answers, context.personId);
  onDone(2);
  const left = await findUnvouched(list, { own, confirmed });
  onDone(partSteps);
  return { kind: "begun", members: list.members.size, left: left.map(({ member }) => member) };
}
