import {
  createKeyFile,
  fingerprint,
  generateHybridKeyPair,
  generateKeyPair,
  type HybridKeyPair,
  hybridFingerprint,
  keyFileName,
  type OpeningKey,
  provesKey as opensTestValues,
  type PublicKeys,
} from "@sealpost/sdk";
import { loadHybridKem } from "@sealpost/vault";
import { createVersionSeed, type HybridPublicKey, type PublicKey } from "@sealpost/wire";
import { download } from "../browser/download.ts";
import { protectWithPassphrase } from "./age.ts";

/** A key pair that was just made here. `text` holds the only private half; it lives until the owner has saved it. */
export interface NewKey {
  readonly publicKey: PublicKey;
  readonly fingerprint: string;
  readonly keyVersion: number;
  readonly hybrid?: NewHybridKey;
  readonly createdAt: number;
  /** The content of the key file, JSON. */
  readonly text: string;
  readonly fileName: string;
}

/** The hybrid key of the same version; its private half is in the same file. */
export interface NewHybridKey {
  readonly publicKey: HybridPublicKey;
  readonly fingerprint: string;
}

export interface NewKeyLabel {
  /** Unknown for a form that is yet to be created: then the fingerprint alone says where the key belongs. */
  readonly formId?: string;
  readonly formName: string;
  readonly keyVersion: number;
}

/** Makes a key pair in this browser, or two. The private halves are in the file's text and nowhere else. */
export async function makeKey({ formId, formName, keyVersion }: NewKeyLabel, wantsHybrid: boolean): Promise<NewKey> {
  const { publicKey, privateKey } = await generateKeyPair();
  const pair = wantsHybrid ? await generateHybridKeyPair(await loadHybridKem()) : undefined;
  const createdAt = Date.now();
  const file = await createKeyFile({
    ...(formId !== undefined && { formId }),
    formName,
    keyVersion,
    createdAt,
    privateKey,
    ...(pair && { hybridPrivateKey: pair.privateKey }),
    seed: createVersionSeed(),
  });
  return {
    publicKey,
    fingerprint: await fingerprint(publicKey),
    keyVersion,
    ...(pair && { hybrid: await describe(pair) }),
    createdAt,
    text: `${JSON.stringify(file, null, 2)}\n`,
    fileName: keyFileName(formName, keyVersion),
  };
}

async function describe({ publicKey }: HybridKeyPair): Promise<NewHybridKey> {
  return { publicKey, fingerprint: await hybridFingerprint(publicKey) };
}

/** The public halves, as the API takes them. */
export function publicKeysOf({ publicKey, hybrid }: Pick<NewKey, "publicKey" | "hybrid">): PublicKeys {
  return { publicKey, ...(hybrid && { hybridPublicKey: hybrid.publicKey }) };
}

/** Hands the key file to the browser's downloads, as an age file when there is a passphrase. Gives the file's name. */
export async function downloadKey(key: NewKey, passphrase: string | undefined): Promise<string> {
  const content = passphrase === undefined ? key.text : await protectWithPassphrase(key.text, passphrase);
  const name = passphrase === undefined ? key.fileName : `${key.fileName}.age`;
  download(name, content);
  return name;
}

/** Whether the key that the owner brought back is a good copy of the private one, and whole. */
export async function provesKey(halves: PublicKeys, key: OpeningKey): Promise<boolean> {
  return opensTestValues(halves, key, halves.hybridPublicKey && (await loadHybridKem()));
}
