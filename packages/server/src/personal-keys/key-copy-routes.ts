import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { createKeyChanges, type PersonalKeyRouteDependencies } from "./key-changes.ts";
import { copiesMax, copiesPerDay, findCopyErrors, restorableMilliseconds } from "./personal-key.ts";
import { KeyCopyFileBody, KeyCopyIdParameters, KeyCopyToAdd, keyCopyAnswer } from "./personal-key-schemas.ts";
import type { KeyCopy } from "./personal-key-store.ts";

/** Sealed copies of one's own key, each of which one way opens: fetched, added, removed, restored. */
export function createKeyCopyRoutes({ personalKeys, formerKeys, ...dependencies }: PersonalKeyRouteDependencies) {
  const { change, requireMayRead } = createKeyChanges(dependencies);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/account/key-copies/:copy_id",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "getKeyCopy",
        summary: "Get a sealed copy of your personal key",
        description:
          "An age file, which opens with its passphrase, passkey, sheet or device alone. The audit log notes it, at most once an hour for each session.",
        tags: ["Account"],
        params: KeyCopyIdParameters,
        response: { 200: reference(KeyCopyFileBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { personId, entry } = await requireMayRead(request);
        const { copy_id } = request.params;
        const file = (await personalKeys.findFile(personId, copy_id)) ?? (await formerKeys.findFile(personId, copy_id));
        if (file === undefined) throw notFound();
        // Anyone who has taken over a session leaves a trace before trying passphrases elsewhere.
        await dependencies.recordReading({ ...entry, action: "key_copy.read" });
        return { file };
      },
    });

    app.route({
      method: "POST",
      url: "/api/account/key-copies",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "addKeyCopy",
        summary: "Add a sealed copy of your personal key",
        description:
          "Another way to unlock it. At most 20 that were not removed, and 20 within a day. Only the outer form of the file is checked, which the service can't open. The same request once more adds nothing. You get an email. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        body: KeyCopyToAdd,
        response: { 200: keyCopyAnswer, ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const copy = await change(request, async (transaction, { personId, now }, record) => {
          const { signingKey, ...sent } = request.body;
          refuseInvalid(findCopyErrors(sent));
          const added = await personalKeys.add(transaction, personId, { ...sent, signingKey }, now);
          if (added === "without_key") throw new Problem("conflict", "You have no personal key yet: make it first");
          if (added === "changed") throw keyChanged();
          if (added === "full") throw tooMany();
          if ("retryAt" in added) throw tooOften(added.retryAt - now);
          if (added.isNew) await record("key_copy_added", [added.copy.way]);
          return added.copy;
        });
        return { copy: toCopyBody(copy) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/account/key-copies/:copy_id",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "removeKeyCopy",
        summary: "Remove a sealed copy of your personal key",
        description:
          "It can be restored for 30 days. The last one for a recovery sheet stays (409). You get an email. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        params: KeyCopyIdParameters,
        response: { 200: keyCopyAnswer, ...problems(401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        const copy = await change(request, async (transaction, { personId, now }, record) => {
          const removed = await personalKeys.remove(transaction, personId, request.params.copy_id, now);
          if (removed === "missing") throw notFound();
          if (removed === "last_sheet")
            throw new Problem(
              "conflict",
              "This is the only copy that a recovery sheet opens: make a new sheet first, then remove this one",
            );
          await record("key_copy_removed", [removed.way]);
          return removed;
        });
        return { copy: toCopyBody(copy) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/account/key-copies/:copy_id/restore",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "restoreKeyCopy",
        summary: "Restore a sealed copy of your personal key",
        description:
          "Within 30 days after it was removed. Does nothing to one that was not. You get an email. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        params: KeyCopyIdParameters,
        response: { 200: keyCopyAnswer, ...problems(401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        const copy = await change(request, async (transaction, { personId, now }, record) => {
          const restored = await personalKeys.restore(transaction, personId, request.params.copy_id, now);
          if (restored === "missing") throw notFound();
          if (restored === "full") throw tooMany();
          if (restored.isChanged) await record("key_copy_restored", [restored.copy.way]);
          return restored.copy;
        });
        return { copy: toCopyBody(copy) };
      },
    });
  };
}

/** A copy as its person sees it in a list, without its file. */
export function toCopyBody({ removedAt, ...copy }: KeyCopy) {
  return {
    ...copy,
    removedAt: removedAt ?? null,
    restorableUntil: removedAt === undefined ? null : removedAt + restorableMilliseconds,
  };
}

/** Refuses a request about another key than the one in use. */
export function keyChanged(): Problem {
  return new Problem("conflict", "Your personal key is another one by now: load the page again");
}

function notFound(): Problem {
  return new Problem("not_found", "You have no such copy of your key, or it was removed");
}

function tooMany(): Problem {
  return new Problem(
    "conflict",
    `A personal key has at most ${copiesMax} copies. Remove one that is not needed first.`,
  );
}

function tooOften(milliseconds: number): Problem {
  return new Problem("rate_limited", `A personal key gets at most ${copiesPerDay} copies within a day`, {
    retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)),
  });
}
