import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAst } from "vite";

// Every sentence is in the catalogue (docs/decisions/0046-catalogues-of-texts.md). tests/dashboard/made-up-language.test.ts looks at what pages show; this
// looks at the sources, so that a sentence which is seldom shown is found too, and within a second.

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** The texts that an expression can be, such as both halves of a condition. */
function wordsOf(value: unknown): string[] {
  if (!isNode(value)) return [];
  switch (value.type) {
    case "Literal":
      return typeof value.value === "string" ? [value.value] : [];
    case "TemplateLiteral":
      return (value.quasis as { readonly value: { readonly cooked: string } }[]).map((part) => part.value.cooked);
    case "JSXExpressionContainer":
      return wordsOf(value.expression);
    case "ConditionalExpression":
      return [...wordsOf(value.consequent), ...wordsOf(value.alternate)];
    case "LogicalExpression":
      return [...wordsOf(value.left), ...wordsOf(value.right)];
    case "BinaryExpression":
      return value.operator === "+" ? [...wordsOf(value.left), ...wordsOf(value.right)] : [];
    default:
      return [];
  }
}

/** Attributes and properties that people read or hear, whatever their value looks like. */
const saidNames =
  /^(?:aria-(?:label|description|roledescription|valuetext)|title|alt|placeholder|label|hint|intro|error|message|sentence)$/;
/** Attributes with several words that are no language. */
const codeNames =
  /^(?:className|\w*ClassName|d|style|viewBox|points|transform|accept|rel|autoComplete|sizes|data-\w+)$/;

const hasLetter = (words: string) => /\p{L}/u.test(words.replace("https://", ""));
const isStyle = (words: string) => /(?:\s|^)[a-z]+-[a-z0-9]+(?:\s.*)?\s[a-z]+-[a-z0-9]+(?:\s|$)/.test(words);
const isSentence = (words: string) => /\p{L}{2,} \p{L}+ \p{L}{2,}/u.test(words) && !isStyle(words);
/** "Save", "save changes". */
const isLabel = (words: string) => /^\p{Lu}\p{Ll}+|\p{L} \p{L}/u.test(words);

/** Words that nobody reads, or that are the same in every language. */
const notForPeople: Readonly<Record<string, RegExp>> = {
  "sign-in/sign-up-page.tsx": /^docker compose logs sealpost$/,
  "organization/offers.ts": /^(?:(?:owner|manager|reader|developer|auditor)(?: |$))+/,
  "forms/pii-settings.tsx": /^AD AE /,
  "devices/device-heads.ts": /^key log of$/,
  // The reason next to it is shown by its code.
  "submissions/open-batch.ts": /^The program that opens/,
};
/** Functions whose text is a message for developers, like that of `new Error`. */
const makesError = /^(?:\w*Error|toWorkerError)$/;

/** The words in this code that people would read. */
function findWords(code: string, file: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, isCode: boolean): void => {
    const { type } = node;
    const name = isNode(node.name)
      ? String(node.name.name)
      : isNode(node.key)
        ? String(node.key.name ?? node.key.value)
        : "";
    const report = (words: readonly string[]) => {
      const line = code.slice(0, node.start).split("\n").length;
      for (const one of words) found.push(`${file}:${line}: ${one.trim()}`);
    };
    if (type === "JSXText" && hasLetter(String(node.value))) report([String(node.value)]);
    if (type === "JSXElement" || type === "JSXFragment")
      report(
        (node.children as Node[])
          .filter((child) => child.type === "JSXExpressionContainer")
          .flatMap(wordsOf)
          .filter(hasLetter),
      );
    if (type === "JSXAttribute") {
      if (codeNames.test(name)) return;
      report(wordsOf(node.value).filter(saidNames.test(name) ? hasLetter : isLabel));
    }
    if (type === "Property" && saidNames.test(name)) report(wordsOf(node.value).filter(isLabel));
    const isOfCode =
      isCode ||
      /^(?:Import|TS|ExportAll)/.test(type) ||
      (/^(?:New|Call)Expression$/.test(type) &&
        isNode(node.callee) &&
        (node.callee.type === "Super" || makesError.test(String(node.callee.name))));
    if (!isCode && type === "Literal" && typeof node.value === "string" && isSentence(node.value)) report([node.value]);
    for (const child of childrenOf(node)) visit(child, isOfCode);
  };
  visit(parseAst(code, { lang: "tsx" }) as unknown as Node, false);
  return [...new Set(found)];
}

test("no sentence of the dashboard is in its code: every one is in the catalogue", () => {
  const sources = join(import.meta.dirname, "src");
  const files = globSync("**/*.{ts,tsx}", { cwd: sources }).filter((file) => !/\.test\.tsx?$/.test(file));
  assert.ok(files.length > 300);
  const found = files.flatMap((file) =>
    findWords(readFileSync(join(sources, file), "utf8"), file).filter(
      (words) => !notForPeople[file.replaceAll("\\", "/")]?.test(words.replace(/^[^ ]+ /, "")),
    ),
  );
  assert.deepEqual(found, []);
});

test("a sentence in code is found wherever one can be written", () => {
  for (const code of [
    "const a = <p>Save</p>;",
    'const a = <p>{isNew ? "new" : name}</p>;',
    "const a = <p>{name && `by ` + name}</p>;",
    '<input aria-label="search" />;',
    '<Dialog heading="Delete form" />;',
    'const a = { title: "Not saved" };',
    'const reason = "The key was not found";',
  ])
    assert.equal(findWords(code, "a.tsx").length, 1, code);
  for (const code of [
    '<p className="mt-2 flex grow">{text.save}</p>;',
    '<Badge tone="danger" />;',
    'throw new Error("This was never asked for");',
  ])
    assert.deepEqual(findWords(code, "a.tsx"), [], code);
});
