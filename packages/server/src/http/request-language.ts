import { chooseLanguage, type Language, languages, wantedMax } from "@sealpost/texts";
import type { FastifyRequest } from "fastify";

/** The language of a page for the person who asks (RFC 9110, section 12.5.4). */
export function languageOf({ headers }: Pick<FastifyRequest, "headers">): Language {
  return chooseLanguage(readWanted(headers["accept-language"] ?? ""), languages);
}

/** The first ten tags of an `Accept-Language`, the most wanted first; without those of weight 0. */
export function readWanted(header: string): readonly string[] {
  const ranges = header.split(",", wantedMax).map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, weight: weight === undefined ? 1 : Number(weight) };
  });
  return ranges
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
