import { createHmac } from "node:crypto";

/** The code that an authenticator app shows for an `otpauth://` address: RFC 6238 with SHA-1, six digits, 30 seconds. */
export function showCode(uri: string, now: number = Date.now()): string {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const digest = createHmac("sha1", decodeBase32(secret)).update(counter).digest();
  const offset = digest.readUInt8(19) & 15;
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, "0");
}

/** A code of six digits that is wrong now, a moment ago and in a moment. */
export function showWrongCode(uri: string): string {
  const near = [-90_000, -60_000, -30_000, 0, 30_000, 60_000, 90_000].map((away) => showCode(uri, Date.now() + away));
  return ["000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777"].find(
    (code) => !near.includes(code),
  ) as string; // eight, of which seven can be right
}

/** RFC 4648, section 6. */
function decodeBase32(text: string): Buffer {
  const bits = Array.from(text.replace(/=+$/, ""), (character) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(character).toString(2).padStart(5, "0"),
  ).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
