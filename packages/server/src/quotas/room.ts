import type { Sentence } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";

/**
 * Whether there is room for anything new. Ask before a transaction begins: on SQLite the answer needs the one connection.
 */
export type HasRoom = () => Promise<boolean>;

/** So long nobody need ask again. */
const fullRetrySeconds = 300;

/** Throws below the disk's floor. What frees room, ends something or lets somebody in does not ask. */
export async function requireRoom(hasRoom: HasRoom): Promise<void> {
  if (!(await hasRoom())) throw storageFull("anythingNew");
}

const fullSentences = {
  submission: "The service has no room for submissions at the moment",
  anythingNew: "The service has no room for anything new at the moment. Deleting is still possible.",
} as const satisfies Readonly<Record<string, Sentence>>;

/** The answer that a visitor reads below the disk's floor, and that of an account, which can make room. */
export function storageFull(refused: keyof typeof fullSentences): Problem {
  return new Problem("unavailable", fullSentences[refused], { retryAfter: fullRetrySeconds });
}
