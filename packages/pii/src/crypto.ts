import { sha256 } from "@noble/hashes/sha2.js";
import { endsClean, startsClean } from "./characters.ts";
import { type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/** Cryptocurrency addresses: Bitcoin Base58Check (BIP 13) and Bech32 or Bech32m (BIP 173, 350), Ethereum (EIP-55). */
export function* findCryptoAddresses(scan: Scan): Steps<void> {
  const { text } = scan;
  if (!scan.wants("CRYPTO")) return;
  let looked = 0;
  for (let start = 0; start + 13 < text.length; start++) {
    const first = text[start] ?? "";
    if (!"0123mnbBtT".includes(first) || !startsClean(text, start)) continue;
    if (++looked % stepSize === 0) yield;
    const candidate = /^[\da-z]*/i.exec(text.slice(start, start + 91))?.[0] ?? "";
    const end = start + candidate.length;
    if (!endsClean(text, end)) continue;
    // EIP-55: mixed case is a checksum, but a mistyped address is still somebody's; the shape is enough.
    if (/^0x[\da-f]{40}$/i.test(candidate)) scan.report("CRYPTO", start, end, strength.shape);
    else if (isBase58Address(candidate) || isBech32Address(candidate))
      scan.report("CRYPTO", start, end, strength.checksum);
  }
}

/** Version byte 0 (`1…`) or 5 (`3…`), of the test network 111 (`m…`, `n…`) or 196 (`2…`), 20 bytes, and the first four bytes of their double SHA-256. */
export function isBase58Address(address: string): boolean {
  if (!/^[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(address)) return false;
  let number = 0n;
  for (const character of address) number = number * 58n + BigInt(base58.indexOf(character));
  const hex = number.toString(16).padStart(50, "0");
  const zeros = /^1*/.exec(address)?.[0].length ?? 0;
  if (hex.length !== 50 || (/^(?:00)*/.exec(hex)?.[0].length ?? 0) / 2 !== zeros) return false;
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const digest = sha256(sha256(bytes.subarray(0, 21)));
  return [0, 5, 111, 196].includes(bytes[0] ?? -1) && bytes.subarray(21).every((byte, index) => byte === digest[index]);
}

/** BIP 173 for witness version 0, BIP 350 for later ones: all lower or all upper case; `tb` on the test network. */
export function isBech32Address(address: string): boolean {
  if (address !== address.toLowerCase() && address !== address.toUpperCase()) return false;
  const lower = address.toLowerCase();
  if (!/^(?:bc|tb)1[02-9ac-hj-np-z]{11,87}$/.test(lower)) return false;
  const values = Array.from(lower.slice(3), (character) => bech32.indexOf(character));
  let checksum = 1;
  for (const value of [3, 3, 0, ...(lower.startsWith("tb") ? [20, 2] : [2, 3]), ...values]) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].forEach((generator, bit) => {
      if ((top >> bit) & 1) checksum ^= generator;
    });
  }
  return checksum === (values[0] === 0 ? 1 : 0x2bc830a3);
}
