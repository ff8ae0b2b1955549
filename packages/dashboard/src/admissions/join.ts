import {
  type AdmissionLink,
  answerAdmission,
  followList,
  organizationOfTerms,
  type PublicHalves,
  parseAdmissionLink,
  RefusalError,
  readAdmission,
  type VerifiedTerms,
} from "@sealpost/envelope";
import { client } from "../api/client.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { withFreshSession } from "../session/fresh-session.tsx";

/** Terms that were checked against the link: from its head the list, by the list their maker. */
export interface SeenAdmission extends VerifiedTerms {
  readonly text: string;
  readonly link: AdmissionLink;
  /** By the server's word. */
  readonly organizationName: string;
  readonly isAnswered: boolean;
}

/** Rejects with a `RefusalError` where the server shows something else than the link is for. The list's head is remembered from now on. */
export async function seeAdmission(fragment: string): Promise<SeenAdmission> {
  const link = parseAdmissionLink(fragment);
  if (link === undefined) throw new RefusalError("wrong_link");
  const { terms: text, list, organization, answeredAt } = await client.admissions.getOwn(link.admissionId);
  const organizationId = organizationOfTerms(text);
  if (organizationId === undefined) throw new RefusalError("malformed");
  const bytes = new TextEncoder().encode(list);
  const followed = await followList({
    ...{ organizationId, heads: await loadHeads(), trust: { head: link.head } },
    fetchList: async () => bytes,
  });
  if (followed.kind !== "checked")
    throw new RefusalError(followed.kind === "none" ? "old_list" : toReason(followed.reason));
  const seen = await readAdmission(text, link, followed.list);
  if (seen instanceof RefusalError) throw seen;
  return { ...seen, text, link, organizationName: organization.name, isAnswered: answeredAt !== null };
}

function toReason<Reason extends string>(reason: Reason | "hidden_list"): Exclude<Reason, "hidden_list"> | "old_list" {
  return reason === "hidden_list" ? "old_list" : (reason as Exclude<Reason, "hidden_list">); // just asked
}

/** Answers with the public halves of the open key. The link's secret stays here. */
export async function sendAnswer({ text, link }: SeenAdmission, personId: string, halves: PublicHalves): Promise<void> {
  const { recipient, signingKey } = halves;
  const { proof } = await answerAdmission(text, link, { personId, recipient, signingKey });
  await withFreshSession(() => client.admissions.answer(link.admissionId, { recipient, signingKey, proof }));
}
