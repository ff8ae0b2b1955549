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
 * button, because email scanners open every link. A link ends what its mail was about, once; a second button, which no mail program presses,
 * ends all notices of the organization.
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
        return (await preparePage(request, link, found))(reply);
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
        if (link === undefined || found === undefined || found.state === "ended")
          return (await preparePage(request, link, found))(reply);
        const by = { accountId: found.accountId, actor: { type: "nobody" }, occurredAt: now } as const;
        if (found.hasMore && new URLSearchParams(String(request.body)).get(choice.name) === choice.all) {
          await mailSwitches.setAccountWanted(by, false);
          return (await preparePage(request, undefined, { state: "off", hasMore: false }))(reply);
        }
        if (found.state === "open") {
          if (link.formId === undefined) await mailSwitches.setStorageWanted(by, false);
          else await mailSwitches.setWanted(by, link.formId, false);
        }
        return (await preparePage(request, link, { state: "off", hasMore: found.hasMore }))(reply);
      },
    });
  };
}

/** The field of the second button. */
export const choice = { name: "scope", all: "organization" } as const;

/** The status of each page. `unknown`: this instance made no such link. */
export const statuses = { open: 200, off: 200, ended: 410, unknown: 404 } as const;
type LinkState = keyof typeof statuses;

type Found = { readonly state: "ended" } | { readonly state: "open" | "off"; readonly hasMore: boolean };
/** The subjects of the pages. */
export type About = "form" | "storage" | "organization";

/** `link`: none where all of the organization has just been ended. */
async function preparePage(
  request: FastifyRequest,
  link: UnsubscribeLink | undefined,
  found: Found | undefined,
): Promise<SendPage> {
  const state = found?.state ?? "unknown";
  const hasMore = found !== undefined && "hasMore" in found && found.hasMore;
  const about = link === undefined ? "organization" : link.formId === undefined ? "storage" : "form";
  const sendPage = await prepareMessagePage(request, ({ unsubscribe }) =>
    writePage(unsubscribe, state, about, hasMore),
  );
  return (reply) => sendPage(reply.status(statuses[state]).header("referrer-policy", "no-referrer"));
}

export function writePage(
  { open, done, ended, unknown, all }: ServedTexts["unsubscribe"],
  state: LinkState,
  about: About,
  hasMore: boolean,
): MessagePage {
  const other = hasMore ? { ...choice, value: choice.all, label: all } : undefined;
  switch (state) {
    case "open":
      return { title: open.title, text: open.text, button: open.button[about === "form" ? "form" : "storage"], other };
    case "off":
      return { title: done.title, text: done.text[about], other };
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
