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
import { findPii } from "../packages/pii/src/index.ts";

const rounds = 15;
const sizeUnits = 65_536;
const hostile = ["a", "1", "1-", "1 ", ".", "a.", "@a.", "a@", ":", "0:", "(", "+1", "AA11"];
const halves: readonly Half[] = ["tune", "report"];

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${type()} ${release()}, Node ${process.version}\n`);
printQuality();
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

function printTimes(): void {
  console.log(`| 64 KiB of | median of ${rounds}, ms | slowest, ms |`);
  console.log("|---|---|---|");
  for (const piece of hostile) printTime(`\`${piece}\``, repeat(piece));
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
  return piece.repeat(Math.ceil(sizeUnits / piece.length)).slice(0, sizeUnits);
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
