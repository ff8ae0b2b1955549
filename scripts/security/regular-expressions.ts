import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "recheck";
import { type Expression, findExpressions, findSchemaPatterns, splitLiteral } from "./find-expressions.ts";
import type { Report } from "./report.ts";

/** Its list names the expressions that `recheck` minds and that stay, and says for each why nobody can make it slow. */
const decision = join(import.meta.dirname, "../../docs/decisions/0008-slow-regular-expressions.md");
const explained = [...readFileSync(decision, "utf8").matchAll(/^- `(\/.+\/[a-z]*)` – /gm)].map(([, text = ""]) => text);
/** It is made of parts, so it is named by where it stands. */
const explainedModulus = /^\/\^\(\?:\[g-z0-9_-\].*\{340\}/;
const modulusFile = "packages/server/src/forms/form-schemas.ts";

/**
 * `recheck` tries texts first on a small scale, then as attacks. On a busy machine its bounds of time make a harmless expression look slow, so
 * the trials have bounds of steps alone. An attack may take a second; one that does is repeated with no bound but its steps.
 */
const trial = { incubationTimeout: null, seedingTimeout: null, timeout: 600_000, randomSeed: 1 };
const withoutClock = { ...trial, attackTimeout: null, timeout: 120_000 };

/** `recheck` over every regular expression of the sources. What it cannot decide in time is a finding too. */
export async function checkRegularExpressions(): Promise<Report> {
  const { expressions, unread } = findExpressions();
  const places = groupByText([...expressions, ...(await findSchemaPatterns())]);
  const gone = explained.filter((text) => !places.has(text));
  const findings = [...unread, ...gone.map((text) => `${text} is explained but no longer there`)];
  const waiting = [...places].filter(([text, at]) => !isExplained(text, at));
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [text, at] = next;
      const weakness = await findWeakness(text);
      if (weakness !== undefined) findings.push(`${text} in ${at.join(", ")}: ${weakness}`);
    }
  };
  await Promise.all([work(), work()]);
  return {
    summary: `${places.size} regular expressions, ${explained.length + 1} of them explained`,
    findings: findings.sort(),
  };
}

function isExplained(text: string, at: readonly string[]): boolean {
  return explained.includes(text) || (at.every((place) => place === modulusFile) && explainedModulus.test(text));
}

/** A text that makes the expression slow, or that none could be determined. The seed is fixed, so that each run finds the same. */
async function findWeakness(text: string): Promise<string | undefined> {
  const { source, flags } = splitLiteral(text);
  // The flag v is younger than recheck. Where none of its set notation is used, u means the same.
  const known = flags.replace("v", "u");
  const result = await check(source, known, trial);
  switch (result.status) {
    case "safe":
      return undefined;
    case "vulnerable":
      if ((await check(source, known, withoutClock)).status === "safe") return undefined;
      return `${result.complexity.summary}, for example ${result.attack.pattern.slice(0, 100)}`;
    case "unknown":
      return `not decided: ${result.error.kind}`;
    default:
      return result satisfies never;
  }
}

function groupByText(expressions: readonly Expression[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { place, source, flags } of expressions) {
    const text = `/${source}/${flags}`;
    places.set(text, [...(places.get(text) ?? []), place]);
  }
  return places;
}
