const uuids = [
  "00000000-0000-7000-8000-000000000000",
  "018cc251-f400-7162-b633-b02776ca8791",
  "018cc251-f400-7fff-bfff-ffffffffffff",
  "ffffffff-ffff-7fff-bfff-ffffffffffff",
];
const prefixes = {
  form: "form",
  submission: "sub",
  apiKey: "key",
  delivery: "dlv",
  event: "evt",
  account: "acc",
  file: "fil",
} as const;

/** vectors/ids.json: UUIDs and the ids that they make, computed with whole numbers and not by our encoder; and refused texts. */
export function idVectors() {
  const accepted = Object.entries(prefixes).flatMap(([kind, prefix]) =>
    uuids.map((uuid) => ({
      kind,
      uuid,
      milliseconds: Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16),
      id: `${prefix}_${base32(uuid)}`,
    })),
  );
  const suffix = base32("018cc251-f400-7162-b633-b02776ca8791");
  const refused = {
    "of another kind": `sub_${suffix}`,
    empty: "",
    "only a prefix": "form_",
    "only a suffix": suffix,
    "prefix in capitals": `FORM_${suffix}`,
    "suffix in capitals": `form_${suffix.toUpperCase()}`,
    "with a hyphen": `form-${suffix}`,
    "more than 128 bits": `form_8${suffix.slice(1)}`,
    "one character less": `form_${suffix.slice(1)}`,
    "one character more": `form_${suffix}0`,
    "with the letter u": `form_${suffix.slice(1)}u`,
    "with the letter l": `form_${suffix.slice(1)}l`,
    "a UUID": `form_${uuids[1]}`,
    "before a line break": `form_${suffix}\n`,
    "after a space": ` form_${suffix}`,
  };
  return { accepted, refused: Object.entries(refused).map(([name, text]) => ({ name, kind: "form", text })) };
}

function base32(uuid: string): string {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let text = "";
  for (let index = 0; index < 26; index++) {
    text = alphabet[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}
