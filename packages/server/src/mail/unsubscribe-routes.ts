import { isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import { type MessagePage, messagePagePolicy, renderMessagePage } from "../http/message-page.ts";
import type { MailSwitchStore } from "./mail-switch-store.ts";
import type { UnsubscribeLinks } from "./unsubscribe-link.ts";

export interface UnsubscribeRouteDependencies {
  readonly mailSwitches: MailSwitchStore;
  readonly unsubscribeLinks: UnsubscribeLinks;
  readonly clock: Clock;
}

const forForm = '<button name="scope" value="form">No more about this form</button>';
const forAll = '<button name="scope" value="account">No more about any form</button>';

/**
 * One-click unsubscribing (RFC 8058): mail programs POST to the link without a sign-in. Who opens it gets a page with
 * buttons, because programs that look into mails open every link.
 */
export function createUnsubscribeRoutes({ mailSwitches, unsubscribeLinks, clock }: UnsubscribeRouteDependencies) {
  const config = { access: "public", rate: "api" } as const;
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "string" }, async (_request: unknown, body: string) => body);

    app.route({
      method: "GET",
      url: "/unsubscribe/:token",
      config,
      schema: { hide: true },
      handler: (request, reply) => {
        const id = unsubscribeLinks.parse(tokenOf(request));
        if (id === undefined) return sendUnknown(reply);
        const text =
          "Mails about new submissions, failing webhooks, keys that nobody has tried, and full forms. Those about the security of your account come in any case.";
        const buttons = isId("account", id) ? [forAll] : [forForm, forAll];
        return send(reply, 200, { title: "Fewer mails", text, buttons });
      },
    });

    app.route({
      method: "POST",
      url: "/unsubscribe/:token",
      config,
      schema: { hide: true },
      handler: async (request, reply) => {
        const id = unsubscribeLinks.parse(tokenOf(request));
        if (id === undefined) return sendUnknown(reply);
        const isForAll =
          isId("account", id) || (typeof request.body === "string" && /(^|&)scope=account(&|$)/.test(request.body));
        const accountId = await mailSwitches.findOwner(id);
        // A form that is gone sends no mails any more.
        if (accountId !== undefined) {
          const by = { accountId, actor: { type: "nobody" }, occurredAt: clock.now() } as const;
          if (isForAll) await mailSwitches.setAccountWanted(by, false);
          else await mailSwitches.setWanted(by, id, false);
        }
        const what = isForAll ? "any of your forms" : "this form";
        const text = `You get no more mails about ${what}. You can switch them on again in the dashboard.`;
        return send(reply, 200, { title: "Done", text });
      },
    });
  };
}

function tokenOf({ params }: FastifyRequest): string {
  const token = typeof params === "object" && params !== null && "token" in params ? params.token : undefined;
  return typeof token === "string" ? token : "";
}

function sendUnknown(reply: FastifyReply): FastifyReply {
  return send(reply, 404, {
    title: "This link is not complete",
    text: "Open it again from the mail, or copy all of it.",
  });
}

function send(reply: FastifyReply, status: number, page: MessagePage): FastifyReply {
  return reply
    .status(status)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", messagePagePolicy(page))
    .header("referrer-policy", "no-referrer")
    .send(renderMessagePage(page));
}
