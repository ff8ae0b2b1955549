import { createHash } from "node:crypto";
import type { Language, ServedTexts } from "@sealpost/texts";
import type { FastifyRequest } from "fastify";
import type { SendPage } from "./errors.ts";
import { escapeHtml } from "./html.ts";
import { languageOf } from "./request-language.ts";

const styles = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.0625rem/1.6 system-ui,sans-serif;background:light-dark(#f4f6f5,#0f1412);color:light-dark(#16211c,#e6edea)}
main{max-width:32rem;margin:1.5rem;padding:2rem;background:light-dark(#fff,#171d1a);border:1px solid light-dark(#c9d1d9,#3d444d);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3}
p{margin:0}
button{font:inherit;min-height:2.75rem;margin-block:1rem 0;padding:.25rem 1rem}`;

/** A page with one message for people, without the dashboard. `button` is the label of one that posts to the page's own address. */
export interface MessagePage {
  readonly title: string;
  readonly text: string;
  readonly button?: string;
  /** A second one, which sends a field. */
  readonly other?: { readonly name: string; readonly value: string; readonly label: string } | undefined;
}

/** The page in the language that the browser asks for. */
export async function prepareMessagePage(
  request: FastifyRequest,
  write: (texts: ServedTexts) => MessagePage,
): Promise<SendPage> {
  const language = languageOf(request);
  const page = write(await language.load.served());
  const html = renderMessagePage(language, page);
  return (reply) => reply.headers(headersOf(language, page)).serializer(String).send(html);
}

/** Nothing is loaded, and only a page with a button can post, to its own origin. */
function headersOf({ tag }: Language, { button, other }: MessagePage) {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(styles).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action ${button === undefined && other === undefined ? "'none'" : "'self'"}`,
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "content-type": "text/html; charset=utf-8",
    "content-language": tag,
    vary: "accept-language",
  };
}

export function renderMessagePage({ tag, direction }: Language, { title, text, button, other }: MessagePage): string {
  const buttons = [
    ...(button === undefined ? [] : [`<button>${escapeHtml(button)}</button>`]),
    ...(other === undefined
      ? []
      : [
          `<button name="${escapeHtml(other.name)}" value="${escapeHtml(other.value)}">${escapeHtml(other.label)}</button>`,
        ]),
  ];
  const form = buttons.length === 0 ? "" : `<form method="post">${buttons.join(" ")}</form>\n`;
  return `<!doctype html>
<html lang="${tag}" dir="${direction}">
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
<p>${escapeHtml(text)}</p>
${form}</main>
</body>
</html>
`;
}
