import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { accountOf, principalOf, requireFreshSession, requireVerifiedAddress } from "../access/access.ts";
import { problems, reference } from "../http/schemas.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { isAdmissionId, type StoredAdmission } from "./admission.ts";
import {
  AdmissionBody,
  AdmissionDetailsBody,
  AdmissionIdParameters,
  AdmissionInput,
  AdmissionListBody,
  done,
} from "./admission-schemas.ts";
import { type Admissions, admissionNotFound } from "./admissions.ts";
import { actingOf } from "./member-routes.ts";

export interface AdmissionRouteDependencies {
  readonly admissions: Admissions;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

/** Admissions to the organization's signed list, for the owners and managers who make and open them. */
export function createAdmissionRoutes({ admissions, hasRoom, clock }: AdmissionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/admissions",
      config: { access: "session" },
      schema: {
        operationId: "listAdmissions",
        summary: "List who is being brought into the signed list, the oldest first",
        description:
          "Without the links, which the service never sees. Those that were answered wait for an owner or a manager.",
        tags: ["Organizations"],
        response: { 200: AdmissionListBody, ...problems(401, 403, 429) },
      },
      handler: async (request) => ({ admissions: (await admissions.list(accountOf(request))).map(toBody) }),
    });

    app.route({
      method: "POST",
      url: "/api/admissions",
      config: { access: "session" },
      schema: {
        operationId: "createAdmission",
        summary: "Offer to bring a person into the signed list",
        description:
          "Terms that you have signed, for a member whose role you may give (SPECIFICATION.md section 19). Your program makes the link, and you pass it on; it must not reach the service. Replaces an open one for the same person. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        body: AdmissionInput,
        response: { 200: reference(AdmissionBody), ...problems(400, 401, 403, 404, 409, 413, 415, 429, 503) },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        await requireRoom(hasRoom, principalOf(request));
        return toBody(await admissions.create(actingOf(request), request.body.terms));
      },
    });

    app.route({
      method: "GET",
      url: "/api/admissions/:admission_id",
      config: { access: "session" },
      schema: {
        operationId: "getAdmission",
        summary: "Get an admission with its answer",
        description:
          "Check the terms against the signed list, and the answer against the terms: nothing else that the service says here counts (SPECIFICATION.md section 19).",
        tags: ["Organizations"],
        params: AdmissionIdParameters,
        response: { 200: AdmissionDetailsBody, ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const found = await admissions.load(accountOf(request), readId(request.params.admission_id));
        return { admission: toBody(found), answer: found.answer?.answer ?? null };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/admissions/:admission_id",
      config: { access: "session" },
      schema: {
        operationId: "revokeAdmission",
        summary: "Take an admission back",
        description: "Its link is worth nothing from then on.",
        tags: ["Organizations"],
        params: AdmissionIdParameters,
        response: { 200: done, ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        await admissions.revoke(actingOf(request), readId(request.params.admission_id));
        return { success: true as const };
      },
    });

    app.route({
      method: "POST",
      url: "/api/admissions/:admission_id/refusal",
      config: { access: "session" },
      schema: {
        operationId: "refuseAdmissionAnswer",
        summary: "Refuse an answer that was not made with the link",
        description: "The person can answer again. After ten of them the admission ends.",
        tags: ["Organizations"],
        params: AdmissionIdParameters,
        response: { 200: done, ...problems(401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        await admissions.refuse(actingOf(request), readId(request.params.admission_id));
        return { success: true as const };
      },
    });
  };
}

/** The database is asked for ids alone: PostgreSQL takes no NUL in a text. */
export function readId(id: string): string {
  if (!isAdmissionId(id)) throw admissionNotFound();
  return id;
}

function toBody({ id, personId, email, terms, madeBy, createdAt, endsAt, answer }: StoredAdmission) {
  return {
    ...{ id, person: personId ?? null, email, terms, madeBy, createdAt, endsAt },
    answeredAt: answer?.answeredAt ?? null,
  };
}
