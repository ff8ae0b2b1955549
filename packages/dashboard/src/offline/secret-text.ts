import {
  type ParsedShare,
  type ParsedSheet,
  parseIdentities,
  parseShare,
  parseShareCode,
  parseSheet,
  parseSheetCode,
  type RecoveryShare,
  shareLines,
  sheetLines,
  type WholeSheetKind,
} from "@sealpost/envelope";

/** A text that somebody brought: identities, one of several recovery sheets, a sheet with its wrong lines (from 1), or something else. */
export type SecretText =
  | { readonly found: "identities"; readonly identities: readonly string[] }
  | { readonly found: "share"; readonly share: RecoveryShare }
  | { readonly found: "wrong_lines"; readonly lines: readonly number[] }
  | { readonly found: "unknown_sheet" }
  | { readonly found: "text" };

/** Whose the sheet is makes no difference here: a person's opens copies, an organization's envelopes. */
const kinds: readonly WholeSheetKind[] = ["personal", "organization"];
const lineCharacters = 15;

export async function readSecretText(text: string): Promise<SecretText> {
  const identities = parseIdentities(text);
  if (identities !== undefined) return { found: "identities", identities };
  if (text.trimStart().startsWith("SEALPOST-SHEET/")) return readCode(text.trim());
  const lines = splitLines(text);
  return lines === undefined ? { found: "text" } : readLines(lines);
}

async function readCode(code: string): Promise<SecretText> {
  const share = await parseShareCode(code);
  if (share !== undefined && "share" in share) return { found: "share", share: share.share };
  for (const kind of kinds) {
    const parsed = await parseSheetCode(kind, code);
    if (parsed !== undefined && "identity" in parsed) return { found: "identities", identities: [parsed.identity] };
  }
  return { found: "unknown_sheet" };
}

async function readLines(lines: readonly string[]): Promise<SecretText> {
  const share = await parseShare(lines);
  if ("share" in share) return { found: "share", share: share.share };
  const parsed = await Promise.all(kinds.map((kind) => parseSheet(kind, lines)));
  for (const sheet of parsed)
    if ("identity" in sheet && lines.length === sheetLines)
      return { found: "identities", identities: [sheet.identity] };
  const wrong = [wrongLinesOf(share, shareLines), ...parsed.map((sheet) => wrongLinesOf(sheet, sheetLines))].reduce(
    (least, other) => (other.length < least.length ? other : least),
  );
  // As many lines of the right length as a sheet has are meant as one, whatever is in them.
  const isWhole = lines.length >= sheetLines && lines.every(hasAllCharacters);
  const isSheet = wrong.length < sheetLines || isWhole;
  return isSheet ? { found: "wrong_lines", lines: wrong.map((index) => index + 1) } : { found: "text" };
}

function wrongLinesOf(sheet: ParsedSheet | ParsedShare, count: number): readonly number[] {
  return "wrongLines" in sheet ? sheet.wrongLines : Array.from({ length: count }, (_, index) => index);
}

/** Up to five lines that can be those of a sheet, which may have been typed as one; `undefined` for any other text. */
function splitLines(text: string): readonly string[] | undefined {
  if (!/^[0-9A-Za-z\s-]{1,200}$/.test(text)) return undefined;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [only = ""] = lines;
  const joined = withoutGaps(only);
  if (lines.length === 1 && [sheetLines, shareLines].includes(joined.length / lineCharacters))
    return joined.match(/.{15}/g) ?? [];
  return lines.length >= 1 && lines.length <= shareLines ? lines : undefined;
}

function hasAllCharacters(line: string): boolean {
  return withoutGaps(line).length === lineCharacters;
}

function withoutGaps(line: string): string {
  return line.replace(/[\s-]/g, "");
}
