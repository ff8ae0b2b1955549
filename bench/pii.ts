/** `npm run bench -- pii`: what PII stripping finds and wrongly finds in the labelled corpus, and the time for hostile text. */
import { cpus, release, type } from "node:os";
import {
  defaultTypes,
  type Half,
  nearMissesReported,
  readCorpus,
  recall,
  type Share,
  tornSpans,
  unchanged,
} from "../packages/pii/corpus/corpus.ts";
import { hostilePieces, repeatTo } from "../packages/pii/corpus/hostile.ts";
import { fill } from "../packages/pii/corpus/random.ts";
import { findPii, stripPii } from "../packages/pii/src/index.ts";

const rounds = 15;
const sizeUnits = 65_536;
const hostile = ["a", "1", "1-", "1 ", ".", "a.", "@a.", "a@", ":", "0:", "(", "+1", "AA11"];
const countries = ["DE", "AT", "FR", "GB", "PL", "US"];
const figuresPerLength = 500;
const halves: readonly Half[] = ["tune", "report"];

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${type()} ${release()}, Node ${process.version}\n`);
printQuality();
printCountries();
printTimes();

function printQuality(): void {
  console.log(
    "| type | recall, tuned half | recall, reported half | near misses reported, tuned half | reported half |",
  );
  console.log("|---|---|---|---|---|");
  for (const name of defaultTypes) {
    const found = halves.map((half) => percent(recall(name, half)));
    const wrong = halves.map((half) => rest(nearMissesReported(name, half)));
    console.log(`| ${name} | ${[...found, ...wrong].join(" | ")} |`);
  }
  console.log("\n| texts without personal data | changed, tuned half | changed, reported half |");
  console.log("|---|---|---|");
  console.log(`| prose in seven languages | ${halves.map((half) => rest(unchanged("prose", half))).join(" | ")} |`);
  console.log(
    `| figures, codes, dates, prices, code | ${halves.map((half) => rest(unchanged("figures", half))).join(" | ")} |`,
  );
  console.log(
    `| hits of which a piece of 4 or more survives | ${halves.map((half) => rest(tornSpans(half))).join(" | ")} |\n`,
  );
}

/** Texts and figures without anything personal, in forms of six countries. */
function printCountries(): void {
  const lengths = [6, 7, 8, 9, 10, 11, 12];
  console.log(
    `| country | prose changed | figures and codes changed | bare numbers of ${lengths.join(", ")} digits taken, % | typed into an input for numbers |`,
  );
  console.log("|---|---|---|---|---|");
  for (const country of countries) {
    const clean = (["prose", "figures"] as const).map((name) => {
      const shares = halves.map((half) => unchanged(name, half, country));
      return rest({ good: sum(shares.map(({ good }) => good)), all: sum(shares.map(({ all }) => all)), others: [] });
    });
    const taken = lengths.map((length) => percentOf((number) => findPii(number, { country }).length > 0, length));
    const typed = lengths.map((length) =>
      percentOf((number) => stripPii({ x: Number(number) }, {}, { country }).stripped.length > 0, length),
    );
    console.log(`| ${country} | ${clean.join(" | ")} | ${taken.join(", ")} | ${typed.join(", ")} |`);
  }
  console.log();
}

function percentOf(isTaken: (number: string) => boolean, length: number): string {
  const numbers = Array.from({ length: figuresPerLength }, () => fill(`*${"#".repeat(length - 1)}`));
  return ((100 * numbers.filter(isTaken).length) / figuresPerLength).toFixed(1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The rows of characters that take longest, of every class that a rule knows: found at 2 KiB, measured at 64. */
function slowestPieces(): string[] {
  const times = hostilePieces().map((piece) => {
    const text = repeatTo(piece, 2_048);
    const start = performance.now();
    findPii(text, { country: "DE" });
    findPii(text, { country: "DE" });
    return { piece, milliseconds: performance.now() - start };
  });
  return times
    .sort((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, 5)
    .map(({ piece }) => piece);
}

function printTimes(): void {
  console.log(`| 64 KiB of | median of ${rounds}, ms | slowest, ms |`);
  console.log("|---|---|---|");
  for (const piece of hostile) printTime(`\`${piece}\``, repeat(piece));
  for (const piece of slowestPieces()) printTime(`${JSON.stringify(piece)}, one of the slowest`, repeat(piece));
  printTime("all of these, mixed", repeat(hostile.join("")));
  printTime("`212-555-0147 ` (5,041 hits)", repeat("212-555-0147 "));
  printTime("`a@b.co ` (9,362 hits)", repeat("a@b.co "));
  printTime("`1` × 34 and a space", repeat(`${"1".repeat(34)} `));
  printTime("corpus messages", repeat(corpusText()));
  printTime("10 KiB of prose", repeat(proseText()).slice(0, 10_240));
}

function printTime(title: string, text: string): void {
  findPii(text);
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    findPii(text);
    return performance.now() - start;
  }).sort((one, other) => one - other);
  console.log(`| ${title} | ${times[Math.floor(rounds / 2)]?.toFixed(1)} | ${times.at(-1)?.toFixed(1)} |`);
}

function repeat(piece: string): string {
  return repeatTo(piece, sizeUnits);
}

function corpusText(): string {
  return halves
    .flatMap((half) => readCorpus("messages", half))
    .map((entry) => entry.text)
    .join("\n");
}

function proseText(): string {
  return halves
    .flatMap((half) => readCorpus("prose", half))
    .map((entry) => entry.text)
    .join(" ");
}

function percent({ good, all }: Share): string {
  return `${((100 * good) / all).toFixed(1)} % of ${all}`;
}

function rest({ good, all }: Share): string {
  return `${all - good} of ${all}`;
}
