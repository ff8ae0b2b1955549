import { isDigit, startsClean, wordAt, wordBefore } from "./characters.ts";
import { type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";
import { findUserInfos } from "./url-credentials.ts";

const localMax = 64; // RFC 5321 section 4.5.3.1.1
const domainMax = 253; // RFC 1035 section 2.3.4, without the root's dot
const labelMax = 63;
const atomSymbols = "!#$%&'*+/=?^`{|}~-."; // atext of RFC 5322 section 3.2.3, and the dot of a dot-atom

/**
 * Email addresses (RFC 5322, 5321; letters of any script, RFC 6531), from each `@` outwards. Both ways are bounded, and
 * neither passes another `@`, so the whole scan is linear.
 */
export function* findEmails(scan: Scan): Steps<void> {
  const { text } = scan;
  if (!scan.wants("EMAIL_ADDRESS") || !text.includes("@")) return;
  // The `@` after a URL's user-info belongs to no email address: it would swallow the host.
  const userInfoEnds = new Set(findUserInfos(text).map((span) => span.end));
  let looked = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    if (++looked % stepSize === 0) yield;
    if (userInfoEnds.has(at)) continue;
    const start = text[at - 1] === '"' ? quotedStart(text, at) : localStart(text, at);
    if (start === undefined) continue;
    const end = text[at + 1] === "[" ? literalEnd(text, at + 1) : domainEnd(text, at + 1);
    if (end !== undefined) scan.report("EMAIL_ADDRESS", start, end, strength.shape);
  }
}

function localStart(text: string, at: number): number | undefined {
  let start = at;
  let afterMark: number | undefined; // the nearest of / ? = & #
  while (start > 0 && at - start <= localMax) {
    const width = wordBefore(text, start);
    if (width === 0 && !isInnerSymbol(text, start - 1)) break;
    if (afterMark === undefined && "/?=&#".includes(text[start - 1] ?? " ")) afterMark = start;
    start -= width || 1;
  }
  // RFC 5322 allows these marks, but where there is an address of the web before the @, or too much for a local part, they part it.
  if (at - start > localMax || /\/\/|\?/.test(text.slice(start, at))) {
    if (afterMark === undefined) return undefined;
    start = afterMark;
  }
  // Opening punctuation and quotes stay outside, though RFC 5322 would let an address start with them.
  while (start < at && wordAt(text, start) === 0) start++;
  return start < at ? start : undefined;
}

/** An ellipsis ends what came before; one dot, or two by a slip of the finger, do not. */
function isInnerSymbol(text: string, index: number): boolean {
  if (!atomSymbols.includes(text[index] ?? " ")) return false;
  return text[index] !== "." || text[index - 1] !== "." || text[index - 2] !== ".";
}

function quotedStart(text: string, at: number): number | undefined {
  for (let index = at - 2; index >= 0 && at - index <= localMax; index--) {
    if (text[index] === "\n") return undefined;
    if (text[index] === '"' && text[index - 1] !== "\\")
      return index < at - 2 && startsClean(text, index) ? index : undefined;
  }
  return undefined;
}

/** `[192.0.2.1]` or `[IPv6:2001:db8::1]`, RFC 5321 section 4.1.3. */
function literalEnd(text: string, open: number): number | undefined {
  const match = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[\da-f:.]{2,45})\]/i.exec(text.slice(open, open + 54));
  return match === null ? undefined : open + match[0].length;
}

/** The end of the longest domain at `start` of two labels or more that ends in one of letters, or in `xn--…`. */
function domainEnd(text: string, start: number): number | undefined {
  let end: number | undefined;
  let labels = 0;
  for (let label = start; label - start < domainMax; ) {
    const stop = labelEnd(text, label);
    if (stop === label || stop - label > labelMax || stop - start > domainMax) break;
    labels++;
    const last = topLevelEnd(text, label, stop);
    if (labels > 1 && last !== undefined) end = last;
    if (text[stop] !== ".") break;
    label = stop + 1;
  }
  return end;
}

function labelEnd(text: string, start: number): number {
  let end = start;
  for (;;) {
    const width = wordAt(text, end);
    if (isInnerMark(text[end]) && end > start) end++;
    else if (width > 0 && text[end] !== "_") end += width;
    else break;
  }
  while (end > start && isInnerMark(text[end - 1])) end--;
  return end;
}

/** No label of a host may have `_`, and some have. */
function isInnerMark(character: string | undefined): boolean {
  return character === "-" || character === "_";
}

/**
 * Where a label can end as the last of a domain: after its letters (two of ASCII, one of others), if no digit is glued on. A
 * hyphen or `_` may follow: `a@example.com_old`.
 */
function topLevelEnd(text: string, start: number, stop: number): number | undefined {
  if (/^xn--/i.test(text.slice(start, start + 4))) return stop;
  let end = start;
  while (end < stop && !isDigit(text.charCodeAt(end)) && !isInnerMark(text[end])) end += wordAt(text, end) || 1;
  const isGlued = end < stop && !isInnerMark(text[end]);
  return isGlued || (end - start < 2 && text.charCodeAt(start) < 128) ? undefined : end;
}
