import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { principalOf, requireVerifiedAddress } from "../access/access.ts";
import type { Principal } from "../access/principal.ts";
import { closed, Milliseconds, problems } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { type FormReservationStore, type ReservedBy, reservationsMax } from "./form-reservation-store.ts";

export interface FormReservationRouteDependencies {
  readonly formReservations: FormReservationStore;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

export function createFormReservationRoutes({ formReservations, hasRoom, clock }: FormReservationRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "POST",
      url: "/api/forms/reservations",
      config: { access: "forms:write" },
      schema: {
        operationId: "reserveForm",
        summary: "Reserve an id for a form",
        description: `For \`createForm\` with an envelope, which has the form's id inside its seal, or to recognize a form whose answer was lost. It can be used once, within an hour, by who asked for it. At most ${reservationsMax} are open at once.`,
        tags: ["Forms"],
        response: {
          200: closed({
            formId: Type.String({ description: "The id, `form_…`." }),
            expiresAt: Milliseconds,
          }),
          ...problems(401, 403, 409, 429, 503),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        await requireRoom(hasRoom);
        const now = clock.now();
        const formId = createId("form", now);
        const expiresAt = await formReservations.reserve(formId, toReservedBy(principalOf(request)), now);
        if (expiresAt === "too_many")
          throw new Problem(
            "conflict",
            `At most ${reservationsMax} ids for forms are reserved at once. Use one of them, or wait until they end, within an hour.`,
          );
        return { formId, expiresAt };
      },
    });
  };
}

/** Ids are bound to who asked for them: what one made up or saw, another can't use. */
export function toReservedBy(principal: Principal): ReservedBy {
  const { accountId } = principal;
  return { accountId, principalId: principal.kind === "session" ? principal.personId : principal.keyId };
}
