import { isAsciiLetter } from "./characters.ts";
import { barrier, type Span } from "./fold.ts";
import { type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";
import { splitWords } from "./words.ts";

const secretWords = new Set(
  "token,key,apikey,accesstoken,authtoken,secret,password,passwd,pass,pwd,auth,session,sessionid,sid,phpsessid,jsessionid,signature,sig,code,otp,jwt".split(
    ",",
  ),
);
const urlEnds = new Set([" ", "\n", "\r", '"', "<", ">", "`", "|", "\\", "^"]);
const authorityEnds = new Set(["/", "?", "#"]);

/** Credentials in URLs (RFC 3986): user-info before the host, and parameters whose name says that the value is a secret. */
export function* findUrlCredentials(scan: Scan): Steps<void> {
  if (!scan.wants("URL_CREDENTIALS")) return;
  for (const span of findUserInfos(scan.text)) scan.report("URL_CREDENTIALS", span.start, span.end, strength.shape);
  yield;
  const urls = findUrls(scan.text);
  yield;
  yield* findSecretParameters(scan, urls);
}

/** The user-info of every URL (RFC 3986 section 3.2.1), up to its last `@` as browsers read it. Linear: stops at the authority's end. */
export function findUserInfos(text: string): Span[] {
  const spans: Span[] = [];
  for (let scheme = text.indexOf("://"); scheme !== -1; scheme = text.indexOf("://", scheme + 3)) {
    if (!isAsciiLetter(text.charCodeAt(scheme - 1)) && !/\d/.test(text[scheme - 1] ?? "")) continue;
    const start = scheme + 3;
    let end = -1;
    for (let index = start; index < text.length && !isAuthorityEnd(text[index] ?? " "); index++) {
      if (text[index] === "@") end = index;
    }
    if (end > start && !isMasked(text, start, end)) spans.push({ start, end });
  }
  return spans;
}

/** Every URL with a scheme, and what starts with `www.` or a path: from its start to white space, a quote or an angle bracket. */
export function findUrls(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length; start++) {
    let end = start;
    while ("([{'".includes(text[end] ?? " ")) end++;
    let isUrl = text[end] === "/";
    for (; end < text.length && !urlEnds.has(text[end] ?? " "); end++) {
      isUrl ||=
        (text[end] === ":" && text.startsWith("://", end)) || (text[end] === "w" && text.startsWith("www.", end));
    }
    if (isUrl) spans.push({ start, end });
    start = end;
  }
  return spans;
}

/** One pass: a value is read only for a name that matters, and the search continues after it. */
function* findSecretParameters(scan: Scan, urls: readonly Span[]): Steps<void> {
  const { text } = scan;
  let looked = 0;
  for (const url of urls) {
    let nameStart = -1;
    for (let index = url.start; index < url.end; index++) {
      const character = text[index] ?? "";
      if ("?&#;".includes(character)) nameStart = index + 1;
      if (character !== "=" || nameStart === -1) continue;
      if (++looked % stepSize === 0) yield;
      const name = text.slice(nameStart, Math.min(index, nameStart + 64));
      nameStart = -1;
      if (!splitWords(name).some((word) => secretWords.has(word))) continue;
      const start = index + 1;
      let end = start;
      while (end < url.end && !"&#;'".includes(text[end] ?? "&")) end++;
      index = end - 1;
      while (end > start && ").,]}?!:".includes(text[end - 1] ?? " ")) end--;
      if (end > start && !isMasked(text, start, end)) scan.report("URL_CREDENTIALS", start, end, strength.shape);
    }
  }
}

function isAuthorityEnd(character: string): boolean {
  return authorityEnds.has(character) || urlEnds.has(character);
}

/** Already nothing but tokens. */
function isMasked(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (text[index] !== barrier) return false;
  return true;
}
