import type { IncomingHttpHeaders } from "node:http";
import { findPolicyError } from "./policy.ts";
import { isPagePath } from "./served-list.ts";

/** As the service sends them. With another charset, the same bytes are another program. */
const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript;charset=utf-8",
  ".css": "text/css;charset=utf-8",
  ".html": "text/html;charset=utf-8",
  ".json": "application/json;charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Headers that load, lead, keep or allow something, of which the service sends none with a page or a file of it. */
const foreign = [
  "link",
  "refresh",
  "speculation-rules",
  "use-as-dictionary",
  "service-worker-allowed",
  "set-cookie",
  "content-disposition",
];
/** This page is for keeping, and says so. */
const kept: Readonly<Record<string, string>> = {
  "/sealpost-opener.html": 'attachment; filename="sealpost-opener.html"',
};

/** The differences between the headers of an answer and those of the service. Proxies may add any that change nothing of what runs. */
export function findHeaderErrors(path: string, headers: IncomingHttpHeaders): readonly string[] {
  const errors: (string | undefined)[] = [
    findTypeError(path, headers["content-type"]),
    // Proxies often add it once more, and the first counts.
    firstOf(headers["x-content-type-options"]) === "nosniff"
      ? undefined
      : "comes without X-Content-Type-Options: nosniff",
    ...foreign.map((name) => findForeign(path, name, headers[name])),
  ];
  // Scripts of the embed are for pages of others, which have policies of their own. Those of the dashboard may be workers.
  if (!path.startsWith("/embed/")) errors.push(findPolicyError(headers["content-security-policy"]?.toString()));
  if (isPagePath(path) && headers["cross-origin-opener-policy"] !== "same-origin")
    errors.push("comes without Cross-Origin-Opener-Policy: same-origin");
  return errors.filter((error) => error !== undefined);
}

function findTypeError(path: string, type = "none"): string | undefined {
  const expected = isPagePath(path) ? contentTypes[".html"] : contentTypes[/\.\w+$/.exec(path)?.[0] ?? ""];
  const isExpected = expected === undefined || type.toLowerCase().replace(/; */, ";") === expected;
  return isExpected ? undefined : `has the Content-Type ${type}, not ${expected}`;
}

function findForeign(path: string, name: string, value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined || (name === "content-disposition" && value === kept[path])) return undefined;
  return `has a header ${name}, which the service does not send: ${value.toString().slice(0, 100)}`;
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return value?.toString().split(",")[0]?.trim().toLowerCase();
}
