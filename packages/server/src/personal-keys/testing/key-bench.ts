import assert from "node:assert/strict";
import { generatePersonalKey, generateSheet, sealKeyCopy } from "@sealpost/envelope";
import { encodeBase64Url } from "@sealpost/wire";
import type { Answer, TestAccount } from "../../testing/test-service.ts";
import type { NewKeyCopy, Way } from "../personal-key.ts";

export const keyPath = "/api/account/personal-key";
export const copiesPath = "/api/account/key-copies";

/** A personal key, and a copy of it that a recovery sheet opens. */
export async function createKeyAndSheet() {
  const { recipient: _recipient, ...key } = { ...(await generatePersonalKey()) };
  const sheet = await generateSheet("personal");
  const file = await sealKeyCopy(key, { recipient: sheet.recipient });
  const halves = { recipient: _recipient, signingKey: key.signingKey };
  return {
    halves,
    sheet,
    signingSeed: key.signingSeed,
    copy: { way: "sheet", name: "Sheet", file: encodeBase64Url(file) } as const,
  };
}

let made = 0;

/** A file of the right form for a way that nobody can open, which takes no time to make; each another one. `changed` is put in place of a part. */
export function createFile(way: Way, changed: readonly [from: string, to: string] = ["", ""]): string {
  const text = (bytes: number, fill: number) => Buffer.alloc(bytes, fill).toString("base64").replaceAll("=", "");
  const stanza = {
    passphrase: `scrypt ${text(16, 1)} 18`,
    passkey: `age-encryption.org/fido2prf ${text(16, 1)}`,
    sheet: `mlkem768x25519 ${text(1120, 9)}`,
    device: `mlkem768x25519 ${text(1120, 9)}`,
  }[way];
  made += 1;
  const file = `age-encryption.org/v1\n-> ${stanza}\n${text(32, 2)}\n--- ${text(32, 3)}\n${`${made}`.padStart(220, "x")}`;
  return encodeBase64Url(new TextEncoder().encode(file.replace(...changed)));
}

export const createCopy = (way: Way, name: string = way): NewKeyCopy => ({ way, name, file: createFile(way) });

/** Makes an account's key with copies of these ways; its list of them. */
export async function makeKey(account: Pick<TestAccount, "request">, ways: readonly Way[] = ["sheet"]) {
  const { halves } = await createKeyAndSheet();
  const answer = await account.request("POST", keyPath, { ...halves, copies: ways.map((way) => createCopy(way)) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.copies as readonly { readonly id: string; readonly way: Way; readonly removedAt: number | null }[];
}

/** The status and the code of an answer, and the codes of its fields. */
export function outcomeOf({ status, body }: Pick<Answer, "status" | "body">): string {
  const fields = Object.entries(body?.detailCodes ?? {}).map(([path, code]) => `${path}=${code}`);
  return [status, body?.code, ...fields].filter((part) => part !== undefined).join(" ");
}
