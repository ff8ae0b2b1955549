import { armor, Decrypter, Encrypter } from "age-encryption";

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
  if (request.act === "encrypt") {
    const encrypter = new Encrypter();
    encrypter.setPassphrase(request.passphrase);
    encrypter.setScryptWorkFactor(scryptWorkFactor);
    return { outcome: "encrypted", file: new Uint8Array(await encrypter.encrypt(request.plain)) };
  }
  const decrypter = new Decrypter();
  decrypter.addPassphrase(request.passphrase);
  try {
    return { outcome: "decrypted", plain: await decrypter.decrypt(toBinary(request.file), "text") };
  } catch (error) {
    // The library's own words for a header that no passphrase of ours fits; everything else is damage.
    const isPassphrase = error instanceof Error && /no identity matched/i.test(error.message);
    return { outcome: isPassphrase ? "wrong_passphrase" : "damaged" };
  }
}

/** An age file without the armor that it may have. Throws where that is damaged. */
export function toBinary(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder("latin1").decode(file);
  return text.trimStart().startsWith("-----BEGIN") ? new Uint8Array(armor.decode(text)) : file;
}
