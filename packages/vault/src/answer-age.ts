import { openWithPassphrase, protectWithPassphrase } from "@sealpost/envelope";

export type AgeRequest =
  | { readonly act: "encrypt"; readonly plain: string; readonly passphrase: string }
  | { readonly act: "decrypt"; readonly file: Uint8Array<ArrayBuffer>; readonly passphrase: string };

export type AgeAnswer =
  | { readonly outcome: "encrypted"; readonly file: Uint8Array<ArrayBuffer> }
  | { readonly outcome: "decrypted"; readonly plain: string }
  | { readonly outcome: "wrong_passphrase" | "damaged" };

/** Some 0.2 s on a desktop and 1 s on a phone, as age's own default of 18 would take four times as long in a browser. */
const scryptWorkFactor = 16;

/** Encrypts or decrypts a key file: for a worker, as it computes without a pause. */
export async function answerAge(request: AgeRequest): Promise<AgeAnswer> {
  if (request.act === "encrypt")
    return {
      outcome: "encrypted",
      file: await protectWithPassphrase(request.plain, request.passphrase, scryptWorkFactor),
    };
  const opened = await openWithPassphrase(request.file, request.passphrase);
  return typeof opened === "string" ? { outcome: opened } : { outcome: "decrypted", plain: opened.plain };
}
