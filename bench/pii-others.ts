/**
 * `npm run bench -- pii-others FOLDER`: what PII stripping finds and wrongly finds in texts that others wrote. FOLDER holds one
 * checkout for each repository of pii-others/sources.ts, under the repository's name. Their texts are not part of this repository; the
 * figures are in bench/RESULTS.md. `--misses` shows what went wrong in the half that rules may be tuned on, never in the other.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type Half, halfOf } from "../packages/pii/corpus/corpus.ts";
import { findPii } from "../packages/pii/src/index.ts";
import { defaultTypes } from "../packages/pii/src/types.ts";
import { printPages } from "./pii-others/pages.ts";
import { isThere, type LabelledText, type Span } from "./pii-others/readers.ts";
import {
  labelledSources,
  listSources,
  pageSource,
  phoneSource,
  proseSources,
  type Source,
} from "./pii-others/sources.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { misses: { type: "boolean", default: false } },
});
const root = positionals[0];
if (root === undefined) throw new Error("Say the folder that holds the checkouts");
const halves: readonly Half[] = ["tune", "report"];
/** A type with fewer spans says little: one that is missed weighs as much as fifty of another. */
const spansMin = 20;

interface Scored {
  readonly entry: LabelledText;
  readonly half: Half;
  readonly found: readonly Span[];
  readonly missed: readonly Span[];
  /** Hits that touch nothing that is labelled, as whatever. */
  readonly wrong: readonly Span[];
}

for (const { repository, commit } of [...labelledSources, ...listSources, ...proseSources, pageSource])
  checkCommit(repository, commit);
printLabelled();
printProse();
await printPages(folderOf(pageSource.repository), options.misses);

function printLabelled(): void {
  const all: Scored[] = [];
  console.log(
    "| source | texts | labelled spans | macro recall, tuned half | reported half | wrong hits, tuned half | reported half |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (const source of labelledSources) {
    const scored = source.read(folderOf(source.repository)).map(score);
    all.push(...scored);
    printRow(source.repository, scored);
  }
  printRow("all of these", all);
  const lists = scoreLists();
  printRow(`${listSources.length} test lists`, lists);
  all.push(...lists);
  printRow("all of these and the lists", all);
  printRow(`the same, types with ${spansMin} spans or more in the half`, all, spansMin);
  printRow(
    `${phoneSource.repository}, mobile numbers alone`,
    phoneSource.read(folderOf(phoneSource.repository)).map(score),
  );
  const emails = proseSources.flatMap((source) => readProse(source).map(score));
  printRow("treebanks, labelled by us", emails);
  console.log("\n| type | found, tuned half | reported half |\n|---|---|---|");
  for (const type of defaultTypes) {
    const cells = halves.map(
      (half) =>
        share(
          all.concat(emails).filter((one) => one.half === half),
          type,
        ).text,
    );
    console.log(`| ${type} | ${cells.join(" | ")} |`);
  }
  for (const one of [...all, ...emails]) if (options.misses && one.half === "tune") show(one);
}

/** A text that several of them test counts once. */
function scoreLists(): Scored[] {
  const texts = listSources.flatMap((source) => source.read(folderOf(source.repository)));
  return Array.from(new Map(texts.map((entry) => [entry.text, entry])).values(), score);
}

function printProse(): void {
  console.log("\n| language | sentences | wrong hits, tuned half | reported half |\n|---|---|---|---|");
  const all: Scored[] = [];
  for (const language of ["en", "de", "fr", "es"]) {
    const scored = proseSources
      .filter((source) => source.language === language)
      .flatMap((source) => readProse(source).map(score));
    all.push(...scored);
    printProseRow(language, scored);
  }
  printProseRow("all", all);
}

function printProseRow(title: string, scored: readonly Scored[]): void {
  const cells = halves.map((half) => {
    const own = scored.filter((one) => one.half === half);
    return `${sum(own, ({ wrong }) => wrong.length)} in ${own.length}`;
  });
  console.log(`| ${title} | ${scored.length} | ${cells.join(" | ")} |`);
}

/** A treebank labels no personal data; labels.json names the spans by sentence. */
function readProse(source: Source): LabelledText[] {
  const name = basename(source.repository);
  const labels = readLabels()[name] ?? {};
  return source.read(folderOf(source.repository)).map((entry) => ({ ...entry, spans: labels[entry.id] ?? [] }));
}

function readLabels(): Record<string, Record<string, Span[]>> {
  return JSON.parse(readFileSync(new URL("pii-others/labels.json", import.meta.url), "utf8"));
}

function printRow(title: string, scored: readonly Scored[], least = 1): void {
  const recalls = halves.map((half) =>
    macroRecall(
      scored.filter((one) => one.half === half),
      least,
    ),
  );
  const wrong = halves.map((half) =>
    sum(
      scored.filter((one) => one.half === half),
      (one) => one.wrong.length,
    ),
  );
  const spans = sum(scored, ({ entry }) => entry.spans.filter(({ type }) => type !== undefined).length);
  console.log(`| ${[title, scored.length, spans, ...recalls, ...wrong].join(" | ")} |`);
}

function score(entry: LabelledText): Scored {
  const hits = findPii(entry.text, entry.country === undefined ? {} : { country: entry.country });
  const wanted = entry.spans.filter(({ type }) => type !== undefined);
  const missed = wanted.filter((span) => survivors(entry.text, span, hits) !== "");
  const wrong = hits.filter((hit) => !entry.spans.some((span) => hit.start < span.end && span.start < hit.end));
  return { entry, half: halfOf(entry.text), found: wanted.filter((span) => !missed.includes(span)), missed, wrong };
}

function survivors(text: string, span: Span, hits: readonly Span[]): string {
  let rest = "";
  for (let index = span.start; index < span.end; index++)
    if (!hits.some((hit) => hit.start <= index && index < hit.end)) rest += text[index];
  return rest.replace(/[^\p{L}\p{N}]/gu, "");
}

/** The mean over the types that the texts have, so that many email addresses do not hide few IBANs. */
function macroRecall(scored: readonly Scored[], least: number): string {
  const shares = defaultTypes
    .map((type) => share(scored, type))
    .filter(({ spans }) => spans >= least)
    .map(({ value }) => value)
    .filter((value) => value !== undefined);
  return shares.length === 0 ? "–" : (shares.reduce((total, value) => total + value, 0) / shares.length).toFixed(3);
}

function share(scored: readonly Scored[], type: string): { value: number | undefined; spans: number; text: string } {
  const count = (pick: (one: Scored) => readonly Span[]) =>
    sum(scored, (one) => pick(one).filter((span) => span.type === type).length);
  const found = count((one) => one.found);
  const all = found + count((one) => one.missed);
  return { value: all === 0 ? undefined : found / all, spans: all, text: all === 0 ? "–" : `${found} of ${all}` };
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function show({ entry, missed, wrong }: Scored): void {
  const quote = (span: Span) => `${span.type} ${JSON.stringify(entry.text.slice(span.start, span.end))}`;
  for (const span of missed)
    console.log(`MISSED ${quote(span)} in ${JSON.stringify(entry.text.slice(0, 200))} ${entry.id}`);
  for (const span of wrong)
    console.log(`WRONG  ${quote(span)} in ${JSON.stringify(entry.text.slice(0, 200))} ${entry.id}`);
}

function folderOf(repository: string): string {
  return join(root ?? "", basename(repository));
}

/** Other commits have other texts, so other figures. */
function checkCommit(repository: string, commit: string): void {
  const folder = folderOf(repository);
  if (!isThere(folder))
    throw new Error(`${folder} is missing: git clone https://github.com/${repository} and check out ${commit}`);
  const { stdout } = spawnSync("git", ["-C", folder, "rev-parse", "HEAD"], { encoding: "utf8" });
  if (stdout.trim() !== commit)
    console.error(`${repository}: the figures are of ${commit}, here is ${stdout.trim() || "no checkout"}`);
}
