import type { PublicHalves } from "@sealpost/envelope";

/** The keys of persons that this browser has seen, by their public halves. */
export interface SeenKeys {
  findPublicHalves(personId: string): Promise<PublicHalves | undefined>;
  /** The keys in the place of which this browser has seen another, the oldest first. */
  findFormerKeys(personId: string): Promise<readonly PublicHalves[]>;
  rememberPublicHalves(personId: string, halves: PublicHalves): Promise<void>;
}
