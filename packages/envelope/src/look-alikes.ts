/** Letters and digits that look like others, in the same place of the line under it: 20 Cyrillic letters, three Latin, 14 Greek, and six more. */
const alike = "авекмнорстухѕіјһԁԛԝӏɡɑıαβεηικνορτυχωγ0135l|";
const plain = "abekmhopctyxsijhdqwigaiabenikvoptuxwyoiesii";

const replacements = new Map<string, string>([
  ...[...alike].map((letter, index) => [letter, plain[index] ?? ""] as const),
  ...Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "i" }),
]);

/**
 * The fold of a name: names that look alike have the same one. It flags and never refuses, so it may be incomplete. SPECIFICATION.md section 14, whose steps
 * these are.
 */
export function foldName(name: string): string {
  const seen = name.normalize("NFKD").replace(/[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  // Letter by letter: what a letter becomes must not follow from its neighbours.
  const small = [...seen].map((letter) => letter.toLowerCase());
  const replaced = small.map((letter) => replacements.get(letter) ?? letter).join("");
  return replaced
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Whether one name can be taken for another: they are the same, look alike, or one of them has no letter or digit. */
export function areLookAlikes(one: string, other: string): boolean {
  const [first, second] = [foldName(one), foldName(other)];
  return first === second || first === "" || second === "";
}
