import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { sessionOf } from "../access/access.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { FormerKey } from "./former-key-store.ts";
import { createKeyChanges, type PersonalKeyRouteDependencies } from "./key-changes.ts";
import { keyChanged, toCopyBody } from "./key-copy-routes.ts";
import {
  findCopyErrors,
  findFormerCopyError,
  findHalvesErrors,
  keysPerDay,
  type NewKeyCopy,
  restorableMilliseconds,
} from "./personal-key.ts";
import {
  PersonalKeyBody,
  PersonalKeyInput,
  PersonalKeyReplacement,
  PersonalKeyRestoring,
} from "./personal-key-schemas.ts";
import type { PersonalKeyState } from "./personal-key-store.ts";

/** Does nothing with one that does not fit. */
export type KeepSignedHead = (
  transaction: DatabaseTransaction,
  signer: { readonly personId: AccountId; readonly signingKey: string },
  head: { readonly organizationId: string; readonly signedHead: string },
  now: number,
) => Promise<unknown>;

/** One's own personal key (docs/decisions/0029-personal-keys.md): the service knows its public halves. */
export function createPersonalKeyRoutes({
  personalKeys,
  formerKeys,
  keepSignedHead,
  ...dependencies
}: PersonalKeyRouteDependencies & { readonly keepSignedHead: KeepSignedHead }) {
  const { change } = createKeyChanges(dependencies);
  const { clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/account/personal-key",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "getPersonalKey",
        summary: "Get your personal key's public halves, and the list of its sealed copies",
        description: "No files. Nobody should wrap anything for a key because a server names it here.",
        tags: ["Account"],
        response: { 200: reference(PersonalKeyBody), ...problems(401, 429) },
      },
      handler: (request) => load(sessionOf(request).personId),
    });

    app.route({
      method: "POST",
      url: "/api/account/personal-key",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "createPersonalKey",
        summary: "Store your personal key's public halves and its first sealed copies",
        description:
          "Once: another key is refused (409). The same request once more answers as before. You get an email. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        body: PersonalKeyInput,
        response: { 200: reference(PersonalKeyBody), ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const { copies, ...halves } = request.body;
        const personId = await change(request, async (transaction, by, record) => {
          refuseInvalid({ ...findHalvesErrors(halves), ...findErrorsOfAll(copies) });
          const outcome = await personalKeys.create(transaction, { ...by, ...halves, copies });
          if (outcome === "exists")
            throw new Problem("conflict", "You have a personal key already: unlock that one, or restore a copy of it");
          if (outcome === "created") await record("personal_key_made", waysOf(copies));
          return by.personId;
        });
        return load(personId);
      },
    });

    app.route({
      method: "PUT",
      url: "/api/account/personal-key",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "replacePersonalKey",
        summary: "Replace your personal key by another one",
        description:
          "For a key that was stolen or lost. The one until now is kept for 30 days with all of its copies, and can be brought back. Envelopes and signed lists still name it: replacing it there is up to the clients. At most 5 keys within a day. The same request once more answers as before. You get an email. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        body: PersonalKeyReplacement,
        response: { 200: reference(PersonalKeyBody), ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const { copies, replaces, formerCopy, signedHeads = [], ...halves } = request.body;
        const personId = await change(request, async (transaction, by, record) => {
          const errors = { ...findHalvesErrors(halves), ...findErrorsOfAll(copies) };
          refuseInvalid({ ...errors, formerCopy: findFormerCopyError(formerCopy) });
          const parts = { ...by, ...halves, copies, replaces, formerFile: formerCopy };
          const outcome = await formerKeys.replace(transaction, parts);
          if (outcome === "missing") throw missing();
          if (outcome === "changed") throw keyChanged();
          if (outcome === "former")
            throw new Problem("conflict", "This key was yours before: bring it back instead of storing it again");
          if (typeof outcome === "object") throw tooManyKeys(outcome.retryAt - by.now);
          if (outcome === "sent") return by.personId;
          await record("personal_key_replaced", waysOf(copies));
          // In the same request: a browser that was closed in between would leave a key by which the next device trusts no list.
          const signer = { personId: by.personId, signingKey: halves.signingKey };
          for (const head of onePerOrganization(signedHeads)) await keepSignedHead(transaction, signer, head, by.now);
          return by.personId;
        });
        return load(personId);
      },
    });

    app.route({
      method: "POST",
      url: "/api/account/personal-key/restore",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "restorePersonalKey",
        summary: "Bring a replaced personal key back",
        description:
          "Within 30 days after it was replaced, with its copies as they were then. The key in use takes its place among the former ones: it can be brought back for 30 days in turn. Does nothing to a key that is in use. You get an email. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        body: PersonalKeyRestoring,
        response: { 200: reference(PersonalKeyBody), ...problems(400, 401, 403, 404, 409, 415, 429) },
      },
      handler: async (request) => {
        const { signingKey, replaces, formerCopy } = request.body;
        const personId = await change(request, async (transaction, by, record) => {
          refuseInvalid({ formerCopy: findFormerCopyError(formerCopy) });
          const parts = { ...by, signingKey, replaces, formerFile: formerCopy };
          const outcome = await formerKeys.restore(transaction, parts);
          if (outcome === "missing")
            throw new Problem("not_found", "You have no such former key, or it can't be brought back any more");
          if (outcome === "changed") throw keyChanged();
          if (outcome === "restored") await record("personal_key_restored", []);
          return by.personId;
        });
        return load(personId);
      },
    });
  };

  /** The key with its copies, and those that it has replaced. */
  async function load(personId: AccountId) {
    const now = clock.now();
    return toBody(await personalKeys.find(personId, now), await formerKeys.list(personId, now));
  }
}

/** The first of each. */
function onePerOrganization<Head extends { readonly organizationId: string }>(heads: readonly Head[]): readonly Head[] {
  return [...Map.groupBy(heads, ({ organizationId }) => organizationId).values()].flatMap(([first]) => first ?? []);
}

function waysOf(copies: readonly NewKeyCopy[]) {
  return copies.map(({ way }) => way);
}

function missing(): Problem {
  return new Problem("conflict", "You have no personal key yet: make it first");
}

function tooManyKeys(milliseconds: number): Problem {
  return new Problem("rate_limited", `A person stores at most ${keysPerDay} personal keys within a day`, {
    retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)),
  });
}

function findErrorsOfAll(copies: readonly NewKeyCopy[]): Readonly<Record<string, string | undefined>> {
  const errors = copies.flatMap((copy, index) =>
    Object.entries(findCopyErrors(copy)).map(([member, error]) => [`copies.${index}.${member}`, error] as const),
  );
  const hasSheet = copies.some(({ way }) => way === "sheet");
  return {
    ...Object.fromEntries(errors),
    copies: hasSheet
      ? undefined
      : "Must include a copy that a recovery sheet opens: it is what is left when all devices are lost",
  };
}

function toBody({ personalKey, copies }: PersonalKeyState, formerKeys: readonly FormerKey[]) {
  return {
    personalKey: personalKey ?? null,
    copies: copies.map(toCopyBody),
    formerKeys: formerKeys.map((key) => ({
      ...key,
      restorableUntil: key.replacedAt + restorableMilliseconds,
      copies: key.copies.map(toCopyBody),
    })),
  };
}
