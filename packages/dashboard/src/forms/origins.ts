import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";

/** The service names wrong entries of a list by their numbers, those with the same error together. */
export function nameWrongOrigins(sent: readonly string[], error: string | undefined): string | undefined {
  if (error === undefined) return undefined;
  const groups = error.matchAll(/Entr(?:y|ies) (\d+(?:, \d+)*): (.*?)(?=; Entr(?:y|ies) \d|$)/gs);
  const named = Array.from(groups, ([, numbers = "", message = ""]) => {
    const wrong = numbers.split(", ").map((number) => sent.at(Number(number) - 1) ?? "");
    // A whole document may have been pasted by mistake.
    return text.settings.wrongOrigins(
      wrong.map((origin) => shorten(origin, 60)),
      message,
    );
  });
  return named.length === 0 ? error : named.join(" ");
}

/** One per word. The slash that browsers put after an address when it is copied is no path. */
export function parseOrigins(typed: string): string[] {
  return typed
    .split(/[\s,]+/)
    .filter((origin) => origin !== "")
    .map((origin) => origin.replace(/^(https?:\/\/[^/]+)\/$/i, "$1"));
}
