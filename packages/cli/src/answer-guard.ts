import { answerMembers } from "./answer-members.ts";

/** A command read a member that every answer of this program's own version has, and the server's answer lacks. */
export class MissingMemberError extends Error {
  constructor(operation: string, member: string) {
    super(`The server's answer to ${operation} lacks \`${member}\`, which this command needs.`);
  }
}

type Members = 0 | readonly [Members] | { readonly [name: string]: Members };

/**
 * Lets members that are missing in an answer throw a `MissingMemberError` once they are read: a command that does not need them works
 * with a server that does not have them yet. They are not listed, so that what is printed as JSON is what the server said.
 */
export function guardMembers(operation: string, answer: unknown): void {
  const members = Object.hasOwn(answerMembers, operation) ? answerMembers[operation] : undefined;
  if (members !== undefined) guard(operation, answer, JSON.parse(members));
}

function guard(operation: string, value: unknown, members: Members): void {
  if (members === 0 || typeof value !== "object" || value === null) return;
  if (Array.isArray(members)) {
    if (Array.isArray(value)) for (const item of value) guard(operation, item, members[0]);
    return;
  }
  for (const [described, inner] of Object.entries(members)) {
    const name = described.replace(/\?$/, "");
    if (Object.hasOwn(value, name)) guard(operation, Reflect.get(value, name), inner);
    else if (name === described)
      Object.defineProperty(value, name, {
        get: () => {
          throw new MissingMemberError(operation, name);
        },
      });
  }
}
