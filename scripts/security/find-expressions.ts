import { globSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  isNewExpression,
  isPropertyAssignment,
  isRegularExpressionLiteral,
  isStringLiteral,
} from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";
import { tokenPattern } from "../../packages/pii/src/types.ts";
import { beginning, endsAtMark, mark, sign } from "../../packages/sdk/src/csv-marks.ts";
import { idPattern } from "../../packages/wire/src/ids.ts";

/** A regular expression of the sources and where it stands: a path, with the line where there is one. */
export interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

export interface Found {
  readonly expressions: readonly Expression[];
  /** Sources that could not be read: each is a finding. */
  readonly unread: readonly string[];
}

const root = join(import.meta.dirname, "../..");
const projects = [
  ...["wire", "envelope", "pii", "embed", "sdk", "cli", "server", "vault", "dashboard"].map(
    (name) => `packages/${name}/tsconfig.json`,
  ),
];

/** Expressions of `new RegExp(…)` in these files: they cannot be read off the source, so each is listed here, or is a finding. */
const builtAtRunTime: Readonly<Record<string, readonly RegExp[]>> = {
  "packages/wire/src/ids.ts": [new RegExp(idPattern("submission"))],
  "packages/embed/src/find-invalid-option.ts": [new RegExp(idPattern("form"))],
  "packages/pii/src/types.ts": [tokenPattern],
  "packages/sdk/src/csv-marks.ts": [beginning, endsAtMark, mark, sign],
  "packages/cli/src/session.ts": [/^[\w-]*_session=[^;]/, /^[\w-]*_second_factor=[^;]/],
  // That file's constants put in.
  "packages/server/src/authentication/api-key-value.ts": [/^sp_[0-9A-Za-z]{36}$/],
};

/**
 * Every regular expression of the packages' sources: literals, and JSON Schema's `pattern`. Read from the syntax trees of the
 * TypeScript compiler, since only a parser can tell an expression from a division.
 */
export function findExpressions(): Found {
  const expressions: Expression[] = [];
  const unread: string[] = [];
  const api = new API({ cwd: root });
  try {
    const programs = api
      .updateSnapshot({ openProjects: projects.map((path) => join(root, path)) })
      .getProjects()
      .map(({ program }) => program);
    for (const path of sourcesOf("packages/*/src/**/*.{ts,tsx}")) {
      const absolute = join(root, path);
      const program = programs.find((candidate) => candidate.getSourceFileNames().includes(absolute));
      const file = program?.getSourceFile(absolute);
      if (file === undefined) {
        unread.push(`${path} is part of no project, so nobody looks at it`);
        continue;
      }
      const visit = (node: Node): void => {
        const place = () => `${path}:${file.text.slice(0, node.getStart(file)).split("\n").length}`;
        if (isRegularExpressionLiteral(node)) expressions.push({ place: place(), ...splitLiteral(node.text) });
        if (isPropertyAssignment(node) && node.name.getText(file) === "pattern" && isStringLiteral(node.initializer))
          expressions.push(fromSchema(place(), node.initializer.text));
        if (isNewExpression(node) && node.expression.getText(file) === "RegExp") {
          const built = builtAtRunTime[path];
          if (built === undefined) unread.push(`${place()} builds an expression at run time that is not listed`);
          for (const { source, flags } of built ?? []) expressions.push({ place: place(), source, flags });
        }
        node.forEachChild(visit);
      };
      visit(file);
    }
  } finally {
    api.close();
  }
  return { expressions, unread };
}

/** The patterns in the exported schemas of the server, after its modules have put them together. */
export async function findSchemaPatterns(): Promise<readonly Expression[]> {
  const expressions: Expression[] = [];
  for (const path of sourcesOf("packages/server/src/**/*schemas.ts")) {
    const seen = new Set<unknown>();
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null || seen.has(value)) return;
      seen.add(value);
      for (const [name, member] of Object.entries(value)) {
        if (name === "pattern" && typeof member === "string") expressions.push(fromSchema(path, member));
        else visit(member);
      }
    };
    visit({ ...(await import(join(root, path))) });
  }
  return expressions;
}

export function splitLiteral(text: string): Pick<Expression, "source" | "flags"> {
  const end = text.lastIndexOf("/");
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

/** The validator compiles patterns with the flag u. */
function fromSchema(place: string, source: string): Expression {
  return { place, source, flags: "u" };
}

function sourcesOf(glob: string): readonly string[] {
  return globSync(glob, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/\.test\.tsx?$|\/testing\//.test(path))
    .sort();
}
