import type { AgeAnswer, AgeRequest } from "@sealpost/vault";
import { askWorker } from "../browser/ask-worker.ts";
import workerUrl from "./age-worker.ts?worker&url";

/**
 * Passphrase-protected key files: age files (age-encryption.org/v1) with a scrypt recipient, which the standard `age` tool
 * opens too. scrypt takes a second by design, so it runs in a worker and the page stays alive.
 */
export async function protectWithPassphrase(plain: string, passphrase: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await ask({ act: "encrypt", plain, passphrase });
  if (answer.outcome !== "encrypted") throw new Error("The key file could not be protected");
  return answer.file;
}

/** The text inside, or why there is none: `wrong_passphrase`, or `damaged` when it is no such file at all. */
export async function openWithPassphrase(
  file: Uint8Array<ArrayBuffer>,
  passphrase: string,
): Promise<{ readonly plain: string } | "wrong_passphrase" | "damaged"> {
  const answer = await ask({ act: "decrypt", file, passphrase });
  if (answer.outcome === "decrypted") return { plain: answer.plain };
  return answer.outcome === "wrong_passphrase" ? "wrong_passphrase" : "damaged";
}

function ask(request: AgeRequest): Promise<AgeAnswer> {
  return askWorker<AgeRequest, AgeAnswer>(workerUrl, request);
}
