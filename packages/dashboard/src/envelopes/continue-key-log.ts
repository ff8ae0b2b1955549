import { KeyLogProblemError, toLoggedKey } from "@sealpost/envelope";
import { createNextEntry, EnvelopeProblemError } from "@sealpost/sdk/envelopes";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";

const { envelopes: texts, keyLog: keyLogTexts } = text;

/** The open key can't continue the form's key log; the message says why. */
export class KeyLogError extends Explained {}

/** Throws where the form was seen in another organization, whose owners and managers would sign for it from then on. */
export async function requireOwnForm(
  { heads, organizationId }: Pick<EnvelopeContext, "heads" | "organizationId">,
  formId: FormId,
): Promise<void> {
  if (!(await heads.claimForm(formId, organizationId))) throw new KeyLogError(keyLogTexts.moved);
}

/** The entry of a new key in the form's key log; `undefined` where the form has none. Without a list the signers stay unchanged. */
export async function continueKeyLog(
  context: EnvelopeContext,
  list: CheckedList | undefined,
  formId: FormId,
  key: Parameters<typeof toLoggedKey>[1],
  named: KeyLogHead | null = null,
): Promise<string | undefined> {
  const logged = await toLoggedKey(formId, key);
  const findList = async () => {
    await requireOwnForm(context, formId);
    return list;
  };
  return explainKeyLog(createNextEntry(context, findList, formId, logged, named), key.version);
}

/** Says in a sentence what is wrong with a key log. */
export async function explainKeyLog<Answer>(work: Promise<Answer>, version: number): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyLogProblemError) throw new KeyLogError(describeKeyLogProblem(error.reason, version));
    if (error instanceof EnvelopeProblemError && error.problem === "moved_form")
      throw new KeyLogError(keyLogTexts.moved);
    throw error;
  }
}

/** A sentence that says what is wrong, and what to do. */
export function describeKeyLogProblem(reason: KeyLogProblemError["reason"], version: number): string {
  if (reason === "overtaken") return texts.rotate.changed(version);
  if (reason === "no_signer") return texts.rotate.noKeyLogSigner;
  if (isObstacle(reason)) return texts.rotate.managers[reason];
  return `${keyLogTexts.refused[reason]}. ${keyLogTexts.nothingChanged}`;
}

function isObstacle(reason: KeyLogProblemError["reason"]): reason is keyof typeof texts.rotate.managers {
  return Object.hasOwn(texts.rotate.managers, reason);
}
