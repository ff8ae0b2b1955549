import { spellings } from "./spellings.ts";

/** Something that nobody but its person may have: text, or bytes. */
export interface Secret {
  readonly what: string;
  readonly value: string | Uint8Array;
}

/** A part of a secret that is shorter may stand there by chance. */
const needleMin = 8;

/** The names of the secrets that are in one of the texts, in any usual spelling. One pass over the texts, however many secrets there are. */
export function findSecrets(secrets: readonly Secret[], texts: readonly Buffer[]): readonly string[] {
  const needles = new Map<number, { readonly what: string; readonly bytes: Buffer }[]>();
  for (const { what, value } of secrets)
    for (const bytes of typeof value === "string" ? spellText(value) : spellBytes(value)) {
      if (bytes.length < needleMin) continue;
      const start = bytes.readUInt32LE(0);
      const same = needles.get(start) ?? [];
      needles.set(start, [...same, { what, bytes }]);
    }
  const found = new Set<string>();
  for (const text of texts)
    for (let place = 0; place + needleMin <= text.length; place++)
      for (const { what, bytes } of needles.get(text.readUInt32LE(place)) ?? [])
        if (text.subarray(place, place + bytes.length).equals(bytes)) found.add(what);
  return [...found];
}

/** As text is sent: plain and escaped, with other separators and case, in base64, hexadecimal and UTF-16. */
function spellText(text: string): readonly Buffer[] {
  const bare = text.replace(/[\s-]/g, "");
  const words = [text, bare, text.replace(/[\s-]+/g, "-")];
  const all = new Set(words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]));
  return [...all].flatMap((word) => [
    ...spellings(word).map((one) => Buffer.from(one)),
    ...spellBytes(Buffer.from(word)),
    Buffer.from(word, "utf16le"),
    Buffer.from(word, "utf16le").swap16(),
  ]);
}

/** As bytes are sent: raw, in hexadecimal, in both kinds of base64 at each alignment, and as numbers in JSON. */
function spellBytes(bytes: Uint8Array): readonly Buffer[] {
  const raw = Buffer.from(bytes);
  const hex = raw.toString("hex");
  const encoded = (["base64", "base64url"] as const).flatMap((encoding) =>
    [0, 1, 2].map((shift) => {
      const text = Buffer.concat([Buffer.alloc(shift), raw])
        .toString(encoding)
        .replaceAll("=", "");
      // Without the characters at the ends that depend on the neighbours.
      return text.slice(shift === 0 ? 0 : shift + 1, -1);
    }),
  );
  const numbers = [...raw];
  const asObject = numbers.map((number, index) => `"${index}":${number}`).join(",");
  const texts = [hex, hex.toUpperCase(), ...encoded, numbers.join(","), numbers.join(", "), asObject];
  return [raw, ...texts.map((text) => Buffer.from(text))];
}
