import type { PrivateKey } from "@sealpost/wire";
import { importOpeningKey, type OpeningKey } from "@sealpost/wire/open";

/** A private key with what it belongs to. Without `formId` it is tried for every form, without `keyVersion` for every version. */
export interface LabelledPrivateKey {
  readonly formId?: string;
  readonly keyVersion?: number;
  readonly privateKey: PrivateKey;
}

/** A bare JWK, or one with its labels. A key file (README, "Key files") is of the second kind. */
export type PrivateKeyInput = PrivateKey | LabelledPrivateKey;

const members = ["n", "e", "d", "p", "q", "dp", "dq", "qi"] as const;

/**
 * Imports a private key in either form, non-extractable. Throws a TypeError that begins with `name` and never shows the key:
 * the key is configuration, and a receiver that cannot use it should not start.
 */
export async function parseOpeningKey(input: unknown, name: string): Promise<OpeningKey> {
  if (typeof input === "string") throw new TypeError(`${name} is a string: pass the object, JSON.parse(text)`);
  if (!isObject(input))
    throw new TypeError(`${name} is not a private key: a JWK or { formId, keyVersion, privateKey }`);
  if (input.sealpost === "private-key" && input.version !== undefined && input.version !== 1)
    throw new TypeError(`${name} is a key file of a newer format than this version knows`);
  const labelled = "privateKey" in input;
  const key = labelled ? input.privateKey : input;
  if (!isObject(key) || key.kty !== "RSA") throw new TypeError(`${name} is not an RSA private key as JWK (kty: "RSA")`);
  const missing = members.filter((member) => typeof key[member] !== "string");
  if (missing.includes("d")) throw new TypeError(`${name} is a public key: opening needs the private key of the form`);
  if (missing.length > 0) throw new TypeError(`${name} is an incomplete private key: it lacks ${missing.join(", ")}`);
  const label = labelled ? parseLabel(input, name) : {};
  let imported: OpeningKey;
  try {
    imported = await importOpeningKey(key as unknown as PrivateKey, label); // kty and all members are checked above
  } catch {
    throw new TypeError(`${name} is not a usable RSA private key: its members do not fit each other`);
  }
  if (labelled && typeof input.fingerprint === "string" && input.fingerprint !== imported.fingerprint)
    throw new TypeError(`${name} holds another key than its fingerprint says`);
  return imported;
}

function parseLabel({ formId, keyVersion }: Record<string, unknown>, name: string) {
  if (formId !== undefined && (typeof formId !== "string" || formId === ""))
    throw new TypeError(`${name}.formId is not the id of a form`);
  if (
    keyVersion !== undefined &&
    !(typeof keyVersion === "number" && Number.isSafeInteger(keyVersion) && keyVersion > 0)
  )
    throw new TypeError(`${name}.keyVersion is not a whole number from 1`);
  return { ...(formId === undefined ? {} : { formId }), ...(keyVersion === undefined ? {} : { keyVersion }) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
