import { createHash } from "node:crypto";
import { escapeHtml } from "./html.ts";

const styles = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.0625rem/1.6 system-ui,sans-serif;background:light-dark(#f4f6f5,#0f1412);color:light-dark(#16211c,#e6edea)}
main{max-width:32rem;margin:1.5rem;padding:2rem;background:light-dark(#fff,#171d1a);border:1px solid light-dark(#c9d1d9,#3d444d);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3}
p{margin:0}
button{font:inherit;min-height:2.75rem;margin:1rem .5rem 0 0;padding:.25rem 1rem}`;

/** A page with one message for people, without the dashboard. `buttons` is HTML: submit buttons of a form that posts to the page's own address. */
export interface MessagePage {
  readonly title: string;
  readonly text: string;
  readonly buttons?: readonly string[];
}

/** The policy of the page: nothing is loaded, and only a page with buttons can post, to its own origin. */
export function messagePagePolicy({ buttons = [] }: MessagePage): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(styles).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action ${buttons.length > 0 ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join("; ");
}

export function renderMessagePage({ title, text, buttons = [] }: MessagePage): string {
  const form = buttons.length > 0 ? `<form method="post">${buttons.join("")}</form>\n` : "";
  return `<!doctype html>
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
<p>${escapeHtml(text)}</p>
${form}</main>
</body>
</html>
`;
}
