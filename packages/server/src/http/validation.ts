import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import type { Sentence } from "../problems/codes.ts";
import { excerpt } from "../problems/excerpt.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The message of a 400 on this route: `Invalid form settings` on create and update, else `Invalid request`. */
    readonly invalidMessage?: Sentence;
  }
}

/**
 * Each error of a request as field path to message: the member's own sentence where its schema has one (`x-message`),
 * else one made from the broken rule. Paths read like `settings.webhookUrl`.
 */
export function describeErrors(errors: readonly FastifySchemaValidationError[]): Record<string, string> {
  const details = createDetails();
  for (const issue of errors) {
    const path = toPath(issue);
    const choices = choicesOf(issue);
    if (choices === undefined) details[path] ??= describe(issue);
    else details[path] = `Must be ${choices.join(" or ")}`;
    if (Object.keys(details).length >= detailsMax) break;
  }
  return details;
}

/** An answer that names every error of a hostile body would be larger than the body. */
const detailsMax = 50;

/** Field path to message, without a prototype: a caller may name a member `__proto__`. */
function createDetails(): Record<string, string> {
  return Object.create(null) as Record<string, string>; // it has no members yet
}

function toPath({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const segments = instancePath
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keyword === "required") segments.push(String(params.missingProperty));
  if (keyword === "additionalProperties") segments.push(excerpt(String(params.additionalProperty)));
  return segments.join(".") || "body";
}

/** The members that Ajv adds with `verbose`. */
type FieldError = FastifySchemaValidationError & {
  readonly parentSchema?: { readonly "x-message"?: unknown; readonly anyOf?: readonly unknown[] };
  readonly data?: unknown;
};

/** The constants of a choice between nothing else: it is broken by each of them, and then as a whole, which alone knows all. */
function choicesOf({ keyword, parentSchema }: FieldError): readonly string[] | undefined {
  const choices = keyword === "anyOf" ? (parentSchema?.anyOf ?? []) : [];
  const constants = choices.flatMap((choice) => {
    const { const: constant } = Object(choice) as { readonly const?: unknown }; // a schema, if it is an object
    return constant === undefined ? [] : [JSON.stringify(constant)];
  });
  return constants.length > 0 && constants.length === choices.length ? constants : undefined;
}

function describe(issue: FieldError): string {
  const own = issue.parentSchema?.["x-message"];
  const { keyword, params, data } = issue;
  if (keyword === "required") return "Is required";
  if (keyword === "additionalProperties") return "Is not known here";
  if (typeof own === "string") return own;
  switch (keyword) {
    case "type":
      if (params.type === "integer" && isTooLarge(data)) return "Is too large";
      return `Must be ${withArticle(String(params.type))}`;
    case "minLength":
      return params.limit === 1 ? "Must not be empty" : `Must have at least ${params.limit} characters`;
    case "maxLength":
      return `Must have at most ${params.limit} characters`;
    case "minItems":
      return `Must have at least ${params.limit} ${params.limit === 1 ? "entry" : "entries"}`;
    case "maxItems":
      return `Must have at most ${params.limit} entries`;
    case "minimum":
      return `Must be at least ${params.limit}`;
    case "maximum":
      return `Must be at most ${params.limit}`;
    case "const":
      return `Must be ${JSON.stringify(params.allowedValue)}`;
    case "enum":
      // The schema's values: as many as it names, whatever was sent.
      return `Must be one of ${Array.isArray(params.allowedValues) ? params.allowedValues.join(", ") : "those that are known"}`;
    default:
      return "Is not valid";
  }
}

/** An integer of a query that is no safe one is left as text. Nothing else is made a text: `{"toString":1}` can't be one. */
function isTooLarge(data: unknown): boolean {
  return data === Number.POSITIVE_INFINITY || (typeof data === "string" && /^[1-9][0-9]{15,}$/.test(data));
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type.replace(",", " or ")}`;
}
