import { type FormKey, type SeenKey, toLoggedKey } from "@sealpost/envelope";
import { followFormKeyLog } from "@sealpost/sdk/envelopes";
import { type FormId, hashVersionSeed, type LoggedKey } from "@sealpost/wire";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
import type { EnvelopeContext } from "./context.ts";
import { describeKeyLogProblem, KeyLogError } from "./continue-key-log.ts";

const { envelopes: texts } = text;

/** A key may not be put into an envelope here, and nothing was sent; the message says why, and what to do. */
export class KeyNotPutInError extends Explained {}

/**
 * Throws a `KeyLogError` where the form's key log may not be used, and a `KeyNotPutInError` where one of these keys, its seed included, is another than the service lists, the form's key log names, or this device has seen as published: what
 * is in an envelope stays there. SPECIFICATION.md section 15, "Keys that are put in".
 */
export async function compareBrought(
  context: Pick<EnvelopeContext, "api" | "heads">,
  formId: FormId,
  keys: readonly FormKey[],
): Promise<void> {
  const [published, followed, seen] = await Promise.all([
    context.api.fetchKeys(formId),
    followFormKeyLog(context, formId),
    context.heads.findEnvelopes(formId),
  ]);
  if (followed.kind === "refused") throw new KeyLogError(describeKeyLogProblem(followed.reason, 0));
  const entries = followed.kind === "checked" ? followed.log.entries : [];
  for (const key of keys) {
    const { version } = key;
    const listed = published.find((one) => one.version === version);
    const logged = entries.find((entry) => entry.key.version === version)?.key;
    const own = seen.heads.flatMap((head) => head.keys).find((one) => one.version === version && one.isPublished);
    const isOther =
      listed?.fingerprint !== key.fingerprint ||
      !(logged === undefined ? hasListedHybrid(key, listed) : isLogged(key, logged)) ||
      (own !== undefined && own.fingerprint !== key.fingerprint);
    if (isOther) throw new KeyNotPutInError(texts.bring.otherKey(version));
    if (logged !== undefined && !(await hasReplyKey(formId, key, logged)))
      throw new KeyNotPutInError(texts.bring.otherSeed.logged(version));
    if (own !== undefined && !(await hasSeed(formId, key, own)))
      throw new KeyNotPutInError(texts.bring.otherSeed.seen(version));
  }
}

interface ListedKey {
  readonly hybridFingerprint?: string | undefined;
}

/** The log decides about it where it names the version. */
function hasListedHybrid({ hybridFingerprint }: FormKey, listed: ListedKey): boolean {
  return listed.hybridFingerprint === undefined || listed.hybridFingerprint === hybridFingerprint;
}

function isLogged({ fingerprint, hybridFingerprint }: FormKey, logged: LoggedKey): boolean {
  return logged.fingerprint === fingerprint && logged.hybridFingerprint === hybridFingerprint;
}

async function hasReplyKey(formId: FormId, key: FormKey, { replyKey }: LoggedKey): Promise<boolean> {
  return replyKey === null || (await toLoggedKey(formId, key)).replyKey === replyKey;
}

/** A seed that the log names otherwise is not remembered: the right one takes its place. */
async function hasSeed(formId: FormId, { seed, version }: FormKey, { seedHash }: SeenKey): Promise<boolean> {
  return seedHash === null || (await hashVersionSeed(seed, { formId, version })) === seedHash;
}
