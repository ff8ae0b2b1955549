import { createHash } from "node:crypto";
import { createHeaders } from "./browsers.ts";
import type { Findings } from "./findings.ts";
import type { ReleaseList } from "./release-list.ts";
import { hashBytes } from "./served-list.ts";
import { type EmbeddedForm, type EmbedTag, readSnippet } from "./snippet.ts";
import { findTrouble, type Witness } from "./verify-files.ts";
import { type PinnedForm, verifyPagePins } from "./verify-forms.ts";
import { follow } from "./visitor.ts";

export interface PageOptions {
  readonly instance: string;
  /** All releases whose scripts pages may have. */
  readonly lists: readonly ReleaseList[];
  /** The forms whose fingerprints are known. */
  readonly forms: readonly PinnedForm[];
}

/** Reads a page as every witness, and checks the script that it loads and the key that it pins. Gives the ids of the forms in it. */
export async function verifyPage(
  address: string,
  options: PageOptions,
  witnesses: readonly Witness[],
  findings: Findings,
): Promise<readonly string[]> {
  const pinned = new Map<string, { readonly form: PinnedForm; readonly witnesses: Witness[] }>();
  const ids = new Set<string>();
  for (const witness of witnesses) {
    const report = (exit: "differs" | "unavailable", message: string) =>
      findings.add(exit, address, message, witness.browser.name);
    const { answer, url } = await follow(witness.visitor, new URL(address), createHeaders(witness.browser, "page"));
    const trouble = findTrouble(answer);
    if (trouble !== undefined) report(trouble.exit, trouble.message);
    if (trouble !== undefined || answer.kind !== "answer") continue;
    const { scripts, forms } = readSnippet(answer.body.toString("utf8"));
    if (scripts.length === 0 || forms.length === 0)
      report("differs", "has no snippet of Sealpost. If a program of yours puts it in, this command can't see it");
    for (const script of scripts) await checkScript(script, url, options, witness, report);
    for (const form of forms) {
      ids.add(form.id);
      checkForm(form, options, report);
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
  return [...ids];
}

type Report = (exit: "differs" | "unavailable", message: string) => void;

async function checkScript(
  { src, integrity }: EmbedTag,
  page: URL,
  { lists }: PageOptions,
  { browser, visitor }: Witness,
  report: Report,
): Promise<void> {
  if (integrity === undefined)
    report("differs", `loads ${src} without integrity, so the server can change it. Take the snippet of the dashboard`);
  if (!URL.canParse(src, page.href)) return report("differs", `loads a script from ${src}, which is no address`);
  const url = new URL(src, page);
  const answer = await visitor.get(url, createHeaders(browser, "file", page.origin));
  const trouble = findTrouble(answer);
  if (trouble !== undefined) return report(trouble.exit, `its script ${url.href} ${trouble.message}`);
  if (answer.kind !== "answer") return;
  if (integrity !== undefined && !isIntegrityOf(integrity, answer.body))
    report("differs", `${url.href} does not fit its integrity, so browsers refuse it and nobody can send`);
  const hash = hashBytes(answer.body);
  if (!lists.some(({ files }) => [...files.values()].includes(hash)))
    report(
      "differs",
      `${url.href} is in none of the releases compared with. If the page has an older script, name that release with --release too`,
    );
}

/** Whether a browser takes these bytes: of several hashes it takes those of the strongest algorithm. */
function isIntegrityOf(integrity: string, bytes: Uint8Array): boolean {
  const hashes = [...integrity.matchAll(/\b(sha256|sha384|sha512)-([\w+/]+=*)/g)];
  const strongest = hashes
    .map(([, algorithm = ""]) => algorithm)
    .toSorted()
    .at(-1);
  return hashes.some(
    ([, algorithm = "", hash]) =>
      algorithm === strongest && createHash(algorithm).update(bytes).digest("base64") === hash,
  );
}

function checkForm(
  { id, pins, isSealed, endpoint }: EmbeddedForm,
  { forms, instance }: PageOptions,
  report: Report,
): void {
  if (!isSealed) report("differs", `sends ${id} unsealed (encryption: false), so the server can read it`);
  if (endpoint !== undefined && URL.canParse(endpoint) && new URL(endpoint).origin !== new URL(instance).origin)
    report("differs", `sends ${id} to ${endpoint}, not to ${instance}`);
  if (isSealed && pins === undefined)
    report("differs", `pins no key for ${id}, so the server can swap it. Add keyFingerprint to the snippet`);
  const known = forms.find((form) => form.id === id);
  const foreign = pins?.find((pin) => known?.pins.includes(pin) === false);
  if (foreign !== undefined) report("differs", `pins ${foreign} for ${id}, which is not one of yours`);
}
