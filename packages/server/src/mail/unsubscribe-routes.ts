import type { ServedTexts } from "@sealpost/texts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { SendPage } from "../http/errors.ts";
import { type MessagePage, prepareMessagePage } from "../http/message-page.ts";
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
        const found = link && (await mailSwitches.findLink(link, clock.now()));
        return (await preparePage(request, found?.state ?? "unknown", link))(reply);
      },
    });

    app.route({
      method: "POST",
      url: "/unsubscribe/:token",
      config,
      schema: { hide: true },
      handler: async (request, reply) => {
        const link = unsubscribeLinks.parse(tokenOf(request));
        const now = clock.now();
        const found = link && (await mailSwitches.findLink(link, now));
        if (link === undefined || found?.state !== "open")
          return (await preparePage(request, found?.state ?? "unknown", link))(reply);
        const by = { accountId: found.accountId, actor: { type: "nobody" }, occurredAt: now } as const;
        if (link.formId === undefined) await mailSwitches.setAccountWanted(by, false);
        else await mailSwitches.setWanted(by, link.formId, false);
        return (await preparePage(request, "off", link))(reply);
      },
    });
  };
}

/** The status of each page. `unknown`: this instance made no such link. */
export const statuses = { open: 200, off: 200, ended: 410, unknown: 404 } as const;
type LinkState = keyof typeof statuses;

async function preparePage(
  request: FastifyRequest,
  state: LinkState,
  link: UnsubscribeLink | undefined,
): Promise<SendPage> {
  const about = link?.formId === undefined ? "account" : "form";
  const sendPage = await prepareMessagePage(request, ({ unsubscribe }) => writePage(unsubscribe, state, about));
  return (reply) => sendPage(reply.status(statuses[state]).header("referrer-policy", "no-referrer"));
}

export function writePage(
  { open, done, ended, unknown }: ServedTexts["unsubscribe"],
  state: LinkState,
  about: "form" | "account",
): MessagePage {
  switch (state) {
    case "open":
      return { title: open.title, text: open.text, button: open.button[about] };
    case "off":
      return { title: done.title, text: done.text[about] };
    case "ended":
      return ended;
    case "unknown":
      return unknown;
    default:
      throw new Error(`Unknown state: ${state satisfies never}`);
  }
}

function tokenOf({ params }: FastifyRequest): string {
  const token = typeof params === "object" && params !== null && "token" in params ? params.token : undefined;
  return typeof token === "string" ? token : "";
}
