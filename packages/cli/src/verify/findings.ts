/** Something that is not as it should be, or that could not be looked at. */
export interface Finding {
  readonly exit: "differs" | "unavailable";
  /** A path of the instance, the id of a form or the address of a page. */
  readonly subject: string;
  readonly message: string;
  /** Who got it so. */
  readonly browsers: readonly string[];
}

export interface Findings {
  add(exit: Finding["exit"], subject: string, message: string, browser: string): void;
  list(): readonly Finding[];
}

/** Gathers findings; one that several browsers have is one. */
export function createFindings(): Findings {
  const found = new Map<string, { finding: Omit<Finding, "browsers">; browsers: Set<string> }>();
  return {
    add(exit, subject, message, browser) {
      const key = JSON.stringify([exit, subject, message]);
      const entry = found.get(key) ?? { finding: { exit, subject, message }, browsers: new Set<string>() };
      entry.browsers.add(browser);
      found.set(key, entry);
    },
    list: () => [...found.values()].map(({ finding, browsers }) => ({ ...finding, browsers: [...browsers] })),
  };
}

/** A line for each finding, those that differ first. */
export function formatFindings(findings: readonly Finding[], browserCount: number): string {
  const shown = findings.toSorted((one, other) => one.exit.localeCompare(other.exit)).slice(0, shownMax);
  const lines = shown.map(({ exit, subject, message, browsers }) => {
    const who = browsers.length === browserCount ? "" : ` (as ${browsers.join(", ")})`;
    return `  ${exit === "differs" ? "DIFFERS" : "UNKNOWN"}  ${subject}: ${message}${who}`;
  });
  if (findings.length > shownMax) lines.push(`  and ${findings.length - shownMax} more; --json shows all`);
  return lines.join("\n");
}

const shownMax = 30;
