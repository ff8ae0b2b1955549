import {
  createKeyFile,
  fingerprint,
  generateKeyPair,
  keyFileName,
  type OpeningKey,
  openSubmission,
} from "@sealpost/sdk";
import { createId, type PublicKey, type SealedPayload, seal } from "@sealpost/wire";
import { protectWithPassphrase } from "./age.ts";

/** A key pair that was just made here. `text` holds the only private half; it lives until the owner has saved it. */
export interface NewKey {
  readonly publicKey: PublicKey;
  readonly fingerprint: string;
  readonly keyVersion: number;
  readonly createdAt: number;
  /** The content of the key file, JSON. */
  readonly text: string;
  readonly fileName: string;
}

export interface NewKeyLabel {
  /** Unknown for a form that is yet to be created: then the fingerprint alone says where the key belongs. */
  readonly formId?: string;
  readonly formName: string;
  readonly keyVersion: number;
}

/** Makes a key pair in this browser. The private half is in the file's text and nowhere else. */
export async function makeKey({ formId, formName, keyVersion }: NewKeyLabel): Promise<NewKey> {
  const { publicKey, privateKey } = await generateKeyPair();
  const createdAt = Date.now();
  const file = await createKeyFile({
    ...(formId !== undefined && { formId }),
    formName,
    keyVersion,
    createdAt,
    privateKey,
  });
  return {
    publicKey,
    fingerprint: await fingerprint(publicKey),
    keyVersion,
    createdAt,
    text: `${JSON.stringify(file, null, 2)}\n`,
    fileName: keyFileName(formName, keyVersion),
  };
}

/** Hands the key file to the browser's downloads, as an age file when there is a passphrase. Gives the file's name. */
export async function downloadKey(key: NewKey, passphrase: string | undefined): Promise<string> {
  const content = passphrase === undefined ? key.text : await protectWithPassphrase(key.text, passphrase);
  const name = passphrase === undefined ? key.fileName : `${key.fileName}.age`;
  download(name, content);
  return name;
}

/** A download that no browser takes for a page. */
export function download(name: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of the bytes when the click returns, but Safari only a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Seals a fresh value to the public half and opens it with the key that the owner brought back: whether the copy is good. */
export async function provesKey(
  { publicKey, keyVersion }: Pick<NewKey, "publicKey" | "keyVersion">,
  { cryptoKey, fingerprint: own }: OpeningKey,
): Promise<boolean> {
  const [formId, submissionId] = [createId("form"), createId("submission")];
  const value = crypto.randomUUID();
  const payload: SealedPayload = await seal({ value }, { formId, keyVersion, submissionId }, publicKey);
  const opened = await openSubmission(formId, { id: submissionId, payload, keyVersion }, [
    { cryptoKey, fingerprint: own },
  ]);
  return opened.opened && opened.fields.value === value;
}
