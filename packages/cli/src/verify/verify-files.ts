import { counted } from "../counted.ts";
import { mapInOrder } from "../map-in-order.ts";
import { findHeaderErrors } from "./answer-headers.ts";
import { type Browser, createHeaders } from "./browsers.ts";
import { createFindings, type Finding } from "./findings.ts";
import { readMarkup } from "./markup.ts";
import type { ReleaseList } from "./release-list.ts";
import { hashServed, isPagePath } from "./served-list.ts";
import type { Answer, Visitor } from "./visitor.ts";

/** A browser that asks, over its own connections. */
export interface Witness {
  readonly browser: Browser;
  readonly visitor: Visitor;
}

/** One path as one browser got it. */
interface Look {
  readonly path: string;
  readonly browser: string;
  readonly got:
    | { readonly hash: string; readonly scripts: readonly string[]; readonly headerErrors: readonly string[] }
    | { readonly exit: Finding["exit"]; readonly message: string };
}

export interface FilesVerdict {
  /** The release that fits best. */
  readonly list: ReleaseList;
  readonly findings: readonly Finding[];
}

/** The origin of a page that the scripts of the embed are asked for from. */
const pageOrigin = "https://www.example.org";
const togetherMax = 6;

/**
 * Fetches as every witness what the lists name, and compares. The instance must be one of the releases for everybody: one for some and an
 * older one for others is a difference.
 */
export async function verifyFiles(
  instance: string,
  lists: readonly ReleaseList[],
  witnesses: readonly Witness[],
): Promise<FilesVerdict> {
  const paths = [...new Set(lists.flatMap(({ files }) => [...files.keys()]))];
  const looks: Look[] = [];
  for (const witness of witnesses)
    for await (const some of mapInOrder(asyncOf(paths), togetherMax, (path) => look(instance, path, witness)))
      looks.push(...some);
  const [best] = lists
    .map((list) => ({ list, findings: compare(looks, list) }))
    .toSorted((one, other) => countDifferences(one.findings) - countDifferences(other.findings));
  if (best === undefined) throw new Error("There is no list to compare with");
  return { list: best.list, findings: [...summarize(best), ...compareHeaders(looks, best.list)] };
}

async function* asyncOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** Scripts of the embed are asked for from a page of another origin too, as pages do that have the snippet. */
async function look(instance: string, path: string, { browser, visitor }: Witness): Promise<readonly Look[]> {
  const purpose = isPagePath(path) ? "page" : "file";
  const origins = path.startsWith("/embed/") ? [undefined, pageOrigin] : [undefined];
  return Promise.all(
    origins.map(async (origin) => {
      const answer = await visitor.get(new URL(path, instance), createHeaders(browser, purpose, origin));
      return { path, browser: browser.name, got: read(path, answer) };
    }),
  );
}

function read(path: string, answer: Answer): Look["got"] {
  const trouble = findTrouble(answer);
  if (trouble !== undefined || answer.kind !== "answer") return trouble ?? { exit: "unavailable", message: "" };
  const { body, headers } = answer;
  const tags = isPagePath(path) ? readMarkup(body.toString("utf8")).tags : [];
  const scripts = tags.filter(({ name }) => name === "script");
  return {
    hash: hashServed(path, body),
    scripts: scripts.map(({ attributes }) => attributes.get("src") ?? "a script inside the page"),
    headerErrors: findHeaderErrors(path, headers),
  };
}

/** Why an answer is not what was asked for; `undefined` for a 200. */
export function findTrouble(answer: Answer): { readonly exit: Finding["exit"]; readonly message: string } | undefined {
  if (answer.kind === "unavailable") return { exit: "unavailable", message: `could not be fetched (${answer.reason})` };
  if (answer.kind === "too large") return { exit: "differs", message: "is larger than anything of a release" };
  const { status, headers } = answer;
  if (status === 200) return undefined;
  if (status === 429 || status >= 500)
    return { exit: "unavailable", message: `was answered with ${status}; try again` };
  if (status >= 300 && status < 400)
    return {
      exit: "differs",
      message: `leads to ${headers.location ?? "nowhere"}; give the address that answers itself`,
    };
  return { exit: "differs", message: status === 404 ? "is not served" : `was answered with ${status}` };
}

function compare(looks: readonly Look[], { version, files }: ReleaseList): readonly Finding[] {
  const findings = createFindings();
  for (const { path, browser, got } of looks) {
    const expected = files.get(path);
    if (expected === undefined) continue;
    if ("exit" in got) {
      findings.add(got.exit, path, got.message, browser);
      continue;
    }
    if (got.hash === expected) continue;
    const foreign = got.scripts.filter((src) => !files.has(src));
    const loads =
      foreign.length === 0 ? "" : `; it has ${[...new Set(foreign)].slice(0, 5).join(", ")}, which the release has not`;
    findings.add("differs", path, `is not that of Sealpost ${version}${loads}`, browser);
  }
  return findings.list();
}

/** Findings about headers. If most files have one, a proxy adds it to all: that is one finding. */
function compareHeaders(looks: readonly Look[], { files }: ReleaseList): readonly Finding[] {
  const paths = new Map<string, Set<string>>();
  const errors = looks.flatMap(({ path, browser, got }) =>
    "exit" in got || !files.has(path) ? [] : got.headerErrors.map((message) => ({ path, browser, message })),
  );
  for (const { path, message } of errors) paths.set(message, (paths.get(message) ?? new Set()).add(path));
  const findings = createFindings();
  for (const { path, browser, message } of errors) {
    const count = paths.get(message)?.size ?? 0;
    if (count * 2 > files.size)
      findings.add("differs", "the instance", `${message} (${counted(count, "file")})`, browser);
    else findings.add("differs", path, message, browser);
  }
  return findings.list();
}

function countDifferences(findings: readonly Finding[]): number {
  return findings.filter(({ exit }) => exit === "differs").length;
}

/** An instance of another version differs nearly everywhere, which a line for each file would hide. */
function summarize({ list, findings }: FilesVerdict): readonly Finding[] {
  const differing = new Set(findings.filter(({ exit }) => exit === "differs").map(({ subject }) => subject));
  if (differing.size * 2 <= list.files.size) return findings;
  const message =
    `${differing.size} of ${counted(list.files.size, "file")} differ from those of Sealpost ${list.version}. If the instance runs another version, ` +
    "name that release with --release; if it should run this one, do not use it";
  const summary = createFindings();
  for (const { exit, browsers } of findings)
    if (exit === "differs") for (const browser of browsers) summary.add(exit, "the instance", message, browser);
  return [...summary.list(), ...findings.filter(({ exit }) => exit !== "differs")];
}
