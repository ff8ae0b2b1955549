import { createHash } from "node:crypto";
import { isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import { escapeHtml } from "../http/html.ts";
import type { MailSwitchStore } from "./mail-switch-store.ts";
import type { UnsubscribeLinks } from "./unsubscribe-link.ts";

export interface UnsubscribeRouteDependencies {
  readonly mailSwitches: MailSwitchStore;
  readonly unsubscribeLinks: UnsubscribeLinks;
  readonly clock: Clock;
}

const styles = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.0625rem/1.6 system-ui,sans-serif;background:light-dark(#f4f6f5,#0f1412);color:light-dark(#16211c,#e6edea)}
main{max-width:32rem;margin:1.5rem;padding:2rem;background:light-dark(#fff,#171d1a);border:1px solid light-dark(#c9d1d9,#3d444d);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3}
button{font:inherit;min-height:2.75rem;margin:1rem .5rem 0 0;padding:.25rem 1rem}`;

const forForm = '<button name="scope" value="form">No more about this form</button>';
const forAll = '<button name="scope" value="account">No more about any form</button>';

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(styles).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

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
          "Mails about new submissions, failing webhooks and full forms. Those about the security of your account come in any case.";
        return send(reply, 200, "Fewer mails", text, isId("account", id) ? [forAll] : [forForm, forAll]);
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
        return send(reply, 200, "Done", `You get no more mails about ${what}. The dashboard switches them on again.`);
      },
    });
  };
}

function tokenOf({ params }: FastifyRequest): string {
  const token = typeof params === "object" && params !== null && "token" in params ? params.token : undefined;
  return typeof token === "string" ? token : "";
}

function sendUnknown(reply: FastifyReply): FastifyReply {
  return send(reply, 404, "This link is not complete", "Open it once more from the mail, or copy all of it.");
}

function send(
  reply: FastifyReply,
  status: number,
  title: string,
  text: string,
  buttons: readonly string[] = [],
): FastifyReply {
  return reply
    .status(status)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", contentSecurityPolicy)
    .header("referrer-policy", "no-referrer")
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<div>${escapeHtml(text)}</div>
${buttons.length > 0 ? `<form method="post">${buttons.join("")}</form>` : ""}
</main>
</body>
</html>
`);
}
