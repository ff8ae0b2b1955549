import type { RecoveryShare } from "@sealpost/envelope";
import { askWorker } from "../browser/ask-worker.ts";
import workerUrl from "../keys/age-worker.ts?worker&url";
import { type FoundKey, type Reading, readKey, readKeyText, readText } from "../keys/read-key.ts";
import { formatList } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import type { Look, PoolRequest } from "./answer-pool.ts";
import type { KeyPool, PoolResult, SealedFile } from "./key-pool.ts";

const { offline } = text;

/** Something that opens submissions, or that opens what does. */
export type Brought =
  | { readonly kind: "key"; readonly key: FoundKey }
  | { readonly kind: "identities"; readonly identities: readonly string[] }
  | { readonly kind: "share"; readonly share: RecoveryShare }
  | { readonly kind: "sealed"; readonly sealed: SealedFile };

/** Tells what somebody chose, pasted, typed or scanned. Never throws; no outcome shows a secret. */
export async function readBrought(
  bytes: Uint8Array<ArrayBuffer>,
  passphrase: string | undefined,
  name: string | undefined,
): Promise<Reading<Brought>> {
  const look = await lookAt(bytes);
  switch (look.found) {
    case "text":
      return asKey(await readKey(bytes));
    case "passphrase":
      return openWithPassphrase(bytes, passphrase);
    case "identities":
      return { kind: "found", found: { kind: "identities", identities: look.identities } };
    case "share":
      return { kind: "found", found: { kind: "share", share: look.share } };
    case "sealed": {
      const { file, isCopyPossible } = look;
      return { kind: "found", found: { kind: "sealed", sealed: { name, file, isCopyPossible } } };
    }
    default:
      return { kind: "refused", message: describeRefused(look) };
  }
}

/** Tries what waits, in the worker. */
export function openInWorker(pool: KeyPool): Promise<PoolResult> {
  return askWorker<PoolRequest, PoolResult>(workerUrl, { act: "open", pool });
}

/** In it is a key file, or an identity file, which the copy of a personal key is. */
async function openWithPassphrase(
  bytes: Uint8Array<ArrayBuffer>,
  passphrase: string | undefined,
): Promise<Reading<Brought>> {
  const content = await readText(bytes, passphrase);
  if (typeof content !== "string") return content;
  const look = await lookAt(new TextEncoder().encode(content));
  if (look.found === "identities") return { kind: "found", found: { kind: "identities", identities: look.identities } };
  return asKey(await readKeyText(content));
}

function asKey(reading: Reading<FoundKey>): Reading<Brought> {
  if (reading.kind === "found") return { kind: "found", found: { kind: "key", key: reading.found } };
  // More is a key here than in the dashboard.
  const isNoKey = reading.kind === "refused" && reading.message === text.keys.notAKey;
  return isNoKey ? { kind: "refused", message: offline.notAKey } : reading;
}

function describeRefused(
  look: Exclude<Look, { found: "text" | "passphrase" | "identities" | "share" | "sealed" }>,
): string {
  return look.found === "wrong_lines"
    ? offline.wrongLines(look.lines.length, formatList(look.lines))
    : offline.refusedFiles[look.found];
}

function lookAt(bytes: Uint8Array<ArrayBuffer>): Promise<Look> {
  return askWorker<PoolRequest, Look>(workerUrl, { act: "look", bytes });
}
