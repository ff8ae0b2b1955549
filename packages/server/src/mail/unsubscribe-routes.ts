import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type MessagePage, messagePagePolicy, renderMessagePage } from "../http/message-page.ts";
import type { Clock } from "../time/clock.ts";
import type { MailSwitchStore } from "./mail-switch-store.ts";
import type { UnsubscribeLink, UnsubscribeLinks } from "./unsubscribe-link.ts";

export interface UnsubscribeRouteDependencies {
  readonly mailSwitches: MailSwitchStore;
  readonly unsubscribeLinks: UnsubscribeLinks;
  readonly clock: Clock;
}

/**
 * One-click unsubscribing (RFC 8058): mail programs POST to the link without a sign-in. Who opens it gets a page with a
 * button, because email scanners open every link. A link ends what its mail was about and nothing else,
 * once: emails pass through many hands.
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
      handler: async (request, reply) => {
        const link = unsubscribeLinks.parse(tokenOf(request));
        if (link === undefined) return sendUnknown(reply);
        const found = await mailSwitches.findLink(link, clock.now());
        if (found.state !== "open") return sendState(reply, found.state, link);
        const text =
          "Emails about new submissions, failing webhooks, keys that nobody has tried, and full forms. Those about the security of your account come in any case.";
        return send(reply, 200, {
          title: "Fewer emails",
          text,
          buttons: [`<button>No more about ${whatOf(link)}</button>`],
        });
      },
    });

    app.route({
      method: "POST",
      url: "/unsubscribe/:token",
      config,
      schema: { hide: true },
      handler: async (request, reply) => {
        const link = unsubscribeLinks.parse(tokenOf(request));
        if (link === undefined) return sendUnknown(reply);
        const now = clock.now();
        const found = await mailSwitches.findLink(link, now);
        if (found.state !== "open") return sendState(reply, found.state, link);
        const by = { accountId: found.accountId, actor: { type: "nobody" }, occurredAt: now } as const;
        if (link.formId === undefined) await mailSwitches.setAccountWanted(by, false);
        else await mailSwitches.setWanted(by, link.formId, false);
        return sendState(reply, "off", link);
      },
    });
  };
}

function whatOf({ formId }: UnsubscribeLink): string {
  return formId === undefined ? "any of your forms" : "this form";
}

function sendState(reply: FastifyReply, state: "off" | "ended", link: UnsubscribeLink): FastifyReply {
  if (state === "off") {
    const text = `You get no more emails about ${whatOf(link)}. You can switch them on again in the dashboard.`;
    return send(reply, 200, { title: "Done", text });
  }
  return send(reply, 410, {
    title: "This link has ended",
    text: "Emails were switched on again after it was sent, or it is older than 90 days. Use the link of a newer email, or switch emails off in the dashboard.",
  });
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
