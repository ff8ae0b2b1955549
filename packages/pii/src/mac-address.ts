import { endsClean, isHex, startsClean } from "./characters.ts";
import { type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

/** EUI-48 and EUI-64 (IEEE 802, IEEE Registration Authority guidelines), and the 20 octets of IP over InfiniBand (RFC 4391 section 9.1.1): pairs with one kind of `:` or `-`, or fours with `.`; six pairs with spaces. */
const forms = [
  /^[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){18}/i,
  /^[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){6}/i,
  /^[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){4}/i,
  /^(?=[a-f ]{0,16}\d)(?=[\d ]{0,16}[a-f])[\da-f]{2}( )[\da-f]{2}(?: [\da-f]{2}){4}/i, // not figures or words
  /^[\da-f]{4}(\.)[\da-f]{4}(?:\.[\da-f]{4}){8}/i,
  /^[\da-f]{4}(\.)[\da-f]{4}(?:\.[\da-f]{4}){2}/i,
  /^[\da-f]{4}(\.)[\da-f]{4}\.[\da-f]{4}/i,
];
const lengthMax = 59;

export function* findMacAddresses(scan: Scan): Steps<void> {
  const { text } = scan;
  if (!scan.wants("MAC_ADDRESS")) return;
  let looked = 0;
  for (let start = 0; start < text.length; start++) {
    if (!isHex(text.charCodeAt(start))) continue;
    if (++looked % stepSize === 0) yield;
    const next = text[start + 2] ?? "";
    const separator = ":- ".includes(next) ? next : text[start + 4] === "." ? "." : undefined;
    if (separator !== undefined && startsClean(text, start) && !continuesBefore(text, start, separator)) {
      const piece = text.slice(start, start + lengthMax);
      for (const form of forms) {
        const match = form.exec(piece);
        if (match === null) continue;
        const end = start + match[0].length;
        const isLongerRun = text[end] === separator && isHex(text.charCodeAt(end + 1));
        if (!isLongerRun && endsClean(text, end)) scan.report("MAC_ADDRESS", start, end, strength.shape);
        break;
      }
    }
    while (isHex(text.charCodeAt(start + 1))) start++;
  }
}

function continuesBefore(text: string, start: number, separator: string): boolean {
  return text[start - 1] === separator && isHex(text.charCodeAt(start - 2));
}
