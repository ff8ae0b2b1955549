import { readFile } from "node:fs/promises";
import { ApiError, type CallOptions, type Client, createKeyFile, openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { createId, type KeyPair, type PublicKey, seal } from "@sealpost/wire";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import type { ReservedKeyFile } from "./private-key-files.ts";

/** Help text of each command that makes a key pair. */
export const keyFileNote =
  "The key pair is made on this machine: the server only gets the public key. The private key is written to a new file that only you " +
  "can read, before anything is sent. Without this file nobody can open what is submitted: keep a copy of it in a safe place.";

/** Runs `use`, and keeps the key file unless it is certain that the server did not take the public key. */
export async function keepUnlessRefused<Result>(
  context: Context,
  file: ReservedKeyFile,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) await file.discard();
    else say(context, `It is not known whether the server took the key: the private key stays in ${file.path}`);
    throw error;
  }
}

/** Writes the whole key file once the server has said what the key belongs to. */
export async function completeKeyFile(
  file: ReservedKeyFile,
  { privateKey }: KeyPair,
  label: { formId: string; formName: string; keyVersion: number; createdAt: number },
): Promise<void> {
  await file.complete(await createKeyFile({ ...label, privateKey }));
}

/**
 * Reads the written file back, opens a test value with it and tells the server that it did, which otherwise warns that
 * perhaps nobody has the key. Not being able to tell it is no reason to fail: the form and its key are there.
 */
export async function proveKeyFile(
  client: Client,
  file: ReservedKeyFile,
  { publicKey }: KeyPair,
  { formId, keyVersion }: { readonly formId: string; readonly keyVersion: number },
  options: CallOptions,
): Promise<void> {
  const key = await parseOpeningKey(JSON.parse(await readFile(file.path, "utf8")), file.path);
  const submission = { formId: createId("form"), submissionId: createId("submission"), keyVersion };
  const payload = await seal({ test: "value" }, submission, publicKey);
  const opened = await openSubmission(submission.formId, { id: submission.submissionId, payload, keyVersion }, [
    { cryptoKey: key.cryptoKey, fingerprint: key.fingerprint },
  ]);
  if (!opened.opened) throw new CommandError("unavailable", `The key in ${file.path} does not open a test value`);
  await client.forms.proveKey(formId, keyVersion, options).catch(() => undefined);
}

/** Ends the command when the server's own answer names another public key than the one made here. A server may also lie in it. */
export function checkKeyTaken(
  { publicKey }: KeyPair,
  answered: Partial<PublicKey> | undefined,
  file: ReservedKeyFile,
): void {
  if (answered?.n === publicKey.n && answered.e === publicKey.e) return;
  throw new CommandError(
    "unavailable",
    `The server took another public key than the one made here: anyone who has its private key can read what is submitted. Do not use this form. The key made here is in ${file.path}`,
  );
}
