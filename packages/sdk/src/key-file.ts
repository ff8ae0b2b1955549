import { fingerprint, type HybridPrivateKey, hybridFingerprint, type PrivateKey } from "@sealpost/wire";
import { fileNameWords } from "./file-name.ts";

/** The contents of a key file (README, "Key files"): a private key, and all that says which submissions it opens. */
export interface KeyFile {
  readonly sealpost: "private-key";
  readonly version: 1;
  /** Absent when the key was saved before its form was created; the fingerprint says where it belongs. */
  readonly formId?: string;
  /** For people; the form may have been renamed since. */
  readonly formName?: string;
  readonly keyVersion: number;
  /** RFC 7638 thumbprint of the public half, base64url. */
  readonly fingerprint: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly privateKey: PrivateKey;
  /** Thumbprint of the public half of `hybridPrivateKey`; both are there where the key version has a hybrid key too. */
  readonly hybridFingerprint?: string;
  /** Opens what is sealed against quantum computers (`sp2`). A reader that does not know it still opens `sp1`. */
  readonly hybridPrivateKey?: HybridPrivateKey;
  /** Base64url of 32 bytes from which the version's reply key follows; absent where the version has none. As secret as the private keys. */
  readonly seed?: string;
}

/** The contents, as JSON, of the key file of a key pair, or of an RSA and a hybrid pair of one version, with its seed. */
export async function createKeyFile(
  key: Omit<KeyFile, "sealpost" | "version" | "fingerprint" | "hybridFingerprint">,
): Promise<KeyFile> {
  const { formId, formName, keyVersion, createdAt, privateKey, hybridPrivateKey, seed } = key;
  return {
    sealpost: "private-key",
    version: 1,
    ...(formId === undefined ? {} : { formId }),
    ...(formName === undefined ? {} : { formName }),
    keyVersion,
    fingerprint: await fingerprint(privateKey),
    createdAt,
    privateKey,
    ...(hybridPrivateKey && { hybridFingerprint: await hybridFingerprint(hybridPrivateKey), hybridPrivateKey }),
    ...(seed !== undefined && { seed }),
  };
}

/** The usual name of a key file: `sealpost-contact-form-v1.key.json`. Lower-case letters, digits and hyphens, whatever the form is called. */
export function keyFileName(formName: string, keyVersion: number): string {
  return `sealpost-${fileNameWords(formName)}-v${keyVersion}.key.json`;
}
