import { CommandError } from "./exit-code.ts";

/** The origin of an instance. Throws a `CommandError` for anything else, and for http unless it stays on this machine. */
export function parseInstanceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.pathname !== "/")
    throw new CommandError("usage", `Not the address of an instance, such as https://forms.example.org: ${text}`);
  const isLocal = url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  if (url.protocol === "http:" && !isLocal)
    throw new CommandError("usage", `${url.origin} is not encrypted: credentials are only sent over https://`);
  return url.origin;
}
