import { RefusalError } from "@sealpost/envelope";
import { ApiError, type Member } from "@sealpost/sdk";
import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { client } from "../api/client.ts";
import { ListUnusable } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { findOrFoundList, toListName } from "../envelopes/found-list.ts";
import { type CheckedList, loadList, toListToCheck } from "../envelopes/load-list.ts";
import { nameOf } from "../members/names.ts";
import { askPersonalKey } from "../personal-key/personal-key.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import type { OpenedTerms } from "./admission-operations.ts";

const triesMax = 8;

/** Makes a link that brings a member into the list. What follows its # is in no request. */
export async function makeLink(context: EnvelopeContext, member: Member): Promise<string> {
  const list = await findOrFoundList(context);
  if (list.kind === "refused" && list.reason === "lost_list") throw new Error("The list of members is not there");
  if (list.kind !== "checked") throw new ListUnusable(list as Exclude<typeof list, CheckedList> as never); // its reason is one of lists
  const made = await askPersonalKey("makeAdmission", {
    ...{ list: toListToCheck(list), signerId: context.personId, person: member.id, email: member.email },
    ...{ name: toListName(nameOf(member)), role: member.role },
  });
  const body = { terms: made.terms, file: encodeBase64Url(made.file) };
  await withFreshSession(() => client.admissions.create(body));
  return `${window.location.origin}/join#${made.fragment}`;
}

export interface Answered extends OpenedTerms {
  readonly list: CheckedList;
}

/** Opens an answered admission with the newest list. Rejects with a `RefusalError` where it is not what was signed and answered with the link. */
export async function openAnswer(context: EnvelopeContext, admissionId: string): Promise<Answered> {
  const { file, answer } = await client.admissions.get(admissionId);
  const bytes = decodeBase64Url(file);
  if (answer === null || bytes === undefined) throw new RefusalError("malformed");
  const list = await loadList(context);
  if (list.kind !== "checked") throw new ListUnusable(list);
  return { ...(await askPersonalKey("openAnswered", { list: toListToCheck(list), file: bytes, answer })), list };
}

/** Adds the entry that was shown, and gives the list as it was read back. Begun again after a lost answer, it finds the entry there. */
export async function bringIn(context: EnvelopeContext, admissionId: string, shown: OpenedTerms): Promise<void> {
  const { organizationId, personId: signerId, operations, api } = context;
  const { change, member } = shown;
  for (let tries = 1; ; tries++) {
    const now = await loadList(context);
    if (now.kind !== "checked") throw new ListUnusable(now);
    if (now.list.members.get(member.id)?.recipient === member.recipient) return;
    const opened = await openAnswer(context, admissionId);
    // Somebody else may have changed the list, and the server what it shows: only the entry that was agreed to is signed.
    if (opened.change !== change || JSON.stringify(opened.member) !== JSON.stringify(member))
      throw new RefusalError("used");
    const { list } = opened;
    const signed = await operations.signEntry({
      ...{ organizationId, list: toListToCheck(list), change: { change, member }, signerId },
    });
    if (signed instanceof RefusalError) throw signed;
    try {
      await api.addEntry(signed.entry, list.list.head);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tries === triesMax) throw error;
    }
  }
}
