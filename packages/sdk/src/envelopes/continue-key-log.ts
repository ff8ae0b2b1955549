import {
  continueFormLog,
  type FollowedKeyLog,
  findKeyLogSigners,
  followKeyLog,
  KeyLogProblemError,
  RefusalError,
  renewSigners as renewLogSigners,
  toLoggedKey,
} from "@sealpost/envelope";
import {
  encodeText,
  type FormId,
  type KeyLogEntry,
  type KeyLogHead,
  type LoggedKey,
  verifyKeyLog,
} from "@sealpost/wire";
import type { OpeningKey } from "../open.ts";
import type { EnvelopeClient, KnownList } from "./envelope-client.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import { isHeld } from "./held-key.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type KeyToLog = Parameters<typeof toLoggedKey>[1];
type LogReader = Pick<EnvelopeClient, "heads"> & { readonly api: Pick<EnvelopeClient["api"], "fetchKeyLog"> };

/** The form's key log, compared with what this device has seen of it, and with the entry that a revision names which was opened. */
export function followFormKeyLog(
  { api, heads }: LogReader,
  formId: FormId,
  named: KeyLogHead | null = null,
): Promise<FollowedKeyLog> {
  return followKeyLog({ formId, heads, named, fetchKeyLog: () => api.fetchKeyLog(formId) });
}

/**
 * The first entry of a form that is being made, so that no rotation of it needs a new snippet; and the head that it is, to remember once it was sent. Rejects
 * with a `KeyLogProblemError`.
 */
export async function createFirstEntry(
  { keyAgent, own }: Pick<EnvelopeClient, "keyAgent" | "own">,
  { list }: KnownList,
  formId: FormId,
  key: KeyToLog,
): Promise<{ readonly entry: string; readonly head: KeyLogHead }> {
  const logged = await toLoggedKey(formId, key);
  const signers = findKeyLogSigners(list, own.signingKey);
  const signed = await keyAgent.signKeyLogEntry({ formId, log: new Uint8Array(), key: logged, signers });
  if (signed instanceof RefusalError) throw new KeyLogProblemError("no_signer");
  const log = await verifyKeyLog(encodeText(signed.entry), { formId });
  if (typeof log === "string") throw new KeyLogProblemError(log);
  return { entry: signed.entry, head: log.head };
}

/**
 * The entry of a new key in the form's key log, which has to contain what this device has seen of it, and what the form's newest envelope names, `named`;
 * `undefined` where the form has none. An owner's names who may sign by now, by the signed list: who has left may not. A manager's, and one without a list,
 * leaves the signers unchanged. `findList` is asked where there is an entry to sign. Rejects with a `KeyLogProblemError`.
 */
export function createNextEntry<List extends KnownList>(
  client: Pick<EnvelopeClient, "heads" | "keyAgent" | "own"> & LogReader,
  findList: () => Promise<List | undefined>,
  formId: FormId,
  key: LoggedKey,
  named: KeyLogHead | null = null,
): Promise<string | undefined> {
  const { api, heads, keyAgent, own } = client;
  const source = { formId, heads, named, own: own.signingKey, fetchKeyLog: () => api.fetchKeyLog(formId) };
  const sign = async (log: Bytes, added: LoggedKey, before: KeyLogEntry) => {
    const known = await findList();
    if (known !== undefined) await requireOwnForm(client, formId, known.list.organizationId);
    const signers = known && findKeyLogSigners(known.list, own.signingKey, before);
    const signed = await keyAgent.signKeyLogEntry({ formId, log, key: added, ...(signers && { signers }) });
    return signed instanceof RefusalError ? signed : signed.entry;
  };
  return continueFormLog({ ...source, sign }, key);
}

/** Rejects where the form was seen in another organization, whose owners and managers would sign for it from then on. */
export async function requireOwnForm(
  { heads }: Pick<EnvelopeClient, "heads">,
  formId: FormId,
  organizationId: string,
): Promise<void> {
  if (!(await heads.claimForm(formId, organizationId))) throw new EnvelopeProblemError("moved_form");
}

/**
 * Names in the form's key log who may sign by now, where its newest entry says otherwise and has a key of the person as an owner, a former one too, or the
 * recovery key that is open: so that somebody who was brought in can rotate the form, and who left can't continue its log. Only where the entry's key is among
 * `held`, those that are open here. What is wrong with a log is said where it is shown.
 */
export async function renewSigners(
  { api, heads, keyAgent, own }: EnvelopeClient,
  { list }: KnownList,
  formId: FormId,
  followed: FollowedKeyLog,
  held: readonly OpeningKey[],
): Promise<void> {
  if (followed.kind !== "checked" || !isHeld(followed.log.entry.key, held)) return;
  await renewLogSigners({
    ...{ formId, heads, followed, list, own: own.signingKey },
    async sign(log, key, signers) {
      const signed = await keyAgent.signKeyLogEntry({ formId, log, key, signers });
      return signed instanceof RefusalError ? signed : signed.entry;
    },
    send: (entry, before) => api.addKeyLogEntry(formId, entry, before),
  });
}
