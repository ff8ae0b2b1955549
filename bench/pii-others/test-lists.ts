/** Texts from the tests of validators, redactors and secret scanners, for the types of which sentences hold too few. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { PiiType } from "../../packages/pii/src/index.ts";
import type { LabelledText, Span } from "./readers.ts";

type Read = (folder: string) => LabelledText[];

/** A value as it stands in a test file, alone: `pattern` finds each one that its test calls valid, as the first group. */
interface ValueList {
  readonly file: string;
  readonly type: PiiType;
  readonly pattern: RegExp;
}

export function valuesOf(...lists: readonly ValueList[]): Read {
  return (folder) =>
    withoutRepeats(
      lists.flatMap(({ file, type, pattern }) =>
        Array.from(readFileSync(join(folder, file), "utf8").matchAll(pattern), ([, list = ""]) => list)
          .flatMap((found) => (/["'\n]/.test(found) ? stringsOf(found) : [found.trim()]))
          .map((text) => ({ id: `${file}:${text}`, text, spans: [{ type, start: 0, end: text.length }] })),
      ),
    );
}

/** The user-info of a URL (RFC 3986 section 3.2.1), up to the last `@` before a slash or a quote. */
const userInfo = /[a-z\d]:\/\/([^\s/?#"'`<>\\]+)@(?=[\w%[.-])/gi;

/** Lines of test files that hold a URL with user-info. What else is in the line is labelled as nothing in particular. */
export function urlsOf(...paths: readonly string[]): Read {
  return (folder) =>
    withoutRepeats(
      paths
        .flatMap((path) => filesOf(folder, path))
        .flatMap((file) =>
          readFileSync(join(folder, file), "utf8")
            .split("\n")
            .map((line) => line.trim().slice(0, 1_000))
            .map((text): LabelledText => {
              const spans: Span[] = Array.from(text.matchAll(userInfo), (match) => {
                const start = match.index + match[0].length - 1 - (match[1]?.length ?? 0);
                return { type: "URL_CREDENTIALS", start, end: start + (match[1]?.length ?? 0) };
              });
              return { id: `${file}:${text}`, text, spans: [...spans, { ...wholeOf(text), type: undefined }] };
            })
            .filter(({ spans }) => spans.length > 1),
        ),
    );
}

/**
 * `policyName: "ITIN", …, shouldMatch: ["900-70-1234", …]`: what reads as a value of the type in each. Its Bitcoin addresses and NHS
 * numbers are left out: most were made up without the check digits that their specifications demand.
 */
export function readRedactum(folder: string): LabelledText[] {
  const policies: Readonly<Record<string, readonly [PiiType, RegExp]>> = {
    ITIN: ["US_ITIN", /\d[\d -]{7,}\d/g],
    MAC_ADDRESS: ["MAC_ADDRESS", /(?<!\w)[\da-f]{2,4}(?:[:.-][\da-f]{2,4})+(?!\w)/gi],
    ETHEREUM_ADDRESS: ["CRYPTO", /0x[\da-f\u200b]{40,}/gi],
  };
  const suites = filesOf(folder, "tests/categories").flatMap((file) =>
    Array.from(
      readFileSync(join(folder, file), "utf8").matchAll(
        /policyName: "(\w+)"[\s\S]*?shouldMatch: \[([\s\S]*?)\n {6}\]/g,
      ),
    ),
  );
  return withoutRepeats(
    suites.flatMap(([, policy = "", list = ""]) => {
      const [type, pattern] = policies[policy] ?? [];
      if (type === undefined || pattern === undefined) return [];
      return stringsOf(list).map((text) => ({
        id: `${policy}:${text}`,
        text,
        spans: Array.from(text.matchAll(pattern), (match) => ({
          ...{ type, start: match.index, end: match.index + match[0].length },
        })),
      }));
    }),
  );
}

/** `filter.filter(…, "the ssn is 123-45-6789.")` and the `checkSpan(…, 11, 22, FilterType.SSN)` after it. */
export function readPhileas(folder: string): LabelledText[] {
  const types: Readonly<Record<string, PiiType>> = { MAC_ADDRESS: "MAC_ADDRESS", BITCOIN_ADDRESS: "CRYPTO" };
  const tests = filesOf(folder, "src/test/java/ai/philterd/phileas/filters").flatMap((file) =>
    readFileSync(join(folder, file), "utf8").split("@Test"),
  );
  return withoutRepeats(
    tests.flatMap((test) => {
      const [, text] = /\.filter\([^"]*"context",[^"]*"([^"]*)"\)/.exec(test) ?? [];
      const spans = Array.from(test.matchAll(/checkSpan\([^;]*?, (\d+), (\d+), FilterType\.(\w+)\)/g)).map(
        ([, start, end, type = ""]) => ({ type: types[type], start: Number(start), end: Number(end) }),
      );
      const isOurs = spans.some(({ type }) => type !== undefined);
      return text !== undefined && isOurs ? [{ id: text, text, spans }] : [];
    }),
  );
}

/** `BEFORE:` and `AFTER:` of a test: what stands in the place of `{{NATIONAL_INSURANCE_NUMBER}}`. */
export function readBeforeAfter(file: string, token: string, type: PiiType): Read {
  return (folder) => {
    const source = readFileSync(join(folder, file), "utf8");
    return withoutRepeats(
      Array.from(source.matchAll(/BEFORE: (.*)\n\s*AFTER: +(.*)\n/g)).flatMap(([, text = "", after = ""]) => {
        const [before, rest, ...more] = after.split(token);
        if (before === undefined || rest === undefined || more.length > 0 || !text.endsWith(rest)) return [];
        return [{ id: text, text, spans: [{ type, start: before.length, end: text.length - rest.length }] }];
      }),
    );
  };
}

function filesOf(folder: string, path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".json"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** The strings of a list in code, without the comments behind them. */
function stringsOf(source: string): string[] {
  return Array.from(
    source.matchAll(/^[^"'\n]*?(["'])((?:(?!\1)[^\\\n]|\\.)*)\1|(?<=, )(["'])((?:(?!\3)[^\\\n]|\\.)*)\3/gm),
    (match) =>
      (match[2] ?? match[4] ?? "").replace(/\\u([\da-f]{4})/gi, (_all, unit) =>
        String.fromCharCode(Number.parseInt(unit, 16)),
      ),
  );
}

function wholeOf(text: string): { start: number; end: number } {
  return { start: 0, end: text.length };
}

function withoutRepeats(texts: readonly LabelledText[]): LabelledText[] {
  return Array.from(new Map(texts.map((entry) => [entry.text, entry])).values());
}
