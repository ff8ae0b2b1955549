import type { ExactValue } from "@sealpost/wire";
import { toCell } from "./export-columns.ts";

/** Characters of a cell that Excel opens (its specifications and limits), counted in UTF-16. */
export const cellCharactersMax = 32_767;

/** The formats of cells, by their place in `stylesXml`. */
const styles = { heading: 1, time: 2, text: 3 } as const;

/** A text that stays one: Excel makes neither a number nor a formula of it, not even when somebody edits it. */
export function textCell(reference: string, text: string, style: keyof typeof styles = "text"): string {
  return `<c r="${reference}" s="${styles[style]}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

export function numberCell(reference: string, value: number): string {
  return `<c r="${reference}"><v>${value}</v></c>`;
}

/**
 * Numbers and truth values as such, everything else as the text that CSV has; nothing for an empty one. Numbers with more
 * digits than Excel keeps are texts too.
 */
export function valueCell(reference: string, value: ExactValue | undefined, cut: (text: string) => string): string {
  if (typeof value === "number" && hasRoom(value)) return numberCell(reference, value);
  if (typeof value === "boolean") return `<c r="${reference}" t="b"><v>${Number(value)}</v></c>`;
  const text = toCell(value);
  return text === "" ? "" : textCell(reference, cut(text));
}

/** Excel keeps 15 digits of a number (its specifications and limits). */
const hasRoom = (value: number): boolean => Number(value.toPrecision(15)) === value;

/** A moment in UTC, which Excel counts in days since 1900; as a text outside of its calendar. `at`: milliseconds since the Unix epoch. */
export function timeCell(reference: string, at: number): string {
  const day = at / 86_400_000 + 25_569;
  // Before March 1900 Excel counts a day that there never was.
  if (day < 61 || day >= 2_958_466) return textCell(reference, new Date(at).toISOString());
  return `<c r="${reference}" s="${styles.time}"><v>${day}</v></c>`;
}

/** As much of a text as a cell holds, ending in `…` where that is not all, and never in half a character. */
export function cutText(text: string): string {
  if (text.length <= cellCharactersMax) return text;
  return `${text.slice(0, cellCharactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** `A` for 0, `AA` for 26. */
export function columnName(index: number): string {
  const before = index < 26 ? "" : columnName(Math.floor(index / 26) - 1);
  return before + String.fromCharCode(65 + (index % 26));
}

/** Markup; characters that XML 1.0 has no place for or would change, lone surrogates among them; and what looks like such an escape. */
const special = /[&<>]|_(?=x[\dA-Fa-f]{4}_)|[^\P{Cc}\t\n\u007F-\u009F]|[\p{Cs}\uFFFE\uFFFF]/gu;
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text of an element. What XML can't hold becomes `_xHHHH_`, as Excel does it (ECMA-376, Part 1, 22.9.2.19, ST_Xstring). */
export function escapeText(text: string): string {
  return text.replace(special, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return entities[character] ?? `_x${code}_`;
  });
}

/** Formats of cells: none, bold headings, times in UTC, texts that stay texts when they are edited (`@`). */
export const stylesXml = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss&quot; UTC&quot;"/></numFmts>
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`;
