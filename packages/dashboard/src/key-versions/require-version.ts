import { FarVersionError } from "@sealpost/envelope";
import { findVersion } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { explainKeyLog } from "../envelopes/continue-key-log.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";

/** A number that the server alone names is asked about where nothing else is near it. */
export async function requireVersion(
  context: EnvelopeContext,
  { envelopes }: Pick<OpenedForm, "envelopes">,
  formId: FormId,
  confirmed: number | undefined,
): Promise<void> {
  const confirm = async (newest: number, known: number) => {
    if (newest !== confirmed) throw new FarVersionError({ newest, known, isLogged: false });
  };
  await explainKeyLog(findVersion(context, formId, envelopes, confirm), confirmed ?? 0);
}
