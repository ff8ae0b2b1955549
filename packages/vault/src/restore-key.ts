import type { PublicHalves } from "@sealpost/envelope";
import type { SeenKeys } from "./seen-keys.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface KeyRestoring {
  readonly seenKeys: Pick<SeenKeys, "findFormerKeys" | "rememberPublicHalves">;
  readonly personId: string;
  /** The key to bring back, as the server names it. */
  readonly former: PublicHalves;
  /** Seals the open key for a recipient; `undefined` where none is open. */
  readonly sealFor: ((recipient: string) => Promise<Bytes>) | undefined;
  readonly send: (formerCopy: Bytes | undefined) => Promise<unknown>;
}

/**
 * Brings a former key back. Anyone who holds a session can leave a key of theirs among the former ones, and a server can name any: so the open key is
 * sealed for none that this browser has not seen as the person's own, and such a one is not remembered as theirs before its copies have been unlocked.
 */
export async function restoreKey({ seenKeys, personId, former, sealFor, send }: KeyRestoring): Promise<void> {
  const { recipient, signingKey } = former;
  const isSeen = await isFormerKey(seenKeys, personId, former);
  await send(isSeen ? await sealFor?.(recipient) : undefined);
  if (isSeen) await seenKeys.rememberPublicHalves(personId, { recipient, signingKey });
}

/** Whether this browser has seen another key of the person in the place of this one. */
export async function isFormerKey(
  seenKeys: Pick<SeenKeys, "findFormerKeys">,
  personId: string,
  key: PublicHalves,
): Promise<boolean> {
  const seen = await seenKeys.findFormerKeys(personId);
  return seen.some(({ recipient, signingKey }) => recipient === key.recipient && signingKey === key.signingKey);
}
