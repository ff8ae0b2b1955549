import { isId } from "@sealpost/wire";
import type { Context } from "../context.ts";
import { counted } from "../counted.ts";
import { CommandError } from "../exit-code.ts";
import { parseInstanceUrl } from "../instance-url.ts";
import { printableLines } from "../printable.ts";
import { formatJson, formatTime } from "../table.ts";
import { browsers, createBrowser, createHeaders } from "./browsers.ts";
import { createFindings, type Finding, formatFindings } from "./findings.ts";
import { type Download, loadBuiltInList, loadReleaseList, type ReleaseList } from "./release-list.ts";
import { type FilesVerdict, findTrouble, verifyFiles, type Witness } from "./verify-files.ts";
import { type PinnedForm, verifyForm } from "./verify-forms.ts";
import { verifyPage } from "./verify-pages.ts";
import { isOlder, isVersion } from "./version-order.ts";
import { createVisitor, follow } from "./visitor.ts";

export interface VerifyOptions {
  readonly release?: readonly string[];
  readonly signer?: string;
  readonly atLeast?: string;
  readonly form?: readonly string[];
  readonly page?: readonly string[];
  readonly userAgent?: readonly string[];
  readonly json?: boolean;
}

/** A monitor that runs every hour must have ended by then, whatever it is answered. */
const minutesMax = 10;
/** How many releases, forms, pages and browsers: every browser asks for each of them. */
const manyMax = 20;

/** Throws a `CommandError` where the instance differs from what was released, or could not be checked. */
export async function verifyInstance(
  context: Context,
  version: string,
  url: string,
  options: VerifyOptions,
): Promise<void> {
  const instance = parseInstanceUrl(url);
  const forms = (options.form ?? []).map(parseForm);
  const pages = (options.page ?? []).map(parsePage);
  if (options.atLeast !== undefined && !isVersion(options.atLeast))
    throw new CommandError("usage", `--at-least is a version such as 0.2.0: ${options.atLeast}`);
  const asked = [...browsers, ...(options.userAgent ?? []).map(parseUserAgent)];
  if ([options.release ?? [], forms, pages, asked].some((many) => many.length > manyMax))
    throw new CommandError("usage", `At most ${manyMax} of each at a time.`);
  const deadline = AbortSignal.timeout(minutesMax * 60_000);
  const signal = AbortSignal.any([context.signal, deadline]);
  const witnesses = asked.map((browser): Witness => ({ browser, visitor: createVisitor(signal) }));
  try {
    const lists = await loadLists(options, version, witnesses);
    const { list, findings } = await verifyFiles(
      instance,
      lists.map((one) => addFormPages(one, forms)),
      witnesses,
    );
    const others = createFindings();
    if (options.atLeast !== undefined && !isAtLeast(list.version, options.atLeast))
      for (const { name } of asked)
        others.add(
          "differs",
          "the instance",
          `is compared with Sealpost ${list.version}, older than ${options.atLeast}`,
          name,
        );
    const origins = new Map<string, string[]>();
    const otherScripts = new Map<string, readonly string[]>();
    for (const page of pages) {
      const verdict = await verifyPage(page, { instance, lists, forms }, witnesses, others);
      otherScripts.set(page, verdict.others);
      for (const id of verdict.ids) origins.set(id, [...(origins.get(id) ?? []), new URL(page).origin]);
    }
    for (const form of forms) await verifyForm(instance, form, origins.get(form.id) ?? [], witnesses, others);
    const all = [...findings, ...others.list()];
    const outcome = {
      instance,
      list,
      findings: all,
      browsers: asked.map(({ name }) => name),
      forms,
      pages,
      otherScripts,
    };
    report(context, outcome, options.json ?? false);
  } catch (error) {
    if (deadline.aborted && !context.signal.aborted)
      throw new CommandError(
        "unavailable",
        `Not done after ${minutesMax} minutes, so it was ended. Try again, or check fewer pages.`,
      );
    throw error;
  } finally {
    for (const { visitor } of witnesses) visitor.close();
  }
}

async function loadLists(
  { release = [], signer }: VerifyOptions,
  version: string,
  [witness]: readonly Witness[],
): Promise<readonly ReleaseList[]> {
  if (release.length === 0 && signer !== undefined)
    throw new CommandError("usage", "--signer checks the signature of a release: name that with --release.");
  if (release.length === 0) return [await loadBuiltInList(version)];
  if (witness === undefined) throw new Error("There is nobody to ask");
  const download: Download = async (url) => {
    if (url.protocol === "http:") parseInstanceUrl(url.origin); // which refuses it, unless it stays on this machine
    // Where releases are kept, addresses of files often lead to other ones. What comes is checked, wherever it comes from.
    const { answer } = await follow(witness.visitor, url, createHeaders(witness.browser, "data"));
    if (answer.kind === "answer" && answer.status === 200) return answer.body;
    if (answer.kind === "answer" && answer.status === 404) return undefined;
    const { message } = findTrouble(answer) ?? { message: "could not be fetched" };
    throw new CommandError("unavailable", `${url.href} of the release ${message}`);
  };
  return Promise.all(release.map((place) => loadReleaseList(place, signer, download)));
}

/** A release that calls itself something else than a version could be any. */
function isAtLeast(version: string, oldest: string): boolean {
  return isVersion(version) && !isOlder(version, oldest);
}

/** Each named form must get the same pages as any other form: a server could lie to the owner of one form only. */
function addFormPages(list: ReleaseList, forms: readonly PinnedForm[]): ReleaseList {
  const ofAny = [...list.files].filter(([path]) => /^\/forms\/any(\/|$)/.test(path));
  const own = forms.flatMap(({ id }) => ofAny.map(([path, hash]) => [path.replace("any", id), hash] as const));
  return { ...list, files: new Map([...list.files, ...own]) };
}

interface Outcome extends FilesVerdict {
  readonly instance: string;
  readonly browsers: readonly string[];
  readonly forms: readonly PinnedForm[];
  readonly pages: readonly string[];
  /** By page. */
  readonly otherScripts: ReadonlyMap<string, readonly string[]>;
}

const trusts = {
  signed: "signed with the key that you gave",
  unsigned: "unsigned build: nobody has signed its list",
  "built in": "by the list of this command line",
} as const satisfies Record<ReleaseList["trust"], string>;

/** Results on standard output; what is wrong as the error that the program ends with, so that a cron job sends nothing else. */
function report(
  { output, now }: Context,
  { instance, list, findings, browsers: asked, forms, pages, otherScripts }: Outcome,
  isJson: boolean,
): void {
  const { version, trust, files } = list;
  const release = { version, trust, files: files.size };
  if (isJson)
    output.write(
      `${formatJson({ instance, checkedAt: formatTime(now()), release, browsers: asked, forms, pages, otherScripts: Object.fromEntries(otherScripts), findings }, 2)}\n`,
    );
  else {
    const lines = [
      `${instance}: ${counted(files.size, "file")} as ${counted(asked.length, "browser")}, ${counted(forms.length, "form")}, ${counted(pages.length, "page")}`,
      `compared with Sealpost ${version}, ${trusts[trust]}`,
      ...[...otherScripts].flatMap(([page, scripts]) =>
        scripts.map((script) => `${page} has another script, which is not checked: ${script}`),
      ),
      ...(findings.length === 0 ? ["everything is as it should be"] : []),
    ];
    output.write(`${printableLines(lines.join("\n"))}\n`);
  }
  if (findings.length > 0) throw toError(instance, findings, asked.length);
}

function toError(instance: string, findings: readonly Finding[], browserCount: number): CommandError {
  const differs = findings.some(({ exit }) => exit === "differs");
  const advice = differs
    ? "Until you know why, open submissions with sealpost-opener.html or the command line, not with the dashboard. An upgrade that is under way differs too: try again after it."
    : "Not everything could be checked. Try again.";
  return new CommandError(
    differs ? "differs" : "unavailable",
    `${instance} ${differs ? "is not what it should be" : "could not be checked"}:\n${formatFindings(findings, browserCount)}\n${advice}`,
  );
}

function parseForm(text: string): PinnedForm {
  const [id, list = ""] = text.split("=");
  const pins = list.split(",").map((pin) => pin.trim());
  if (!isId("form", id) || !pins.every((pin) => /^[\w-]{43}$/.test(pin)))
    throw new CommandError(
      "usage",
      `--form is like form_…=FINGERPRINT, with the fingerprints of your key file (43 characters each): ${text}`,
    );
  return { id, pins };
}

function parsePage(text: string): string {
  if (!URL.canParse(text))
    throw new CommandError(
      "usage",
      `--page is the address of a page, such as https://www.example.org/contact: ${text}`,
    );
  const url = new URL(text);
  parseInstanceUrl(url.origin);
  return url.href;
}

function parseUserAgent(text: string) {
  if (!/^[\x20-\x7e]{1,500}$/.test(text))
    throw new CommandError("usage", "--user-agent is up to 500 characters of ASCII.");
  return createBrowser(text);
}
