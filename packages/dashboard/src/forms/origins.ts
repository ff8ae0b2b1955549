import { entryErrors } from "../api/describe-error.ts";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";

/** The wrong origins of a refused form by what was typed, not by their numbers. */
export function nameWrongOrigins(sent: readonly string[], error: unknown): string | undefined {
  const named = entryErrors(error, "allowedOrigins").map(({ numbers, sentence }) =>
    text.settings.wrongOrigins(
      // A whole document may have been pasted by mistake.
      numbers.map((number) => shorten(sent.at(number - 1) ?? "", 60)),
      sentence,
    ),
  );
  return named.length === 0 ? undefined : named.join(" ");
}

/** One per word. The slash that browsers put after an address when it is copied is no path. */
export function parseOrigins(typed: string): string[] {
  return typed
    .split(/[\s,]+/)
    .filter((origin) => origin !== "")
    .map((origin) => origin.replace(/^(https?:\/\/[^/]+)\/$/i, "$1"));
}
