import { parseSync } from "vite";

export interface Component {
  readonly name: string;
  readonly text: string;
  readonly lines: number;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const functions = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

/** Every function of a module that shows something, with those inside of it: whatever it is called and however it is passed on. */
export function listComponents(path: string, text: string): readonly Component[] {
  const { program, errors } = parseSync(path, text, { lang: "tsx" });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const components: Component[] = [];
  const visit = (node: SyntaxNode, name: string): void => {
    const own = nameOf(node) ?? name;
    if (!functions.includes(node.type)) forEachChild(node, (child) => visit(child, own));
    else if (hasJsx(node)) components.push(describe(own, text.slice(node.start, node.end)));
  };
  visit(program as unknown as SyntaxNode, "default"); // ESTree: https://github.com/estree/estree
  return components;
}

function describe(name: string, text: string): Component {
  return { name, text, lines: text.split("\n").length };
}

function nameOf(node: SyntaxNode): string | undefined {
  const id: unknown = Reflect.get(node, "id");
  const name: unknown = typeof id === "object" && id !== null ? Reflect.get(id, "name") : undefined;
  return typeof name === "string" ? name : undefined;
}

function hasJsx(node: SyntaxNode): boolean {
  if (node.type === "JSXElement" || node.type === "JSXFragment") return true;
  let found = false;
  forEachChild(node, (child) => {
    found ||= hasJsx(child);
  });
  return found;
}

function forEachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  for (const value of Object.values(node).flat())
    if (typeof value === "object" && value !== null && "type" in value) visit(value as SyntaxNode); // as every node has
}
