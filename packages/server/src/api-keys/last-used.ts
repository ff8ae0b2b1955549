import type { ApiKeyId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../time/clock.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

const oncePerMilliseconds = 60_000;
const rememberedMax = 10_000;

/** Keeps `lastUsed` of API keys: written at most once a minute per key, and never while a request waits for it. */
export interface LastUsed {
  /** Says that a key was used now. Returns at once; a failed write is lost, for the next use writes again. */
  note(id: ApiKeyId): void;
  /** Resolves when everything noted so far is written. */
  settle(): Promise<void>;
}

export function createLastUsed({
  apiKeys,
  clock,
}: {
  readonly apiKeys: Pick<ApiKeyStore, "noteUse">;
  readonly clock: Clock;
}): LastUsed {
  /** When this process last wrote for a key, so that most uses ask nothing of the database. */
  const written = new Map<ApiKeyId, number>();
  const writing = new Set<Promise<void>>();
  return {
    note(id) {
      const now = clock.now();
      const before = written.get(id);
      if (before !== undefined && now - before < oncePerMilliseconds) return;
      // Forgetting costs a write that changes nothing: the statement itself holds to the minute.
      if (written.size >= rememberedMax) written.clear();
      written.set(id, now);
      const write = apiKeys
        .noteUse(id, now, now - oncePerMilliseconds + 1)
        .catch(() => void written.delete(id))
        .finally(() => writing.delete(write));
      writing.add(write);
    },
    async settle() {
      await Promise.all(writing);
    },
  };
}

/** Notes the key of every request that came with one, after its answer has gone out. */
export function installLastUsed(app: FastifyInstance, lastUsed: LastUsed): void {
  app.addHook("onResponse", (request, _reply, done) => {
    if (request.principal?.kind === "api_key") lastUsed.note(request.principal.keyId);
    done();
  });
}
