import { answerKinds } from "./answer-kinds.ts";

/**
 * An answer is of another kind than the document of this program's own version says, or a command read a member that every such answer
 * has, and this one lacks.
 */
export class UnexpectedAnswerError extends Error {}

type Primitive = "string" | "number" | "integer" | "boolean";
type Members = { readonly [name: string]: Kind };
/** As `answer-kinds.ts` has it. */
type Kind = 0 | null | Primitive | readonly Kind[] | Members;

/**
 * Throws an `UnexpectedAnswerError` for a value of the wrong kind, such as text instead of a list: no command reads an answer before.
 * Members that are missing throw it once they are read: a command that does not need them works with a server that does not have them
 * yet. They are not listed, so that what is printed as JSON is what the server said.
 */
export function guardAnswer(operation: string, answer: unknown): void {
  const kind = Object.hasOwn(answerKinds, operation) ? answerKinds[operation] : undefined;
  if (kind !== undefined) guard(operation, "", answer, JSON.parse(kind));
}

function guard(operation: string, path: string, value: unknown, described: Kind): void {
  const choices = isList(described) && described.length > 1 ? described : [described];
  const kind = choices.find((choice) => isOfKind(value, choice));
  if (kind === undefined)
    throw new UnexpectedAnswerError(
      `The server's answer to ${operation} holds ${nameKind(value)} ${path === "" ? "and nothing else" : `as \`${path.slice(1)}\``}, which is not what this command expects.`,
    );
  if (isList(kind)) {
    if (Array.isArray(value)) for (const item of value) guard(operation, `${path}[]`, item, kind[0] ?? 0);
  } else if (typeof kind === "object" && kind !== null && typeof value === "object" && value !== null)
    guardMembers(operation, path, value, kind);
}

function guardMembers(operation: string, path: string, value: object, members: Members): void {
  for (const [described, kind] of Object.entries(members)) {
    const name = described.replace(/\?$/, "");
    if (Object.hasOwn(value, name)) guard(operation, `${path}.${name}`, Reflect.get(value, name), kind);
    else if (name === described)
      Object.defineProperty(value, name, {
        get: () => {
          throw new UnexpectedAnswerError(
            `The server's answer to ${operation} lacks \`${name}\`, which this command needs.`,
          );
        },
      });
  }
}

/** One of several kinds is known by its outermost level: no two of them are objects, or lists. */
function isOfKind(value: unknown, kind: Kind): boolean {
  if (kind === 0) return true;
  if (kind === null) return value === null;
  if (isList(kind)) return Array.isArray(value);
  if (typeof kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "integer") return Number.isSafeInteger(value);
  return kind === "number" ? Number.isFinite(value) : typeof value === kind;
}

function isList(kind: Kind): kind is readonly Kind[] {
  return Array.isArray(kind);
}

function nameKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
