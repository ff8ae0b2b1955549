import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Lexer, type Token } from "marked";

export const root = join(import.meta.dirname, "..", "..");

/** One fenced block of a page, and what its first line says that is done with it. */
export interface Block {
  readonly source: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly mark: Mark;
}

/**
 * - `run`: commands, run in order with all others of the page; `start`: the same, for what stays running;
 * - `output`: what the commands before it print, `…` being anything;
 * - `file`: written to a file for the commands after it; `visit`: the file is opened in a browser, filled in and sent;
 * - `page`: shown in a browser, filled in and sent, under the `policy` before it if it says so;
 * - `part`: run by the test that is named;
 * - `shown`: not run, with the reason;
 * - `none`: nothing is said, which the tests do not accept.
 */
export type Mark =
  | { readonly kind: "run" | "start" | "output" | "policy" | "none" }
  | { readonly kind: "file" | "visit"; readonly file: string }
  | { readonly kind: "page"; readonly underPolicy: boolean }
  | { readonly kind: "part"; readonly test: string }
  | { readonly kind: "shown"; readonly reason: string };

/** The pages that these tests answer for. */
export function findGuides(): readonly string[] {
  return ["README.md", ...globSync("docs/*.md", { cwd: root }).sort()];
}

/** Every block of a page. */
export function readBlocks(source: string): readonly Block[] {
  const markdown = readFileSync(join(root, source), "utf8");
  const blocks: Block[] = [];
  let searched = 0;
  const visit = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === "code") {
        const [language = "", ...rest] = (token.lang ?? "").split(" ");
        searched = Math.max(0, markdown.indexOf(`\`\`\`${token.lang ?? ""}`, searched)) + 3;
        const line = markdown.slice(0, searched).split("\n").length;
        blocks.push({ source, line, language, text: token.text, mark: parseMark(rest.join(" ")) });
      }
      if ("tokens" in token && token.tokens) visit(token.tokens);
      if (token.type === "list") visit(token.items);
    }
  };
  visit(new Lexer({ gfm: true }).lex(markdown));
  return blocks;
}

function parseMark(text: string): Mark {
  if (text === "run" || text === "start" || text === "output" || text === "policy") return { kind: text };
  if (text === "page" || text === "page policy") return { kind: "page", underPolicy: text.endsWith("policy") };
  const [, kind, value] = /^(file|visit|part|shown): (\S.*)$/.exec(text) ?? [];
  if (value === undefined) return { kind: "none" };
  if (kind === "file" || kind === "visit") return { kind, file: value };
  if (kind === "part") return { kind, test: value };
  return { kind: "shown", reason: value };
}
