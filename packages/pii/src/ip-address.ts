import { endsClean, isDigit, isHex, startsClean, wordBefore } from "./characters.ts";
import { hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";
import { hasVersionWord } from "./version-words.ts";

const octet = /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/;

/** After these a short IPv6 address is no time and no name in code. */
const addressWords = new Set(["ip", "ipv6", "ipaddress", "inet6", "gateway", "dns", "nameserver", "ping"]);

/** IPv4 (RFC 791) and IPv6 addresses (RFC 4291, 5952; zones of RFC 4007), with a prefix length if there is one. */
export function* findIpAddresses(scan: Scan): Steps<void> {
  if (!scan.wants("IP_ADDRESS")) return;
  yield* findVersion4(scan);
  if (scan.text.includes(":")) yield* findVersion6(scan);
}

function* findVersion4(scan: Scan): Steps<void> {
  const { text, groups } = scan;
  for (let index = 0; index + 3 < groups.length; index++) {
    if (index % stepSize === 0) yield;
    const first = groups[index];
    const last = groups[index + 3];
    if (first === undefined || last === undefined || last.end - first.start > 15) continue;
    const isLongerRun = text[first.start - 1] === "." && isDigit(text.charCodeAt(first.start - 2));
    if (isLongerRun || !startsClean(text, first.start) || !isVersion4(text.slice(first.start, last.end))) continue;
    if (text[last.end] === "." && isDigit(text.charCodeAt(last.end + 1))) continue;
    if (!endsClean(text, last.end) || isVersion(scan, first.start, last.end)) continue;
    scan.report("IP_ADDRESS", first.start, prefixEnd(text, last.end, 32), strength.shape);
  }
}

/** `version 1.2.3.4`, `Edg/101.0.44.64`, `section 6.2.2.1`, and the zeroed end of any product of a user agent: `OPX/142.0.0.0`. */
function isVersion(scan: Scan, start: number, end: number): boolean {
  if (hasVersionWord(scan, start)) return true;
  const { text } = scan;
  return text[start - 1] === "/" && wordBefore(text, start - 1) > 0 && text.slice(start, end).endsWith(".0.0.0");
}

function isVersion4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => octet.test(part));
}

/** Maximal runs of hex digits and colons, with the dotted tail of an embedded IPv4 address; each is looked at once. */
function* findVersion6(scan: Scan): Steps<void> {
  const { text } = scan;
  let looked = 0;
  for (let start = 0; start < text.length; start++) {
    if (!isHex(text.charCodeAt(start)) && text[start] !== ":") continue;
    if (++looked % stepSize === 0) yield;
    let end = start;
    while (isHex(text.charCodeAt(end)) || text[end] === ":") end++;
    const next = end;
    if (text[end] === "." && isDigit(text.charCodeAt(end - 1))) {
      const tail = /^\d{0,3}(?:\.\d{1,3}){3}(?!\.?\d)/.exec(text.slice(end, end + 14));
      if (tail !== null) end += tail[0].length;
    }
    const isCutShort = text[end] === "." && isDigit(text.charCodeAt(end + 1));
    if (!isCutShort) reportVersion6(scan, start, end);
    start = Math.max(next, end) - 1;
  }
}

function reportVersion6(scan: Scan, runStart: number, runEnd: number): void {
  const { text } = scan;
  let start = runStart;
  let end = runEnd;
  // A colon of the sentence: `address:2001:db8::1`, `2001:db8::1: no answer`.
  if (text[start] === ":" && text[start + 1] !== ":") start++;
  if (text[end - 1] === ":" && text[end - 2] !== ":") end--;
  if (end - start > 45 || end - start < 2 || !startsClean(text, start)) return;
  const address = text.slice(start, end).toLowerCase();
  if (!isVersion6(address)) return;
  const addressEnd = end;
  const zone = /^%[\w.~-]*\w/.exec(text.slice(end, end + 33)); // RFC 4007 section 11.2
  if (zone !== null) end += zone[0].length;
  end = prefixEnd(text, end, 128);
  const isMarked = end > addressEnd || (text[start - 1] === "[" && text[end] === "]");
  if (!endsClean(text, end)) return;
  const isNamed = /[\da-f]/.test(address) && hasContext(scan, start, addressWords);
  if (isMarked || isNamed || isPlausible(address)) scan.report("IP_ADDRESS", start, end, strength.shape);
}

/** The textual forms of RFC 4291 section 2.2: eight groups, or fewer with one `::`, the last two perhaps as IPv4. */
export function isVersion6(address: string): boolean {
  const lastColon = address.lastIndexOf(":");
  const tail = address.slice(lastColon + 1);
  const isMixed = tail.includes(".");
  if (isMixed && !isVersion4(tail)) return false;
  const halves = (isMixed ? `${address.slice(0, lastColon + 1)}0:0` : address).split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[\da-f]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

/**
 * What reads as an address and is more often something else: a time (`10:30::`), a name in code (`a::b`, `dead::beef`), eight pairs
 * (an EUI-64), and a bare `::`, which names nobody and parts titles.
 */
function isPlausible(address: string): boolean {
  const groups = address.split(":").filter(Boolean);
  if (groups.length === 8) return groups.some((group) => group.length !== 2);
  if (!/\d/.test(address)) return groups.length > 3;
  return (
    groups.length > 4 || (address.startsWith("::") && groups.length > 0) || groups.some((group) => group.length > 2)
  );
}

/** The end of `/24` and its like after `end`, or `end`. */
function prefixEnd(text: string, end: number, bitsMax: number): number {
  const match = /^\/(\d{1,3})(?![\d.]*\d)/.exec(text.slice(end, end + 6));
  if (match === null || Number(match[1]) > bitsMax) return end;
  return endsClean(text, end + match[0].length) ? end + match[0].length : end;
}
