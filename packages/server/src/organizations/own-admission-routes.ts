import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { RefusalError, readAnswer } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { problems } from "../http/schemas.ts";
import { refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { readId } from "./admission-routes.ts";
import {
  AdmissionIdParameters,
  AnswerInput,
  done,
  OwnAdmissionBody,
  OwnAdmissionListBody,
} from "./admission-schemas.ts";
import { type Admissions, admissionNotFound, type Person } from "./admissions.ts";
import type { ReadListPage, ReadNames } from "./list-reads.ts";
import type { MemberStore } from "./member-store.ts";
import { ListPageQuery } from "./organization-schemas.ts";

export interface OwnAdmissionRouteDependencies {
  readonly admissions: Admissions;
  readonly members: MemberStore;
  readonly readListPage: ReadListPage;
  readonly readNames: ReadNames;
  /** The public halves of the person's own key, as they have stored them. */
  readonly findOwnHalves: (
    personId: AccountId,
  ) => Promise<{ readonly recipient: string; readonly signingKey: string } | undefined>;
  readonly clock: Clock;
}

/** The page that an admission's link leads to: for its person, in whatever organization their session acts. */
export function createOwnAdmissionRoutes(dependencies: OwnAdmissionRouteDependencies) {
  const { admissions, members, readListPage, readNames, findOwnHalves, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/account/admissions",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "listOwnAdmissions",
        summary: "List where somebody wants to bring you into a signed list, the newest first",
        description:
          "For a person who has no link, but the words of one: believe nothing of it before you have verified the terms with them (SPECIFICATION.md section 19).",
        tags: ["Account"],
        response: { 200: OwnAdmissionListBody, ...problems(401, 429) },
      },
      handler: async (request) => {
        const person = personOf(request);
        const names = new Map((await members.listOf(person.personId)).map(({ id, name }) => [id, name]));
        const own = await admissions.listOwn(person, [...names.keys()]);
        return {
          admissions: own.map(({ id, organizationId, endsAt, answer }) => ({
            id,
            organization: { id: organizationId, name: names.get(organizationId) ?? "" },
            endsAt,
            answeredAt: answer?.answeredAt ?? null,
          })),
        };
      },
    });

    app.route({
      method: "GET",
      url: "/api/account/admissions/:admission_id",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "getOwnAdmission",
        summary: "Get the terms on which you are brought into an organization's signed list",
        description:
          "With a page of the list. Verify the list from the link's head, and the terms with the list and the link, before you believe any of it (SPECIFICATION.md section 19).",
        tags: ["Account"],
        params: AdmissionIdParameters,
        querystring: ListPageQuery,
        response: { 200: OwnAdmissionBody, ...problems(401, 404, 429, 503) },
      },
      handler: async (request) => {
        const person = personOf(request);
        const found = await admissions.loadOwn(person, readId(request.params.admission_id));
        const own = await members.listOf(person.personId);
        const name = own.find(({ id }) => id === found.organizationId)?.name;
        const list = await readListPage(found.organizationId, person.personId, request.query.entry);
        if (name === undefined || list === undefined) throw admissionNotFound();
        const { organizationId: id, terms, answer } = found;
        // After the list: they are at least as new.
        const names = await readNames(id, person.personId);
        return { organization: { id, name }, terms, list: list.text, names, answeredAt: answer?.answeredAt ?? null };
      },
    });

    app.route({
      method: "POST",
      url: "/api/account/admissions/:admission_id/answer",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "answerAdmission",
        summary: "Answer with the public halves of your personal key",
        description:
          "It is signed with this key, and its proof is by the key that follows from the link's secret, which must not reach the service: what was not made with the link is refused. An owner or a manager brings you in then. Answering again replaces the answer. Needs a verified address and a sign-in within the last 60 minutes.",
        tags: ["Account"],
        params: AdmissionIdParameters,
        body: AnswerInput,
        response: { 200: done, ...problems(400, 401, 403, 404, 413, 415, 429) },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const person = personOf(request);
        const { answer } = request.body;
        const { id, terms } = await admissions.loadOwn(person, readId(request.params.admission_id));
        refuseInvalid({ answer: await findAnswerError(answer, terms, person.personId) });
        await admissions.answer(person, id, answer);
        return { success: true as const };
      },
    });
  };

  /** Undefined for the person's own answer to these terms, made with their link, with the key that the person has stored. */
  async function findAnswerError(answer: string, terms: string, personId: AccountId) {
    const read = await readAnswer(answer, terms);
    if (read instanceof RefusalError)
      return "Must be an answer of three lines to these terms, signed with the key in it and with that of the link";
    const own = await findOwnHalves(personId);
    const isOwn = own?.recipient === read.recipient && own.signingKey === read.signingKey;
    return isOwn && read.personId === personId
      ? undefined
      : "Must be your own answer to this admission, with your own personal key";
  }
}

function personOf(request: FastifyRequest): Person {
  const session = sessionOf(request);
  return { personId: session.personId, actor: byPrincipal(session).actor };
}
