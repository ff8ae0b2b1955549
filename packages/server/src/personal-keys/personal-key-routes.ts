import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { sessionOf } from "../access/access.ts";
import { problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { createKeyChanges, type PersonalKeyRouteDependencies } from "./key-changes.ts";
import { toCopyBody } from "./key-copy-routes.ts";
import { findCopyErrors, findHalvesErrors, type NewKeyCopy } from "./personal-key.ts";
import { PersonalKeyBody, PersonalKeyInput } from "./personal-key-schemas.ts";
import type { PersonalKeyState } from "./personal-key-store.ts";

/** One's own personal key (docs/decisions/0029-personal-keys.md): the service knows its public halves. */
export function createPersonalKeyRoutes({ personalKeys, ...dependencies }: PersonalKeyRouteDependencies) {
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
      handler: async (request) => toBody(await personalKeys.find(sessionOf(request).personId, clock.now())),
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
          if (outcome === "created")
            await record(
              "personal_key_made",
              copies.map(({ way }) => way),
            );
          return by.personId;
        });
        return toBody(await personalKeys.find(personId, clock.now()));
      },
    });
  };
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

function toBody({ personalKey, copies }: PersonalKeyState) {
  return { personalKey: personalKey ?? null, copies: copies.map(toCopyBody) };
}
