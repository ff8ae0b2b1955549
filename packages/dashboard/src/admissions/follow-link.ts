import { type AdmissionLink, followList, RefusalError, type SeenHeads, type VerifiedList } from "@sealpost/envelope";

/** A list that a server shows with a link, whose head says which one it has to be. */
export interface ListOfLink {
  readonly link: AdmissionLink;
  readonly organizationId: string;
  /** The list, and the file of names next to it, as they were received. */
  readonly listText: string;
  readonly namesText: string;
}

/**
 * The list, from the link's head or a newer one that was seen. For a link that was answered: `heads` remember it from then on, and nothing of one that was
 * looked at. Rejects with a `RefusalError`.
 */
export async function followLink(
  { link, organizationId, listText, namesText }: ListOfLink,
  heads: SeenHeads,
  isLookedAt = false,
): Promise<VerifiedList> {
  const fetchText = (text: string) => async () => new TextEncoder().encode(text);
  const source = {
    ...{ organizationId, trust: { head: link.head } },
    heads: isLookedAt ? { ...heads, ...keepingNothing } : heads,
    ...{ fetchList: fetchText(listText), fetchNames: fetchText(namesText) },
  };
  const followed = await followList(source);
  if (followed.kind === "checked") return followed.list;
  throw new RefusalError(followed.kind === "none" ? "old_list" : toReason(followed.reason));
}

const keepingNothing: Pick<SeenHeads, "advanceList" | "keepEntries" | "keepList"> = {
  advanceList: async () => true,
  keepEntries: async () => {},
  keepList: async () => {},
};

function toReason<Reason extends string>(reason: Reason | "hidden_list"): Exclude<Reason, "hidden_list"> | "old_list" {
  return reason === "hidden_list" ? "old_list" : (reason as Exclude<Reason, "hidden_list">); // just asked
}
