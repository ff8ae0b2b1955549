import {
  isPaperKey,
  type OpeningKey,
  PrivateKeyError,
  parseKeyJson,
  parseOpeningKey,
  parsePaperKey,
} from "@sealpost/sdk";
import { loadHybridKem } from "@sealpost/vault";
import { decodeKeyFileText, isAgeFile } from "@sealpost/wire";
import { text } from "../texts/text.ts";
import { openWithPassphrase } from "./age.ts";

/** A form's key. `formName` and the key's `formId` are what its file says about itself. */
export interface FoundKey {
  readonly key: OpeningKey;
  readonly formName?: string;
}

/** The content of a file or of a pasted text, or why there is none of use. */
export type Reading<Found> = { readonly kind: "found"; readonly found: Found } | Unread;
export type Unread =
  | { readonly kind: "passphrase_needed"; readonly isWrong: boolean }
  | { readonly kind: "refused"; readonly message: string };

/** A key file has about 3 KB; anything much larger is something else, and is not even read. */
export const keyFileBytesMax = 65_536;

/** Reads a key from what the owner chose or pasted. Never throws; no outcome shows the key. */
export async function readKey(bytes: Uint8Array<ArrayBuffer>, passphrase?: string): Promise<Reading<FoundKey>> {
  const content = await readText(bytes, passphrase);
  return typeof content === "string" ? readKeyText(content) : content;
}

/** The text that these bytes are, or that a passphrase opens where they are an age file. */
export async function readText(bytes: Uint8Array<ArrayBuffer>, passphrase?: string): Promise<string | Unread> {
  if (bytes.length > keyFileBytesMax) return { kind: "refused", message: text.keys.notAKey };
  if (!isAgeFile(bytes)) return decodeKeyFileText(bytes);
  if (passphrase === undefined) return { kind: "passphrase_needed", isWrong: false };
  const opened = await openWithPassphrase(bytes, passphrase);
  if (opened === "wrong_passphrase") return { kind: "passphrase_needed", isWrong: true };
  if (opened === "damaged") return { kind: "refused", message: text.keys.damagedAge };
  return opened.plain;
}

/** A key in the text of its file, as JWK, or in the lines of a form's recovery sheet. */
export async function readKeyText(content: string): Promise<Reading<FoundKey>> {
  const parsed = await parseKeyText(content);
  return "kind" in parsed ? parsed : readParsed(parsed.value);
}

/** The members of a key in any of these texts, private ones included, none of them checked yet. */
export async function parseKeyText(content: string): Promise<{ readonly value: object } | Unread> {
  if (isPaperKey(content)) {
    const read = await parsePaperKey(content, await loadHybridKem());
    return "problem" in read ? { kind: "refused", message: read.problem } : { value: read };
  }
  try {
    const value = parseKeyJson(content, "");
    // An error that only says that JSON is not a key is for programmers; for a key that is damaged or the wrong half, the reason is shown.
    if (looksLikeKey(value)) return { value };
  } catch (error) {
    if (error instanceof PrivateKeyError && error.reason !== "not_json")
      return { kind: "refused", message: text.keyRefusals[error.reason] };
    if (isCut(content)) return { kind: "refused", message: text.keys.cut };
  }
  return { kind: "refused", message: text.keys.notAKey };
}

/** A key in the parsed JSON of its file. */
export async function readParsed(value: unknown): Promise<Reading<FoundKey>> {
  try {
    const hasHybrid = isObject(value) && "hybridPrivateKey" in value;
    const key = await parseOpeningKey(value, "", hasHybrid ? await loadHybridKem() : undefined);
    const formName = isObject(value) && "formName" in value ? value.formName : undefined;
    return { kind: "found", found: { key, ...(typeof formName === "string" && { formName }) } };
  } catch (error) {
    return {
      kind: "refused",
      message: error instanceof PrivateKeyError ? text.keyRefusals[error.reason] : text.keys.notAKey,
    };
  }
}

function looksLikeKey(value: unknown): value is object {
  return isObject(value) && ("privateKey" in value || "kty" in value);
}

/** Whether what is no JSON is the beginning of a key file, or all of one that was damaged: it has what only key files have. */
function isCut(content: string): boolean {
  return /^\s*\{\s*"sealpost"\s*:\s*"private-key"/.test(content);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
