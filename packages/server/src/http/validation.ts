import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import { excerpt } from "../excerpt.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The message of a 400 on this route: `Invalid form settings` on create and update, else `Invalid request`. */
    readonly invalidMessage?: string;
  }
}

/**
 * Each fault of a request as field path to message: the member's own sentence where its schema has one (`x-message`),
 * else one made from the broken rule. Paths read like `settings.webhookUrl`.
 */
export function describeFaults(faults: readonly FastifySchemaValidationError[]): Record<string, string> {
  const details = createDetails();
  for (const fault of faults) {
    details[toPath(fault)] ??= describe(fault);
    if (Object.keys(details).length >= detailsMax) break;
  }
  return details;
}

/** An answer that names every fault of a hostile body would be larger than the body. */
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

function describe(fault: FastifySchemaValidationError & { parentSchema?: { readonly "x-message"?: unknown } }): string {
  const own = fault.parentSchema?.["x-message"];
  const { keyword, params } = fault;
  if (keyword === "required") return "Is required";
  if (keyword === "additionalProperties") return "Is not known here";
  if (typeof own === "string") return own;
  switch (keyword) {
    case "type":
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
    default:
      return "Is not valid";
  }
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type.replace(",", " or ")}`;
}
