import { FarVersionError } from "@sealpost/envelope";
import {
  confirmRotation,
  findStuck,
  findVersion,
  isSameLoss,
  type LostKeys,
  LostKeysError,
  type ShownRotation,
  type VersionToMake,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { Explained } from "../api/describe-error.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { explainKeyLog } from "../envelopes/continue-key-log.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";
import { text } from "../texts/text.ts";

/** A person's answers to the questions about a rotation. */
export interface Confirmed {
  /** The server's newest version is right. */
  readonly version?: number | undefined;
  /** These keys may be lost. */
  readonly lost?: LostKeys | undefined;
  /** All revisions of an envelope are to be tried, however many there are. */
  readonly isThorough?: boolean | undefined;
}

/** A number that the server alone names is asked about where nothing else is near it. Gives the next version, and which keys are named. */
export async function requireVersion(
  context: EnvelopeContext,
  { envelopes }: Pick<OpenedForm, "envelopes">,
  formId: FormId,
  confirmed: number | undefined,
): Promise<VersionToMake> {
  const confirm = async (newest: number, known: number) => {
    if (newest !== confirmed) throw new FarVersionError({ newest, known, isLogged: false });
  };
  return explainKeyLog(findVersion(context, formId, envelopes, confirm), confirmed ?? 0);
}

/**
 * The same. Gives who will read with the new key, and who will not, and what the rotation loses, if anything, which is asked about. Rejects with a `LostKeysError`, and where something can be brought back, with a
 * sentence that says so, and with an `OvertakenError`.
 */
export async function requireConfirmed(
  context: EnvelopeContext,
  opened: Pick<OpenedForm<CheckedList>, "envelopes" | "refused" | "list">,
  formId: FormId,
  confirmed: Confirmed,
): Promise<ShownRotation | LostKeys> {
  const { list, refused } = opened;
  const { version, named } = await requireVersion(context, opened, formId, confirmed.version);
  if ((await findStuck(context, list, formId, refused, confirmed)) !== undefined)
    throw new Explained(text.formKeys.bringFirst);
  const { isThorough } = confirmed;
  const confirmLoss = async (lost: LostKeys) => {
    // Other versions, readers or another revision may have come since the question was answered.
    if (confirmed.lost === undefined || !isSameLoss(lost, confirmed.lost)) throw new LostKeysError(lost);
  };
  return confirmRotation(context, opened, formId, { version, named, isThorough }, { confirmLoss });
}
