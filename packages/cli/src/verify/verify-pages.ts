import { createHash } from "node:crypto";
import { MIMEType } from "node:util";
import { createHeaders } from "./browsers.ts";
import type { Findings } from "./findings.ts";
import type { ReleaseList } from "./release-list.ts";
import { hashBytes } from "./served-list.ts";
import { type EmbeddedForm, type EmbedTag, isKeyLogEmbed, leadsOn, readSnippet, type Snippet } from "./snippet.ts";
import { findTrouble, type Witness } from "./verify-files.ts";
import { type PinnedForm, verifyPagePins } from "./verify-forms.ts";
import { verifyKeyLogPin } from "./verify-key-log.ts";
import { type Answer, follow } from "./visitor.ts";

export interface PageOptions {
  readonly instance: string;
  /** All releases whose scripts pages may have. */
  readonly lists: readonly ReleaseList[];
  /** The forms whose fingerprints are known. */
  readonly forms: readonly PinnedForm[];
}

export interface PageVerdict {
  /** The ids of the forms in it. */
  readonly ids: readonly string[];
  /** Its other scripts, which nobody checked. */
  readonly others: readonly string[];
}

/** Reads a page as every witness, and checks the script that it loads and the key that it pins. */
export async function verifyPage(
  address: string,
  options: PageOptions,
  witnesses: readonly Witness[],
  findings: Findings,
): Promise<PageVerdict> {
  const pinned = new Map<string, { readonly form: PinnedForm; readonly witnesses: Witness[] }>();
  const ids = new Set<string>();
  const others = new Set<string>();
  for (const witness of witnesses) {
    const report = (exit: "differs" | "unavailable", message: string) =>
      findings.add(exit, address, message, witness.browser.name);
    const { answer, url } = await follow(witness.visitor, new URL(address), createHeaders(witness.browser, "page"));
    const trouble = findTrouble(answer);
    if (trouble !== undefined) report(trouble.exit, trouble.message);
    if (trouble !== undefined || answer.kind !== "answer") continue;
    const snippet = readSnippet(answer.body.toString("utf8"));
    const { scripts, forms, unclear } = snippet;
    for (const message of unclear) report("differs", message);
    if (leadsOn(String(answer.headers.refresh ?? "")))
      report("differs", "sends visitors on to another address; give this command that one");
    if (!hasKnownCharset(answer)) report("differs", "has a charset in which this command can't read it; use UTF-8");
    for (const other of snippet.others) others.add(other);
    const base = findBase(snippet, url);
    if (scripts.length === 0 || (forms.length === 0 && unclear.length === 0))
      report("differs", "has no snippet of Sealpost. If a program of yours puts it in, this command can't see it");
    for (const script of scripts) await checkScript(script, { url, base }, options, witness, report);
    for (const form of forms) {
      ids.add(form.id);
      checkForm(form, findServices(form, scripts, base), options, report);
      if (form.keyLog !== undefined) await checkKeyLog(form, form.keyLog, snippet, url, options, witness, findings);
      if (form.pins === undefined) continue;
      const key = JSON.stringify(form);
      const entry = pinned.get(key) ?? { form: { id: form.id, pins: form.pins }, witnesses: [] };
      entry.witnesses.push(witness);
      pinned.set(key, entry);
    }
  }
  const { origin } = new URL(address);
  for (const { form, witnesses: readers } of pinned.values())
    await verifyPagePins(options.instance, form, origin, readers, findings);
  return { ids: [...ids], others: [...others] };
}

/**
 * Whether the bytes of markup stand for what they do in ASCII: in other charsets they can stand for something else. The header's counts,
 * and without one whatever browsers could find in the page (HTML Standard, section 13.2.3), of which only what all agree on is taken.
 */
function hasKnownCharset({ headers, body }: Extract<Answer, { kind: "answer" }>): boolean {
  const known = /^(utf-?8|us-ascii|iso-?8859-?\d+|latin-?\d|windows-125\d)$/i;
  const hasMark = [0xfe, 0xff].includes(body[0] ?? 0) && [0xfe, 0xff].includes(body[1] ?? 0);
  if (hasMark) return false;
  const header = readCharset(headers["content-type"] ?? "");
  if (header !== undefined) return known.test(header);
  const named = body.toString("latin1").matchAll(/charset\s*=[\s"']*([\w.:-]+)/gi);
  const names = Array.from(named, ([, name = ""]) => name);
  // An escape begins another set of characters where a browser has to guess.
  return names.every((name) => known.test(name)) && (names.length > 0 || !body.includes(0x1b));
}

/** The first of several, as browsers take it. `undefined` without one, and for a text that is not a media type. */
function readCharset(contentType: string): string | undefined {
  try {
    return new MIMEType(contentType).params.get("charset") ?? undefined;
  } catch {
    return undefined;
  }
}

function findBase({ base = "" }: Snippet, page: URL): URL {
  return URL.canParse(base, page.href) ? new URL(base, page) : page;
}

/** Where a form may be sent: the option, or where its page has the script from, which may be several places. */
function findServices({ endpoint }: EmbeddedForm, scripts: readonly EmbedTag[], base: URL): readonly string[] {
  const addresses = endpoint === undefined ? scripts.map(({ src }) => src) : [endpoint];
  return addresses.map((address) => (URL.canParse(address, base.href) ? new URL(address, base).origin : address));
}

type Report = (exit: "differs" | "unavailable", message: string) => void;

async function checkScript(
  { src, integrity, isAnonymous }: EmbedTag,
  { url: page, base }: { readonly url: URL; readonly base: URL },
  { lists }: PageOptions,
  { browser, visitor }: Witness,
  report: Report,
): Promise<void> {
  if (integrity === undefined)
    report("differs", `loads ${src} without integrity, so the server can change it. Take the snippet of the dashboard`);
  if (!URL.canParse(src, base.href)) return report("differs", `loads a script from ${src}, which is no address`);
  const url = new URL(src, base);
  if (!/^https?:$/.test(url.protocol))
    return report("differs", `loads a script from ${src.slice(0, 100)}, which is no address`);
  if (integrity !== undefined && url.origin !== page.origin && !isAnonymous)
    report("differs", `loads ${src} without crossorigin, so browsers refuse it. Take the snippet of the dashboard`);
  const answer = await visitor.get(url, createHeaders(browser, "file", page.origin));
  const trouble = findTrouble(answer);
  if (trouble !== undefined) return report(trouble.exit, `its script ${url.href} ${trouble.message}`);
  if (answer.kind !== "answer") return;
  if (integrity !== undefined)
    for (const message of findIntegrityErrors(integrity, answer.body)) report("differs", `${url.href} ${message}`);
  const hash = hashBytes(answer.body);
  if (!lists.some(({ files }) => [...files.values()].includes(hash)))
    report(
      "differs",
      `${url.href} is in none of the releases compared with. If the page has an older script, name that release with --release too`,
    );
}

/** Browsers take a script if one hash of the strongest algorithm fits, and any script if none is valid. So each has to be of these bytes. */
function findIntegrityErrors(integrity: string, bytes: Uint8Array): readonly string[] {
  const fits = integrity
    .split(/[\t\n\f\r ]+/)
    .filter((token) => token !== "")
    .map((token) => {
      const [, algorithm, hash] = /^(sha256|sha384|sha512)-([\w+/-]{43,86}={0,2})$/.exec(token) ?? [];
      return algorithm !== undefined && createHash(algorithm).update(bytes).digest("base64") === hash;
    });
  if (!fits.includes(true))
    return [
      "does not fit its integrity, so browsers refuse it and nobody can send, or it is no hash and they take any",
    ];
  return fits.includes(false)
    ? ["has an integrity with something else in it, so another script could take its place"]
    : [];
}

/** The log as this witness gets it, the key that it is offered, and whether the page's script knows the option at all. */
async function checkKeyLog(
  { id }: EmbeddedForm,
  pin: string,
  { scripts }: Snippet,
  { origin }: URL,
  { instance }: PageOptions,
  witness: Witness,
  findings: Findings,
): Promise<void> {
  const report = (message: string) => findings.add("differs", id, message, witness.browser.name);
  if (!scripts.some(({ src }) => isKeyLogEmbed(src)))
    report(`the page at ${origin} pins its key log, which its script does not know, so nobody can send there`);
  await verifyKeyLogPin(instance, { id, pin }, origin, witness, findings);
}

function checkForm(
  { id, pins, keyLog, isSealed, endpoint }: EmbeddedForm,
  services: readonly string[],
  { forms, instance }: PageOptions,
  report: Report,
): void {
  if (!isSealed) report("differs", `sends ${id} unsealed (encryption: false), so the server can read it`);
  const elsewhere = services.find((service) => service !== new URL(instance).origin);
  if (elsewhere !== undefined || services.length === 0)
    report("differs", `sends ${id} to ${endpoint ?? elsewhere ?? "nowhere"}, not to ${instance}`);
  if (isSealed && pins === undefined && keyLog === undefined)
    report("differs", `pins no key for ${id}, so the server can swap it. Add keyFingerprint or keyLog to the snippet`);
  const known = forms.find((form) => form.id === id);
  const foreign = pins?.find((pin) => known?.pins.includes(pin) === false);
  if (foreign !== undefined) report("differs", `pins ${foreign} for ${id}, which is not one of yours`);
}
