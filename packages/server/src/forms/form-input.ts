import { type HybridPublicKey, type PublicKey, parseHybridPublicKey, parsePublicKey } from "@sealpost/wire";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { type Form, parseName, parseOrigin } from "./form.ts";
import { publicMembersDropped } from "./form-input-schemas.ts";
import {
  hybridBytesLeast,
  originLengthMax,
  originsMax,
  type SettingName,
  type Settings,
  sealedBytesLeast,
} from "./form-settings.ts";
import type { SettingsInput } from "./setting-schemas.ts";

/** The message of every 400 on create and update (contract, section 4.3). */
export const invalidFormSettings = "Invalid form settings";

/** A description of `allowedOrigins`, for people who never heard of origins. */
const originError =
  "Must be the beginning of an address, such as https://www.example.org, with nothing after it; https://*.example.org for every site below it; or * for any page";

const severalOrigins =
  "Must be a single address. Several are entries of their own; on the command line, commas separate them";

/** Field path to message. Readers add to it and continue, so that a 400 names everything that is wrong. */
export type FormErrors = Record<string, string>;

/** The trimmed name. */
export function readName(text: string, errors: FormErrors): string {
  const parsed = parseName(text);
  if ("name" in parsed) return parsed.name;
  errors.name = parsed.issue;
  return text;
}

/** Settings that are, or have, a text of the caller's own. */
type TextSetting = {
  [Name in SettingName]: string extends Texts<Settings[Name]> ? Name : never;
}[SettingName];
type Texts<Value> = Value extends readonly (infer Entry)[] ? Entry : Value;

/** The stored form of a value that its schema lets pass; what is wrong with it is added to the errors. */
type Read<Value> = (value: Value, errors: FormErrors) => Value | Promise<Value>;

/** One for each, or it does not compile: a text that nobody has read may have spaces around it, or half a character. */
function createReaders(checkWebhookUrl: CheckWebhookUrl): { readonly [Name in TextSetting]: Read<Settings[Name]> } {
  return {
    allowedOrigins: (texts, errors) => [...new Set(readOrigins(texts, errors))],
    async webhookUrl(text, errors) {
      if (text === null) return null;
      // Half a character would be stored as another one than was sent.
      const checked = text.isWellFormed() ? await checkWebhookUrl(text) : undefined;
      if (checked?.ok) return checked.url;
      errors["settings.webhookUrl"] = checked?.message ?? "Must be a valid HTTPS URL";
      return null;
    },
    // Its schema takes two capital letters.
    country: (code) => code,
  };
}

/** Settings in their stored form: origins as browsers write them, the webhook URL checked. Only given settings are in the result. */
export function createReadSettings(checkWebhookUrl: CheckWebhookUrl) {
  const readers: Readonly<Partial<Record<string, (value: never, errors: FormErrors) => unknown>>> =
    createReaders(checkWebhookUrl);
  return async (input: SettingsInput, errors: FormErrors): Promise<Partial<Settings>> => {
    const read: Record<string, unknown> = {};
    // The reader of a name takes the values of its schema.
    for (const [name, value] of Object.entries(input)) {
      const reader = readers[name];
      read[name] = reader === undefined || value === undefined ? value : await reader(value as never, errors);
    }
    return read as Partial<Settings>; // of the same names
  };
}

/** A limit below what every sealed submission takes would close the form without saying so. */
export function checkSealedLimit(
  { encryption, submissionBytesMax }: Pick<Form["settings"], "encryption" | "submissionBytesMax">,
  isHybrid: boolean,
  errors: FormErrors,
): void {
  const least = isHybrid ? hybridBytesLeast : sealedBytesLeast;
  if (encryption && submissionBytesMax < least)
    errors["settings.submissionBytesMax"] =
      `Must be at least ${least} on a form with ${isHybrid ? "a hybrid key" : "encryption"}: an empty sealed submission takes nearly as much`;
}

function readOrigins(texts: readonly string[], errors: FormErrors): readonly string[] {
  if (texts.length === 0) errors["settings.allowedOrigins"] = "Must name at least one site, or * for any page";
  if (texts.length > originsMax) {
    errors["settings.allowedOrigins"] = `Must have at most ${originsMax} entries`;
    return [];
  }
  return texts.map((text, index) => {
    const origin = parseOrigin(text);
    if (origin === undefined)
      errors[`settings.allowedOrigins.${index}`] = holdsSeveral(text) ? severalOrigins : originError;
    return origin ?? text;
  });
}

/** Whether it is a list of origins in one text, also of such that lack their `https://`. */
function holdsSeveral(text: string): boolean {
  const parts = text.slice(0, originLengthMax).split(/[;,\s]+/);
  return parts.filter((part) => (parseOrigin(part) ?? parseOrigin(`https://${part}`)) !== undefined).length > 1;
}

/** The caller's own public key, if there is one. */
function readOwnKey(ownKey: unknown, errors: FormErrors): PublicKey | undefined {
  if (ownKey === undefined) return undefined;
  const publicKey = parsePublicKey(dropPublicMembers(ownKey));
  if (typeof publicKey !== "string") return publicKey;
  errors.publicKey = publicKey;
  return undefined;
}

/** The keys of a new key version: the caller's own, or which of them the service shall make. */
export type WantedKeys =
  | { readonly maker: "owner"; readonly publicKey: PublicKey; readonly hybridPublicKey: HybridPublicKey | undefined }
  | { readonly maker: "service"; readonly isHybrid: boolean };

/** Both keys of a version come from the same side, so that one key file holds both private ones. */
export function readWantedKeys(
  input: { readonly publicKey?: unknown; readonly hybridPublicKey?: unknown; readonly hybrid?: boolean | undefined },
  errors: FormErrors,
): WantedKeys {
  const publicKey = readOwnKey(input.publicKey, errors);
  const hybridPublicKey = readOwnHybridKey(input.hybridPublicKey, errors);
  const [isOwn, isOwnHybrid] = [input.publicKey !== undefined, input.hybridPublicKey !== undefined];
  if (isOwnHybrid && !isOwn) errors.publicKey = "Must be there too: send the RSA key of the same version";
  if (isOwn && input.hybrid === true && !isOwnHybrid)
    errors.hybridPublicKey = "Must be there too: with a publicKey of your own the hybrid key is yours as well";
  if (isOwnHybrid && input.hybrid === false) errors.hybrid = "Must be true or left out with a hybridPublicKey";
  return publicKey === undefined
    ? { maker: "service", isHybrid: input.hybrid === true }
    : { maker: "owner", publicKey, hybridPublicKey };
}

function readOwnHybridKey(ownKey: unknown, errors: FormErrors): HybridPublicKey | undefined {
  if (ownKey === undefined) return undefined;
  const publicKey = parseHybridPublicKey(ownKey);
  if (typeof publicKey !== "string") return publicKey;
  errors.hybridPublicKey = publicKey;
  return undefined;
}

/**
 * The key without the members that WebCrypto and other programs add to a public key (RFC 7517, section 4). None of it is kept:
 * a form's key is kty, n and e. What is left over, private members above all, is for `parsePublicKey` to refuse.
 */
function dropPublicMembers(key: unknown): unknown {
  if (typeof key !== "object" || key === null) return key;
  return Object.fromEntries(Object.entries(key).filter(([name]) => !publicMembersDropped.includes(name)));
}
