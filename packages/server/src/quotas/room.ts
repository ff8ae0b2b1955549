import { Problem } from "../problems/problem.ts";

/**
 * Whether there is room for anything new. Ask before a transaction begins: on SQLite the answer needs the one connection.
 */
export type HasRoom = () => Promise<boolean>;

/** So long nobody need ask again. */
export const fullRetrySeconds = 300;

/** Throws below the disk's floor. What frees room, ends something or lets somebody in does not ask. */
export async function requireRoom(hasRoom: HasRoom): Promise<void> {
  if (!(await hasRoom())) throw noRoom();
}

export function noRoom(): Problem {
  return new Problem(
    "unavailable",
    "The service has no room for anything new at the moment. Deleting is still possible.",
    {
      retryAfter: fullRetrySeconds,
      reason: "storage_full",
    },
  );
}
