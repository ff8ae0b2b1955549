import { answerMembers } from "./answer-members.ts";

let described: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * The first member of an answer that is missing or of another kind than the document says: its path, or `an object` where the answer is not
 * one. `undefined`: every one is as the caller is promised.
 */
export function findUnexpectedMember(operation: string, answer: unknown): string | undefined {
  described ??= new Map(answerMembers.trim().split("\n").map(parseLine));
  const members = described.get(operation);
  if (members === undefined) return undefined;
  if (kindOf(answer) !== "object") return "an object";
  return members.find((member) => {
    const [path = "", kinds = ""] = member.split("=");
    return !isThere(answer, path.split(/\.|(?=\[\])/), kinds.split("|"));
  });
}

function parseLine(line: string): readonly [operation: string, members: readonly string[]] {
  const [method, path, ...members] = line.split(" ");
  return [`${method} ${path}`, members];
}

/** A part of a path is the name of a member, with `?` where it may be absent, or `[]`: every item. The members before are checked. */
function isThere(value: unknown, [part, ...rest]: readonly string[], kinds: readonly string[]): boolean {
  if (part === undefined) return kinds.some((kind) => isOfKind(value, kind));
  if (part === "[]") return Array.isArray(value) && value.every((item) => isThere(item, rest, kinds));
  const name = part.replace("?", "");
  return Object.hasOwn(Object(value), name) ? isThere(Object(value)[name], rest, kinds) : name !== part;
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === "any") return true;
  return kind === "integer" ? Number.isSafeInteger(value) : kindOf(value) === kind;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
