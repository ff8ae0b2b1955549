import type { PublicHalves } from "@sealpost/envelope";
import type { Bytes } from "../envelopes/bytes.ts";
import type { Heads } from "../envelopes/heads.ts";

export interface KeyRestoring {
  readonly heads: Heads;
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
export async function restoreKey({ heads, personId, former, sealFor, send }: KeyRestoring): Promise<void> {
  const { recipient, signingKey } = former;
  const isSeen = await isFormerKey(heads, personId, former);
  await send(isSeen ? await sealFor?.(recipient) : undefined);
  if (isSeen) await heads.rememberPublicHalves(personId, { recipient, signingKey });
}

/** Whether this browser has seen another key of the person in the place of this one. */
export async function isFormerKey(heads: Heads, personId: string, key: PublicHalves): Promise<boolean> {
  const seen = await heads.findFormerKeys(personId);
  return seen.some(({ recipient, signingKey }) => recipient === key.recipient && signingKey === key.signingKey);
}
