import { findSealable, followList } from "@sealpost/envelope";
import type { EnvelopeContext } from "./context.ts";
import { findSelf } from "./find-self.ts";
import type { CheckedList } from "./load-list.ts";
import { findFirstTrust } from "./own-head.ts";

/** A person whose key may be locked. `own`: its public halves, at the first sight by the server's word. */
export type Locked = Pick<EnvelopeContext, "organizationId" | "personId" | "own" | "heads" | "api">;

/**
 * The list before the key is unlocked: to say that something waits, and for nothing else. This browser remembers nothing of it. `undefined` where
 * unlocking has to say first what is wrong with it.
 */
export async function previewList({ heads, ...person }: Locked): Promise<CheckedList | undefined> {
  const { organizationId, personId, own, api } = person;
  const isFirst = (await heads.findList(organizationId)) === undefined;
  // Both at once, where there is a signed head to ask for.
  const [trust, whole] = await Promise.all([findFirstTrust({ ...person, heads }), isFirst && api.fetchList()]);
  if ("reason" in trust) return undefined;
  const followed = await followList({
    ...{ organizationId, trust, fetchFrom: api.fetchFrom, fetchNames: api.fetchNames },
    fetchList: async () => (whole === false ? api.fetchList() : whole),
    heads: { ...heads, advanceList: async () => true, keepEntries: async () => {}, keepList: async () => {} },
  });
  if (followed.kind !== "checked" || followed.isForReading) return undefined;
  const { list, bytes, names } = followed;
  const member = findSelf(list, { own, personId });
  if (member?.recipient !== own.recipient || member.signingKey !== own.signingKey) return undefined;
  const confirmed = await heads.findConfirmed(organizationId);
  const sealable = await findSealable(list, { own, confirmed });
  return { kind: "checked", list, bytes, names, own: member, confirmed, sealable };
}
