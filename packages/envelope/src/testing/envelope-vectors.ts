import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { EnvelopeHead, OtherHead, PublishedKey } from "../envelope-checks.ts";
import type { EnvelopeReason } from "../refusal.ts";
import { EnvelopeMaker } from "./envelope-maker.ts";
import { formerOwnersEnvelopes } from "./former-owners-envelopes.ts";
import type { FormerOwner } from "./list-maker.ts";
import { openedEnvelopes } from "./opened-envelopes.ts";
import type { KeyName } from "./people.ts";
import { refusedEnvelopes } from "./refused-envelopes.ts";

/** One entry of vectors/envelopes.json. */
export interface EnvelopeVector {
  readonly name: string;
  /** Base64. */
  readonly envelope: string;
  /** Who opens it: a name of personal-keys.json. */
  readonly reader: KeyName;
  readonly formId: FormId;
  readonly firstVersion: number;
  /** The number under which the service keeps it. */
  readonly revision: number;
  /** The heads of the form's key log that are known. */
  readonly keyLog?: readonly KeyLogHead[];
  /** A list of signed-lists.json, by its name. */
  readonly list: ListName;
  /** The form's public keys, where the service's list is known. */
  readonly published?: readonly PublishedKey[];
  readonly newest?: EnvelopeHead;
  /** The heads of the form's other envelopes that were seen. */
  readonly others?: readonly OtherHead[];
  /** `newest` stands for a refused revision that was passed over. */
  readonly isPassed?: boolean;
  /** An envelope below this one was refused. */
  readonly isAboveRefused?: boolean;
  /** Somebody has put aside what was seen of the form. */
  readonly isForgotten?: boolean;
  readonly outcome: "opened" | EnvelopeReason;
  /** For vectors that open. */
  readonly head?: EnvelopeHead;
  readonly outdated?: readonly string[];
  readonly isByFormer?: boolean;
}

export type ListName =
  | "a council"
  | "a year of a council"
  | "members are taken out and let in again"
  | "a member who was let in again has other keys"
  | "two owners"
  | FormerOwner
  | "hybrid keys"
  | "vouched for by a recovery key that signs";

/** vectors/envelopes.json; what is the same in `existing` but for what age draws stays. */
export async function envelopeVectors(existing: readonly EnvelopeVector[]): Promise<readonly EnvelopeVector[]> {
  const maker = new EnvelopeMaker(existing);
  const opened = await openedEnvelopes(maker);
  const [first] = opened;
  if (first === undefined) throw new Error("There are some");
  return [
    ...opened,
    ...(await refusedEnvelopes(maker, first, existing)),
    ...(await formerOwnersEnvelopes(maker, first)),
  ];
}
