import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { closed, problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type DeviceRequest, deviceAnswerBytesMax, findAnswerErrors, findChallengeErrors } from "./device-request.ts";
import {
  DeviceAnswerInput,
  DeviceChallengeInput,
  DeviceRequestBody,
  DeviceRequestIdParameters,
  DeviceRequestInput,
  DeviceRevealInput,
} from "./device-request-schemas.ts";
import { createKeyChanges, type PersonalKeyRouteDependencies } from "./key-changes.ts";

const deviceAnswer = closed(
  { request: Type.Union([reference(DeviceRequestBody), Type.Null()]) },
  { description: "The request of a new device, or null." },
);
const url = "/api/account/device-requests";
const note = "The service passes on what the two devices say, and decides nothing (specification, section 21).";

/** A personal key on its way to another device of its person. Each step is taken once, by the session whose turn it is. */
export function createDeviceRequestRoutes({
  deviceRequests,
  ...dependencies
}: Omit<PersonalKeyRouteDependencies, "personalKeys" | "formerKeys">) {
  const { change, requireMayRead } = createKeyChanges(dependencies);
  const config = { access: "person", rate: "api" } as const;
  const tags = ["Account"];
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url,
      config,
      schema: {
        operationId: "getDeviceRequest",
        summary: "Get the open request of a new device",
        description: `Null where there is none. ${note}`,
        tags,
        response: { 200: deviceAnswer, ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId, now } = await requireMayRead(request);
        const found = await deviceRequests.find(personId, now);
        return { request: found === undefined ? null : toBody(found, sessionId) };
      },
    });

    app.route({
      method: "POST",
      url,
      config,
      schema: {
        operationId: "createDeviceRequest",
        summary: "Ask for your personal key on a new device",
        description: `It ends after 10 minutes, or when another one is made. ${note}`,
        tags,
        body: DeviceRequestInput,
        response: { 200: deviceAnswer, ...problems(400, 401, 403, 415, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId, now } = await requireMayRead(request);
        const made = await deviceRequests.create(personId, sessionId, request.body.commitment, now);
        return { request: toBody(made, sessionId) };
      },
    });

    app.route({
      method: "PUT",
      url: `${url}/:request_id/challenge`,
      config,
      schema: {
        operationId: "challengeDeviceRequest",
        summary: "Answer a new device's commitment, on a device on which the key is open",
        description: `Once, and not from the session that has made the request. ${note}`,
        tags,
        params: DeviceRequestIdParameters,
        body: DeviceChallengeInput,
        response: { 200: deviceAnswer, ...problems(400, 401, 403, 404, 409, 415, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId, now } = await requireMayRead(request);
        refuseInvalid(findChallengeErrors(request.body));
        const sender = { personId, sessionId, now, requestId: request.params.request_id };
        requireTurn(await deviceRequests.challenge(sender, request.body));
        return { request: toBody(requireOpen(await deviceRequests.find(personId, now)), sessionId) };
      },
    });

    app.route({
      method: "PUT",
      url: `${url}/:request_id/reveal`,
      config,
      schema: {
        operationId: "revealDeviceRequest",
        summary: "Reveal what the new device has committed to",
        description: `Once, from the session that has made the request, after the challenge. ${note}`,
        tags,
        params: DeviceRequestIdParameters,
        body: DeviceRevealInput,
        response: { 200: deviceAnswer, ...problems(400, 401, 403, 404, 409, 415, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId, now } = await requireMayRead(request);
        const sender = { personId, sessionId, now, requestId: request.params.request_id };
        requireTurn(await deviceRequests.reveal(sender, request.body));
        return { request: toBody(requireOpen(await deviceRequests.find(personId, now)), sessionId) };
      },
    });

    app.route({
      method: "PUT",
      url: `${url}/:request_id/answer`,
      bodyLimit: deviceAnswerBytesMax,
      config,
      schema: {
        operationId: "answerDeviceRequest",
        summary: "Give your personal key to a new device, sealed for it",
        description: `Once, from the session that has sent the challenge. You get an email. Needs a verified address and a sign-in within the last 60 minutes. ${note}`,
        tags,
        params: DeviceRequestIdParameters,
        body: DeviceAnswerInput,
        response: { 200: deviceAnswer, ...problems(400, 401, 403, 404, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId, now } = await change(request, async (transaction, by, record) => {
          refuseInvalid(findAnswerErrors(request.body));
          const sender = { ...by, requestId: request.params.request_id };
          const outcome = await deviceRequests.answer(transaction, sender, request.body);
          requireTurn(outcome);
          if (outcome === "sent") await record("personal_key_given", []);
          return by;
        });
        return { request: toBody(requireOpen(await deviceRequests.find(personId, now)), sessionId) };
      },
    });

    app.route({
      method: "DELETE",
      url: `${url}/:request_id`,
      config,
      schema: {
        operationId: "endDeviceRequest",
        summary: "End a new device's request",
        description: "By either device; also when it is through. Does nothing to one that has ended.",
        tags,
        params: DeviceRequestIdParameters,
        response: { 200: deviceAnswer, ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const { personId } = await requireMayRead(request);
        await deviceRequests.remove(personId, request.params.request_id);
        return { request: null };
      },
    });
  };
}

function toBody(
  { id, commitment, expiresAt, challenge, reveal, answer, ...request }: DeviceRequest,
  sessionId: string,
) {
  const isOwn = request.sessionId === sessionId;
  return {
    ...{ id, isOwn, commitment, expiresAt },
    challenge: challenge ?? null,
    reveal: reveal ?? null,
    isAnswered: answer !== undefined,
    answer: isOwn ? (answer ?? null) : null,
  };
}

function requireTurn(outcome: "sent" | "repeated" | "missing" | "other"): void {
  if (outcome === "missing") throw ended();
  if (outcome === "other")
    throw new Problem("conflict", "Another device has taken this step, or it is not its turn: begin again");
}

function requireOpen(request: DeviceRequest | undefined): DeviceRequest {
  if (request === undefined) throw ended();
  return request;
}

function ended(): Problem {
  return new Problem("not_found", "This request of a new device has ended: begin again there");
}
