import { readFileSync } from "node:fs";
import { findPii } from "../src/find.ts";
import { defaultTypes } from "../src/types.ts";

export interface Case {
  readonly text: string;
  readonly spans: ReadonlyArray<{ readonly type: string; readonly start: number; readonly end: number }>;
  /** The type whose rule excludes the text by a hair. */
  readonly nearMiss?: string;
  readonly language?: string;
}

export type Half = "tune" | "report";

/** We look at misses of the first half only; the second tells what strangers will see. FNV-1a over the text decides. */
export function halfOf(text: string): Half {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 16) & 1) === 0 ? "tune" : "report";
}

export function readCorpus(name: "positives" | "messages" | "near-misses" | "prose" | "figures", half: Half): Case[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, import.meta.url), "utf8").trimEnd().split("\n");
  return lines.map((line): Case => JSON.parse(line)).filter((entry) => halfOf(entry.text) === half);
}

export interface Share {
  readonly good: number;
  readonly all: number;
  /** The texts that were not good, to look at. */
  readonly others: readonly string[];
}

/** The share of a type's labelled spans in which no letter and no digit survives. */
export function recall(type: string, half: Half): Share {
  const cases = [...readCorpus("positives", half), ...readCorpus("messages", half)];
  return share(
    cases.flatMap((entry) => entry.spans.filter((span) => span.type === type).map((span) => ({ entry, span }))),
    ({ entry, span }) => survivors(entry, span) === "",
  );
}

/** The share of labelled spans in which a piece of four letters and digits or more survives while another part went. */
export function tornSpans(half: Half): Share {
  const cases = [...readCorpus("positives", half), ...readCorpus("messages", half)];
  return share(
    cases.flatMap((entry) => entry.spans.map((span) => ({ entry, span }))),
    ({ entry, span }) => {
      const rest = survivors(entry, span);
      return rest.length < 4 || rest.length === entry.text.slice(span.start, span.end).replace(/[^\p{L}\p{N}]/gu, "").length;
    },
  );
}

/** The share of a type's near misses that are reported as that type. */
export function nearMissesReported(type: string, half: Half): Share {
  return share(
    readCorpus("near-misses", half).filter((entry) => entry.nearMiss === type).map((entry) => ({ entry })),
    ({ entry }) => !findPii(entry.text).some((hit) => hit.type === type),
  );
}

/** The share of texts without personal data that come through unchanged, in a form of the country. */
export function unchanged(name: "prose" | "figures", half: Half, country = "US"): Share {
  return share(readCorpus(name, half).map((entry) => ({ entry })), ({ entry }) => findPii(entry.text, { country }).length === 0);
}

export { defaultTypes };

function survivors(entry: Case, span: Case["spans"][number]): string {
  const hits = findPii(entry.text);
  let rest = "";
  for (let index = span.start; index < span.end; index++) {
    if (!hits.some((hit) => hit.start <= index && index < hit.end)) rest += entry.text[index];
  }
  return rest.replace(/[^\p{L}\p{N}]/gu, "");
}

function share<Item extends { readonly entry: Case }>(items: readonly Item[], isGood: (item: Item) => boolean): Share {
  const others = items.filter((item) => !isGood(item)).map((item) => item.entry.text);
  return { good: items.length - others.length, all: items.length, others };
}
