import { type PublicHalves, RefusalError } from "@sealpost/envelope";
import type { CopySecretGiven } from "./copy-secret.ts";
import type { KeyAnswer, KeyRequest } from "./key-server.ts";
import type { AskPasskey } from "./passkey-prf.ts";

/** The worker that holds a personal key, or will. It ends with the page at the latest. */
export interface KeyWorker {
  /** Rejects with the passkey's own error where its prompt failed, and with `KeyLockedError` once the worker has ended. */
  ask(request: KeyRequest, askPasskey?: AskPasskey): Promise<KeyAnswer>;
  end(): void;
}

/** The personal key is locked, or was while something was asked of it. */
export class KeyLockedError extends Error {
  override readonly name = "KeyLockedError";

  constructor() {
    super("Your key is locked");
  }
}

export interface CopyToOpen {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly secret: CopySecretGiven;
  /** The public halves that are known on another way. */
  readonly expected: PublicHalves | undefined;
}

/** Makes a new key in the worker, which nobody has a copy of yet. */
export async function makeKey(worker: KeyWorker): Promise<PublicHalves> {
  return readAnswer(await worker.ask({ act: "make" })) as PublicHalves; // as `KeyAnswer` says
}

/** Opens a copy in the worker, which then holds the key. Rejects with a `RefusalError`. */
export async function openCopy(worker: KeyWorker, copy: CopyToOpen, askPasskey?: AskPasskey): Promise<PublicHalves> {
  return readAnswer(await worker.ask({ act: "open", ...copy }, askPasskey)) as PublicHalves; // as `KeyAnswer` says
}

/** The value of an answer. Throws a `RefusalError` for a refusal. */
export function readAnswer(answer: KeyAnswer): unknown {
  if (answer.outcome === "refused") throw new RefusalError(answer.reason);
  if (answer.outcome === "failed") throw new Error(answer.message);
  return answer.value;
}
