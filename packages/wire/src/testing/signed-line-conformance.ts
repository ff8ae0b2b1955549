import type { verifyKeyLog } from "../key-log.ts";
import { extensionsBytesMax } from "../signed-line.ts";
import { type ExtensionCase, extensionCases, withExtensions } from "./extension-cases.ts";
import { createOneEntryLog } from "./key-log-maker.ts";

export const signedLineCases: readonly ExtensionCase[] = extensionCases(extensionsBytesMax);

/** The outcome of a log of one entry that has these extensions, and is signed as it should be. */
export async function tryOnKeyLog(
  verify: typeof verifyKeyLog,
  texts: ExtensionCase,
): Promise<ExtensionCase["outcome"] | string> {
  const { formId, log } = await createOneEntryLog((line) => withExtensions(line, texts));
  const verified = await verify(new TextEncoder().encode(log), { formId });
  return typeof verified === "string" ? verified : "taken";
}
