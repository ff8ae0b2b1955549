import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, askerOf, principalOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { MailSwitchStore } from "../mail/mail-switch-store.ts";
import { formNotFound } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { PageTurns } from "../time/page-turns.ts";

const mail = Type.Boolean({
  description:
    "Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails have no content.",
});

export const NotificationsBody = closed(
  {
    mail,
    available: Type.Boolean({ description: "Whether this instance sends emails at all: its operator has set it up." }),
  },
  { $id: "Notifications", description: "Whether email notices are sent." },
);

const storage = Type.Boolean({
  description: "Whether owners get an email when the account's storage, or its audit log, is nearly full or full.",
});

export const AccountNotificationsBody = closed(
  { ...NotificationsBody.properties, storage },
  { $id: "AccountNotifications", description: "Whether email notices are sent about the account and its forms." },
);

const NotificationsInput = closed({ mail });
const AccountNotificationsInput = closed({ mail, storage: Type.Optional(storage) });

export interface NotificationRouteDependencies {
  readonly mailSwitches: MailSwitchStore;
  /** Whether the instance sends emails. */
  readonly hasMail: boolean;
  readonly pageTurns: PageTurns;
  readonly clock: Clock;
}

/** The emails about forms that their owner gets. */
export function createNotificationRoutes({ mailSwitches, hasMail, pageTurns, clock }: NotificationRouteDependencies) {
  const switchedBy = (request: FastifyRequest) => ({ ...byPrincipal(principalOf(request)), occurredAt: clock.now() });

  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/notifications",
      config: { access: "session" },
      schema: {
        operationId: "getAccountNotifications",
        summary: "Get whether emails notify of the account's forms",
        description: "Whether email notices are sent for the forms of the account, and about its storage.",
        tags: ["Account"],
        response: { 200: reference(AccountNotificationsBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => ({
        mail: await mailSwitches.isAccountWanted(accountOf(request)),
        available: hasMail,
        storage: await mailSwitches.isStorageWanted(accountOf(request)),
      }),
    });

    app.route({
      method: "PUT",
      url: "/api/notifications",
      config: { access: "session" },
      schema: {
        operationId: "setAccountNotifications",
        summary: "Set whether emails notify of the account's forms",
        description:
          "If `mail` is off, no notices are sent, whatever a form's own switch and `storage` say. `storage` stays unchanged if it is left out. Rotated keys are always announced.",
        tags: ["Account"],
        body: AccountNotificationsInput,
        response: { 200: reference(AccountNotificationsBody), ...problems(400, 401, 403, 413, 415, 429) },
      },
      handler: async (request, reply) => {
        const isWanted = request.body.mail;
        const { storage } = request.body;
        // A row for each of up to 10,000 forms.
        const runPage = pageTurns.begin(askerOf(request), reply.raw, "notifications");
        await runPage(() => mailSwitches.setAccountWanted(switchedBy(request), isWanted));
        if (storage !== undefined) await mailSwitches.setStorageWanted(switchedBy(request), storage);
        return {
          mail: isWanted,
          available: hasMail,
          storage: storage ?? (await mailSwitches.isStorageWanted(accountOf(request))),
        };
      },
    });

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/notifications",
      config: { access: "forms:read" },
      schema: {
        operationId: "getNotifications",
        summary: "Get whether emails notify of a form",
        description: "Whether email notices are sent for this form.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: reference(NotificationsBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const isWanted = await mailSwitches.isWanted(accountOf(request), request.params.form_id);
        if (isWanted === undefined) throw formNotFound();
        return { mail: isWanted, available: hasMail };
      },
    });

    app.route({
      method: "PUT",
      url: "/api/forms/:form_id/notifications",
      config: { access: "forms:write" },
      schema: {
        operationId: "setNotifications",
        summary: "Set whether emails notify of a form",
        description:
          "Rotated keys of a form are always announced. Submissions that came while emails were off are not announced later.",
        tags: ["Forms"],
        params: FormIdParameters,
        body: NotificationsInput,
        response: { 200: reference(NotificationsBody), ...problems(400, 401, 403, 404, 413, 415, 429) },
      },
      handler: async (request) => {
        const isWanted = request.body.mail;
        const isSet = await mailSwitches.setWanted(switchedBy(request), request.params.form_id, isWanted);
        if (!isSet) throw formNotFound();
        return { mail: isWanted, available: hasMail };
      },
    });
  };
}
