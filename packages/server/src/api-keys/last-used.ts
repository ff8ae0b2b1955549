import type { ApiKeyId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../time/clock.ts";

/** How often the use of an API key is written at most. */
export const noteKeyEvery = 60_000;
const rememberedMax = 10_000;

/** Keeps when credentials were last used: written once in a while for each, and never while a request waits for it. */
export interface LastUsed<Id extends string = ApiKeyId> {
  /** Says that it was used now. Returns at once; a failed write is lost, for the next use writes again. */
  note(id: Id): void;
  /** Resolves when everything noted so far is written. */
  settle(): Promise<void>;
}

export function createLastUsed<Id extends string>({
  noteUse,
  everyMilliseconds,
  clock,
}: {
  /** Writes the use, unless one of `since` or later is there. */
  readonly noteUse: (id: Id, at: number, since: number) => Promise<void>;
  readonly everyMilliseconds: number;
  readonly clock: Clock;
}): LastUsed<Id> {
  /** When this process last wrote, so that most uses ask nothing of the database. */
  const written = new Map<Id, number>();
  const writing = new Set<Promise<void>>();
  return {
    note(id) {
      const now = clock.now();
      const before = written.get(id);
      if (before !== undefined && before <= now && now - before < everyMilliseconds) return;
      // Forgetting costs a write that changes nothing: the statement itself holds to the time.
      if (written.size >= rememberedMax) written.clear();
      written.set(id, now);
      const write = noteUse(id, now, now - everyMilliseconds + 1)
        .catch(() => void written.delete(id))
        .finally(() => writing.delete(write));
      writing.add(write);
    },
    async settle() {
      await Promise.all(writing);
    },
  };
}

/** Notes the key or session of every request that came with one, after its answer has gone out. */
export function installLastUsed(
  app: FastifyInstance,
  { lastUsed, sessionsLastUsed }: { readonly lastUsed: LastUsed; readonly sessionsLastUsed: LastUsed<string> },
): void {
  app.addHook("onResponse", (request, _reply, done) => {
    if (request.principal?.kind === "api_key") lastUsed.note(request.principal.keyId);
    if (request.principal?.kind === "session") sessionsLastUsed.note(request.principal.sessionId);
    done();
  });
}
