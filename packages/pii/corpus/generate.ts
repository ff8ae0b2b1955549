/**
 * Writes the labelled corpus: `node --conditions=@sealpost/source packages/pii/corpus/generate.ts`. The same run writes the same files.
 * Values come from the published examples and ranges of each format's specification (positives.ts says which), sentences are our own.
 */
import { writeFileSync } from "node:fs";
import { figures, prose } from "./clean.ts";
import type { Case } from "./corpus.ts";
import { messages } from "./hand-written.ts";
import { nearMisses } from "./near-misses.ts";
import { parameterUrls, type Source, sentences, sources, userInfoUrls } from "./positives.ts";
import { fill, pick } from "./random.ts";

const perType = 160;
const missesPerType = 110;

function place(frame: string, type: string, value: string): Case {
  const start = frame.indexOf("{}");
  return { text: frame.replace("{}", () => value), spans: [{ type, start, end: start + value.length }] };
}

function positivesOf(type: string, source: Source): Case[] {
  const cases: Case[] = [];
  for (let index = 0; cases.length < perType; index++) {
    const example = source.examples[index];
    const isContextual = example === undefined && source.inContext !== undefined && index % 4 === 0;
    const value = example ?? (isContextual ? source.inContext?.next() : source.next?.()) ?? "";
    if (type === "URL_CREDENTIALS") {
      const url = place(pick(example === undefined ? parameterUrls : userInfoUrls), type, value);
      const outer = place(pick(sentences.filter((sentence) => !sentence.includes('"'))), type, url.text);
      const offset = outer.spans[0]?.start ?? 0;
      cases.push({ text: outer.text, spans: url.spans.map((span) => ({ type, start: span.start + offset, end: span.end + offset })) });
    } else cases.push(place(isContextual ? pick(source.inContext?.sentences ?? sentences) : index % 9 === 0 ? "{}" : pick(sentences), type, value));
  }
  return cases;
}

function parseMessage(marked: string): Case {
  const spans: Array<Case["spans"][number]> = [];
  let text = "";
  for (const part of marked.split(/(\{[A-Z_]+\|[^}]*\})/)) {
    const match = /^\{([A-Z_]+)\|([^}]*)\}$/.exec(part);
    if (match === null) text += part;
    else {
      spans.push({ type: match[1] ?? "", start: text.length, end: text.length + (match[2] ?? "").length });
      text += match[2];
    }
  }
  return { text, spans };
}

function write(name: string, cases: readonly Case[]): void {
  const unique = new Map(cases.map((entry) => [entry.text, entry]));
  writeFileSync(new URL(`${name}.jsonl`, import.meta.url), `${Array.from(unique.values(), (entry) => JSON.stringify(entry)).join("\n")}\n`);
}

write("positives", Object.entries(sources).flatMap(([type, source]) => positivesOf(type, source)));
write("messages", messages.map(parseMessage));
write(
  "near-misses",
  Object.entries(nearMisses).flatMap(([type, makers]) =>
    Array.from({ length: missesPerType }, (_, index) => {
      const value = (makers[index % makers.length] ?? (() => ""))();
      return { text: (index < makers.length ? "{}" : pick(sentences)).replace("{}", () => value), spans: [], nearMiss: type };
    }),
  ),
);
write("prose", Object.entries(prose).flatMap(([language, lines]) => lines.map((text) => ({ text, spans: [], language }))));
write("figures", [...figures, ...figures, ...figures].map((figure, index) => {
  const text = figure.replace(/#{2,}|~{2,}/g, (marks) => fill(marks));
  return { text: index < figures.length ? text : pick(sentences).replace("{}", () => text), spans: [] };
}));
