import { type AdmissionLink, followList, RefusalError, type VerifiedList } from "@sealpost/envelope";
import type { Heads } from "../envelopes/heads.ts";

/** A list that a server shows with a link, whose head says which one it has to be. */
export interface ListOfLink {
  readonly link: AdmissionLink;
  readonly organizationId: string;
  /** The list as it was received. */
  readonly listText: string;
}

/** The list, from the link's head or a newer one that was seen; `heads` remember it from then on. Rejects with a `RefusalError`. */
export async function followLink({ link, organizationId, listText }: ListOfLink, heads: Heads): Promise<VerifiedList> {
  const bytes = new TextEncoder().encode(listText);
  const source = { organizationId, heads, trust: { head: link.head }, fetchList: async () => bytes };
  const followed = await followList(source);
  if (followed.kind === "checked") return followed.list;
  throw new RefusalError(followed.kind === "none" ? "old_list" : toReason(followed.reason));
}

function toReason<Reason extends string>(reason: Reason | "hidden_list"): Exclude<Reason, "hidden_list"> | "old_list" {
  return reason === "hidden_list" ? "old_list" : (reason as Exclude<Reason, "hidden_list">); // just asked
}
