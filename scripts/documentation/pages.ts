import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

export interface Page {
  /** Relative to the repository, with slashes. */
  readonly source: string;
  /** Where it is served, like `/docs/quick-start`. */
  readonly address: string;
  readonly markdown: string;
  /** The page's first heading. */
  readonly title: string;
  /** Its name in the list of pages. */
  readonly label: string;
}

export interface Section {
  readonly name: string;
  readonly pages: readonly Page[];
}

/** The order in which the pages are offered. A page of `docs/` that is not named here comes last, under its own heading. */
const contents: readonly (readonly [string, readonly string[]])[] = [
  ["Start", ["docs/README.md", "docs/quick-start.md", "docs/concepts.md", "docs/protection.md"]],
  ["Your pages", ["docs/embed.md", "docs/website-builders.md", "docs/moving.md", "packages/embed/README.md"]],
  [
    "Your submissions",
    [
      "docs/keys.md",
      "docs/teams.md",
      "docs/opener.md",
      "docs/verify.md",
      "docs/audit-log.md",
      "docs/api.md",
      "docs/codes.md",
      "docs/receivers.md",
      "packages/sdk/README.md",
      "packages/cli/README.md",
    ],
  ],
  [
    "Running it",
    [
      "docs/self-hosting.md",
      "docs/operation.md",
      "docs/operator-to-owner.md",
      "docs/packages.md",
      "docs/upgrade.md",
      "docs/scaling.md",
      "docs/standby.md",
      "docs/citus.md",
      "docs/mail.md",
      "docs/accounts.md",
      "docs/sign-in.md",
      "docs/processing-record.md",
      "docs/processing-agreement.md",
    ],
  ],
  [
    "How it works",
    [
      "docs/data-flow.md",
      "docs/contract.md",
      "docs/threat-model.md",
      "docs/attacks.md",
      "SECURITY.md",
      "packages/wire/SPECIFICATION.md",
      "packages/pii/README.md",
      "packages/pii/RULES.md",
      "docs/glossary.md",
    ],
  ],
  ["Changing it", ["docs/architecture.md", "docs/commands.md", "docs/dependencies.md", "docs/releasing.md"]],
];

const addresses: Readonly<Record<string, string>> = {
  "docs/README.md": "/docs",
  "SECURITY.md": "/docs/security",
  "packages/embed/README.md": "/docs/embed-reference",
  "packages/sdk/README.md": "/docs/sdk",
  "packages/cli/README.md": "/docs/command-line",
  "packages/pii/README.md": "/docs/personal-data",
  "packages/pii/RULES.md": "/docs/personal-data-rules",
  "packages/wire/SPECIFICATION.md": "/docs/format",
};

/** Where the first heading is too long, or says too little next to the others. */
const labels: Readonly<Record<string, string>> = {
  "docs/README.md": "Overview",
  "docs/moving.md": "Moving here",
  "docs/website-builders.md": "Website builders",
  "docs/accounts.md": "Accounts",
  "docs/sign-in.md": "Identity provider",
  "docs/operator-to-owner.md": "For owners",
  "packages/embed/README.md": "Reference of the embed",
  "packages/sdk/README.md": "Library",
  "packages/cli/README.md": "Command line",
  "packages/pii/README.md": "Personal data",
  "packages/pii/RULES.md": "Personal data: the rules",
  "packages/wire/SPECIFICATION.md": "Format specification",
};

/** The pages of the site, in sections, in their order, from the repository at `root`. */
export function findSections(root: string): readonly Section[] {
  const named = contents.flatMap(([, sources]) => sources);
  const others = find(root, "docs/*.md").filter((source) => !named.includes(source));
  return [...contents, ["More", others] as const, ["Decisions", find(root, "docs/decisions/*.md")] as const]
    .map(([name, sources]) => ({
      name,
      pages: sources.filter((source) => existsSync(join(root, source))).map((source) => readPage(root, source)),
    }))
    .filter(({ pages }) => pages.length > 0);
}

function find(root: string, pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

function readPage(root: string, source: string): Page {
  const markdown = readFileSync(join(root, source), "utf8");
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll("`", "");
  if (title === undefined) throw new Error(`${source} has no title: a line that begins with "# "`);
  const folder = source.startsWith("docs/decisions/") ? "/docs/decisions" : "/docs";
  const address = addresses[source] ?? `${folder}/${basename(source, ".md")}`;
  return { source, address, markdown, title, label: labels[source] ?? title };
}
