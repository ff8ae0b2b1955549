import { findMeant, RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { openCopy } from "@sealpost/vault";
import { Explained, FieldRefused } from "../api/describe-error.ts";
import { sessionApi } from "../api/session-api.ts";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { text } from "../texts/text.ts";
import { personalKeyApi } from "./personal-key-api.ts";
import { refuseKeyWords } from "./refuse-key-words.ts";
import { startKeyWorker } from "./start-key-worker.ts";

const { ownPassphrase } = text;

/**
 * The same where nobody may be signed in, as with the link of an email: then no copy can be fetched, and nothing is refused. Nor where the session
 * has ended or would have to be confirmed first, with the password that was forgotten, say. Whatever else keeps the copies away is an error.
 */
export async function refuseKeyPassphraseIfSignedIn(newPassword: string): Promise<void> {
  await refuseKeyWords(newPassword, "newPassword");
  const session = await sessionApi.find();
  if (session === null) return;
  await refuseKeyPassphrase(newPassword, session.user.id).catch((error: unknown) => {
    if (!isSessionTooWeak(error)) throw error;
  });
}

function isSessionTooWeak(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 401 || error.reason === "session_stale" || error.reason === "passkey_needed";
}

/**
 * Refuses a new sign-in password that opens a copy of the person's own key, before it is sent: the service sees passwords, and has the
 * copies. Each is tried here, in a worker, which takes a second. The error is that of the field `newPassword`. Where the server shows no key at
 * all, and this browser has seen one, nothing was compared: that is an error too.
 */
export async function refuseKeyPassphrase(newPassword: string, personId: string): Promise<void> {
  await refuseKeyWords(newPassword, "newPassword");
  const { personalKey, copies } = await personalKeyApi.find();
  if (personalKey === null && (await (await loadSeenKeys()).findPublicHalves(personId)) !== undefined)
    throw new Explained(ownPassphrase.keyHidden);
  const tried =
    personalKey === null ? [] : copies.filter((copy) => copy.way === "passphrase" && copy.removedAt === null);
  if (tried.length === 0) return;
  const worker = startKeyWorker();
  try {
    for (const { id } of tried) {
      const file = await personalKeyApi.loadFile(id);
      for (const passphrase of findMeant(newPassword))
        if (await opens(openCopy(worker, { file, secret: { passphrase }, expected: undefined }))) throw opensKey();
    }
  } finally {
    worker.end();
  }
}

async function opens(opening: Promise<unknown>): Promise<boolean> {
  try {
    await opening;
    return true;
  } catch (error) {
    if (error instanceof RefusalError) return false;
    throw error;
  }
}

/** As the service would refuse it. */
function opensKey(): FieldRefused {
  return new FieldRefused("newPassword", ownPassphrase.newPasswordOpens);
}
