import { RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { sessionApi } from "../api/session-api.ts";
import { ownPassphrase } from "../texts/english/own-passphrase.ts";
import { openCopy } from "./key-worker.ts";
import { findMeant } from "./passphrase.ts";
import { personalKeyApi } from "./personal-key-api.ts";
import { startKeyWorker } from "./start-key-worker.ts";

/** The same where nobody may be signed in, as with the link of an email: then no copy can be fetched, and nothing is refused. */
export async function refuseKeyPassphraseIfSignedIn(newPassword: string): Promise<void> {
  if ((await sessionApi.find()) === null) return;
  await refuseKeyPassphrase(newPassword).catch((error: unknown) => {
    if (error instanceof ApiError && error.details?.newPassword !== undefined) throw error;
  });
}

/**
 * Refuses a new sign-in password that opens a copy of the person's own key, before it is sent: the service sees passwords, and has the
 * copies. Each is tried here, in a worker, which takes a second. The error is that of the field `newPassword`.
 */
export async function refuseKeyPassphrase(newPassword: string): Promise<void> {
  const { personalKey, copies } = await personalKeyApi.find();
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
function opensKey(): ApiError {
  const { newPasswordOpens } = ownPassphrase;
  return new ApiError(newPasswordOpens, {
    status: 400,
    code: "bad_request",
    details: { newPassword: newPasswordOpens },
  });
}
