import type { KeyPair } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import { createKeyFile } from "../key-file.ts";
import { type Context, say } from "./context.ts";
import type { ReservedKeyFile } from "./private-key-files.ts";

/** What the help of each command that makes a key pair says about it. */
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
