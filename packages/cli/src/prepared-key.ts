import { createKeyFile, type KeyFile, keyFileName, publicKeysOf } from "@sealpost/sdk";
import { type FormId, isVersionSeed } from "@sealpost/wire";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { checkKeyFile, makeKeys } from "./new-key-file.ts";
import { printable } from "./printable.ts";
import { type NewKeys, type ReservedKeyFile, readKeyFile, reserveKeyFile } from "./private-key-files.ts";

/** A key pair that `forms rotate --prepare` has made and nobody uses yet. */
export interface PreparedKeys {
  readonly keyVersion: number;
  readonly made: NewKeys;
  readonly file: ReservedKeyFile;
}

interface ToPrepare {
  readonly formId: string;
  readonly formName: string;
  readonly keyVersion: number;
  readonly hybrid: boolean;
  readonly keyFile: string | undefined;
}

/** Makes the keys of the form's next version, and writes the whole key file. Nothing is sent. */
export async function prepareKeys(
  context: Context,
  { formId, formName, keyVersion, hybrid, keyFile }: ToPrepare,
): Promise<PreparedKeys> {
  const made = await makeKeys({ hybrid });
  const file = await reserveKeyFile(context, keyFile ?? keyFileName(formName, keyVersion), made);
  const { rsa, seed } = made;
  const label = { formId, formName, keyVersion, createdAt: context.now() };
  const hybridPrivateKey = made.hybrid && { hybridPrivateKey: made.hybrid.privateKey };
  await file.complete(await createKeyFile({ ...label, privateKey: rsa.privateKey, ...hybridPrivateKey, seed }));
  await checkKeyFile(file, made);
  return { keyVersion, made, file };
}

/** The keys of such a file, which stays as it was whatever becomes of the rotation. Throws for another form's. */
export async function readPreparedKeys(context: Context, path: string, formId: string): Promise<PreparedKeys> {
  const { path: absolute, content } = await readKeyFile(context, path);
  const { formId: preparedFor, keyVersion, privateKey, hybridPrivateKey, seed } = content as Partial<KeyFile>; // it was read as a key file
  if (preparedFor === undefined || keyVersion === undefined || privateKey === undefined || !isVersionSeed(seed))
    throw new CommandError("usage", `${path} was not written by --prepare: it does not say for which form and version`);
  if (preparedFor !== (formId as FormId))
    throw new CommandError("usage", `The key in ${path} was prepared for another form, ${printable(preparedFor)}`);
  const { publicKey, hybridPublicKey } = publicKeysOf(privateKey, hybridPrivateKey);
  return {
    keyVersion,
    made: {
      rsa: { publicKey, privateKey },
      ...(hybridPublicKey &&
        hybridPrivateKey && { hybrid: { publicKey: hybridPublicKey, privateKey: hybridPrivateKey } }),
      seed,
    },
    file: { path: absolute, complete: async () => undefined, discard: async () => undefined },
  };
}

/** Ends the command where a prepared key is for another version than the form's next one. */
export function refuseOtherVersion({ file, keyVersion }: PreparedKeys, next: number): never {
  throw new CommandError(
    "usage",
    `The key in ${file.path} was prepared for key version ${keyVersion}, and the form's next is ${next}: prepare another. Nothing was changed`,
  );
}

/** For a command that is given again after its answer was lost. */
export function sayAlready(context: Context, keyVersion: number): void {
  say(context, `The form has this key already, as version ${keyVersion}. Nothing was sent.`);
}
