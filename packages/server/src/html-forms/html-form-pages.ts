import { createHash } from "node:crypto";
import { escapeHtml } from "../http/html.ts";
import type { ProblemReason } from "../problem.ts";
import { membersMax } from "../submissions/submission.ts";

/** What a page says. Only our own words: no page ever repeats something that was sent. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

export const thankYou: PageText = { title: "Thank you", text: "Your answers were sent." };

const goBack = "Use your browser's Back button: your answers should still be there.";

export const needsScript: PageText = {
  title: "Not sent: this form needs JavaScript",
  text: `This form only takes answers that were encrypted in the browser, and that needs JavaScript. Nothing was stored. ${goBack} Then allow JavaScript for the page and send again.`,
};

export const noFiles: PageText = {
  title: "Not sent: this form cannot take files",
  text: `Nothing was stored. ${goBack} Then remove the file and send again.`,
};

/** Pages for people, by the status that programs get. */
export const refusals: Readonly<Record<number, PageText>> = {
  403: {
    title: "Not sent: this form cannot be used on that website",
    text: "The owner of the form has not allowed the website that you came from. Nothing was stored.",
  },
  404: {
    title: "There is no such form",
    text: "It may have been deleted, or the address has a typing mistake. Nothing was stored.",
  },
  405: {
    title: "Forms are posted to this address",
    text: "It shows nothing by itself. To use it, set it as the action of an HTML form with method post.",
  },
  413: { title: "Not sent: the answers are too long", text: `Nothing was stored. ${goBack}` },
  429: {
    title: "Not sent: too many answers at once",
    text: `Nothing was stored. ${goBack} Please wait a minute and send again.`,
  },
  500: {
    title: "Not sent: something went wrong on our side",
    text: `Nothing was stored. ${goBack} Please send again in a while.`,
  },
  // Whether it was stored can't be known when the database went away in the midst of it.
  503: {
    title: "Perhaps not sent: the service is not available at the moment",
    text: `${goBack} Please send again in a minute.`,
  },
};

/** Where the answer's `code` says more than its status. */
export const fullPages: Readonly<Partial<Record<ProblemReason, PageText>>> = {
  quota_reached: {
    title: "Not sent: this form is full",
    text: `It takes no more answers at the moment. Nothing was stored. ${goBack} Keep a copy of them, and send again in an hour.`,
  },
  hourly_limit_reached: {
    title: "Not sent: this form takes no more answers within this hour",
    text: `Nothing was stored. ${goBack} Keep a copy of them, and send again in an hour.`,
  },
  storage_full: {
    title: "Not sent: there is no room for answers at the moment",
    text: `Nothing was stored. ${goBack} Keep a copy of them, and send again later.`,
  },
};

export const malformed: PageText = {
  title: "Not sent: the form could not be read",
  text: `Nothing was stored. ${goBack}`,
};

export const tooManyFields: PageText = {
  title: "Not sent: this form has too many fields",
  text: `A form can have at most ${membersMax.toLocaleString("en")}. Nothing was stored. ${goBack}`,
};

const styles = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.0625rem/1.6 system-ui,sans-serif;background:light-dark(#f4f6f5,#0f1412);color:light-dark(#16211c,#e6edea)}
main{max-width:32rem;margin:1.5rem;padding:2rem;background:light-dark(#fff,#171d1a);border:1px solid light-dark(#c9d1d9,#3d444d);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3}
p{margin:0}`;

export const pageContentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(styles).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function renderPage({ title, text }: PageText): string {
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
</main>
</body>
</html>
`;
}
