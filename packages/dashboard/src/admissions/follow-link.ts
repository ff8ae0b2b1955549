import { type AdmissionLink, followList, RefusalError, type VerifiedList } from "@sealpost/envelope";
import type { Heads } from "../envelopes/heads.ts";

/** A list that a server shows with a link, whose head says which one it has to be. */
export interface ListOfLink {
  readonly link: AdmissionLink;
  readonly organizationId: string;
  /** The list, and the file of names next to it, as they were received. */
  readonly listText: string;
  readonly namesText: string;
}

/** The list, from the link's head or a newer one that was seen; `heads` remember it from then on. Rejects with a `RefusalError`. */
export async function followLink(
  { link, organizationId, listText, namesText }: ListOfLink,
  heads: Heads,
): Promise<VerifiedList> {
  const fetchText = (text: string) => async () => new TextEncoder().encode(text);
  const source = {
    ...{ organizationId, heads, trust: { head: link.head } },
    ...{ fetchList: fetchText(listText), fetchNames: fetchText(namesText) },
  };
  const followed = await followList(source);
  if (followed.kind === "checked") return followed.list;
  throw new RefusalError(followed.kind === "none" ? "old_list" : toReason(followed.reason));
}

function toReason<Reason extends string>(reason: Reason | "hidden_list"): Exclude<Reason, "hidden_list"> | "old_list" {
  return reason === "hidden_list" ? "old_list" : (reason as Exclude<Reason, "hidden_list">); // just asked
}
