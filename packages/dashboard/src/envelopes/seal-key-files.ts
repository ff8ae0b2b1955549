import type { RefusalError } from "@sealpost/envelope";
import { createKeyFile, keyFileName } from "@sealpost/sdk";
import { type EnvelopeToOpen, identitiesOf, type KeyInUse, orRefusal, readEnvelope } from "@sealpost/sdk/envelopes";
import { answerAge } from "@sealpost/vault";
import type { Bytes } from "./bytes.ts";

export interface KeyFilesToSeal extends EnvelopeToOpen {
  readonly formName: string;
  readonly passphrase: string;
  /** When each version was made. */
  readonly createdAt: ReadonlyMap<number, number>;
}

export interface SealedKeyFile {
  readonly version: number;
  readonly name: string;
  readonly file: Bytes;
}

/** The keys of an envelope as key files, each protected with a passphrase before it leaves the thread that opened the envelope. */
export function sealKeyFiles(
  key: KeyInUse,
  { formName, passphrase, createdAt, ...request }: KeyFilesToSeal,
): Promise<readonly SealedKeyFile[] | RefusalError> {
  return orRefusal(async () => {
    const { content } = await readEnvelope(identitiesOf(key), request);
    const files: SealedKeyFile[] = [];
    for (const { version, privateKey, hybridPrivateKey, seed } of content.keys) {
      const file = await createKeyFile({
        formId: content.formId,
        formName,
        keyVersion: version,
        createdAt: createdAt.get(version) ?? Date.parse(content.writtenAt),
        ...{ privateKey, seed },
        ...(hybridPrivateKey && { hybridPrivateKey }),
      });
      const answer = await answerAge({ act: "encrypt", plain: `${JSON.stringify(file, null, 2)}\n`, passphrase });
      if (answer.outcome !== "encrypted") throw new Error("The key file could not be protected");
      files.push({ version, name: `${keyFileName(formName, version)}.age`, file: answer.file });
    }
    return files;
  });
}
