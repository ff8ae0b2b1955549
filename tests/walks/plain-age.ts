import { RefusalError, recipientOf } from "@sealpost/envelope";
import { encodeBase64 } from "@sealpost/wire";
import { decryptWith, encryptTo } from "../../packages/envelope/src/age-file.ts";

/** How files are encrypted and decrypted. */
export interface AgeFiles {
  encrypt(recipients: readonly string[], text: string): Promise<Uint8Array<ArrayBuffer>>;
  decrypt(identity: string, file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** By age itself: some 20 ms of a processor for each file. */
export const realAge: AgeFiles = { encrypt: encryptTo, decrypt: decryptWith };

/** The encapsulated secret of a stanza, with the base point of X25519 at its end; and a wrapped key. */
const stanza = (() => {
  const secret = new Uint8Array(1120);
  secret[1088] = 9;
  const toText = (bytes: Uint8Array<ArrayBuffer>) => encodeBase64(bytes).replaceAll("=", "");
  return `-> mlkem768x25519 ${toText(secret)}\n${toText(new Uint8Array(32))}\n`;
})();

/**
 * Files with the header of age and a stanza for each recipient, in the clear: who is named as a recipient opens them, and nobody else. Everything that the opener
 * checks is checked as in a sealed one, in a tenth of the time.
 */
export const plainAge: AgeFiles = {
  async encrypt(recipients, text) {
    files += 1;
    const header = `age-encryption.org/v1\n${stanza.repeat(recipients.length)}--- ${files}\n`;
    return new TextEncoder().encode(`${header}${JSON.stringify({ recipients, text })}`);
  },
  async decrypt(identity, file) {
    const [, body = ""] = /\n--- \d+\n(.*)$/s.exec(new TextDecoder().decode(file)) ?? [];
    const { recipients, text } = JSON.parse(body) as { recipients: readonly string[]; text: string }; // as above
    if (!recipients.includes(await findRecipient(identity))) throw new RefusalError("not_a_reader");
    return new TextEncoder().encode(text);
  },
};

let files = 0;
const known = new Map<string, Promise<string>>();

function findRecipient(identity: string): Promise<string> {
  const recipient = known.get(identity) ?? recipientOf(identity);
  known.set(identity, recipient);
  return recipient;
}
