import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FastifyInstance } from "fastify";
import { codeOf } from "../problems/code-of.ts";
import { sentences } from "../problems/codes.ts";
import { closeAnswers } from "./close-answers.ts";
import { firstSentence } from "./first-sentence.ts";

/** Throws when an answer is not what the OpenAPI document says of its route and status. */
export type CheckAnswer = (method: string, path: string, status: number, body: unknown) => void;

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly "application/json"?: { readonly schema: object } } }>
  >;
}

/** Keyed by what services are set to: most services of a test file have the same document, and making it takes a while. */
const checks = new Map<string, CheckAnswer>();

/**
 * Holds every JSON answer under /api/ to the document, so that the two can't drift apart anywhere in the test suite, and
 * every refusal at any address to the table of codes. `settings` tells apart what differs in its routes or schemas.
 */
export function createCheckAnswer(app: FastifyInstance, settings: string): CheckAnswer {
  const check = checks.get(settings) ?? createCheck(closeAnswers(app.swagger()));
  checks.set(settings, check);
  return (method, path, status, body) => {
    if (status >= 400 && method !== "HEAD") assertCodes(body);
    check(method, path, status, body);
  };
}

/** Every sentence of a refusal has the code that codes.ts gives it. */
function assertCodes(body: unknown): void {
  const { error, message = error, code, details = {}, detailCodes = {} } = body as Refusal; // each member is looked at below
  assert.ok(code !== undefined && Object.hasOwn(sentences, code), `codes.ts has no sentence for ${message} (${code})`);
  assert.equal(code, codeOf(String(message)) ?? composed(details), `${message}`);
  assert.deepEqual(
    { ...detailCodes },
    Object.fromEntries(
      Object.entries(details).map(([path, sentence]) => {
        const known = codeOf(firstSentence(sentence));
        assert.ok(known, `codes.ts has no code for ${path}: ${sentence}`);
        const own = detailCodes[path] ?? "";
        return [path, path === "webhookUrl" && ofWebhookUrls.includes(own) ? own : known];
      }),
    ),
  );
}

/** The contract has one sentence for all that is wrong with a webhook URL; the code says what. */
const ofWebhookUrls = [...Object.keys(sentences).filter((code) => code.startsWith("webhook_url_")), "field_too_long"];

interface Refusal {
  readonly error?: unknown;
  readonly message?: unknown;
  readonly code?: string;
  readonly details?: Readonly<Record<string, string>>;
  readonly detailCodes?: Readonly<Record<string, string>>;
}

/** Where the message is the sentences of several fields. */
function composed(details: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(details).length > 1 ? "invalid_request" : undefined;
}

function createCheck(document: unknown): CheckAnswer {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }; // the shape of OpenAPI 3.1
  // The schemas themselves are checked once, by the test of the document.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, meta: false, validateSchema: false });
  ajv.addSchema(document as object, "openapi"); // an object, or the line above would have failed
  const routes = Object.entries(paths).map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`),
  }));
  return (method, path, status, body) => {
    if (!path.startsWith("/api/") || path.startsWith("/api/auth/") || path === "/api/openapi.json") return;
    // A fixed path wins over one with a parameter, as in the router.
    const route = routes
      .filter(({ pattern }) => pattern.test(path))
      .toSorted((a, b) => a.template.split("{").length - b.template.split("{").length)[0];
    const operation = route?.operations[method.toLowerCase()];
    if (route === undefined || operation === undefined) {
      assert.ok(
        status === 404 || status === 405 || status === 204,
        `${method} ${path} answered ${status} and is not in the document`,
      );
      return;
    }
    if (status === 304) return;
    assert.ok(
      String(status) in operation.responses,
      `${method} ${route.template} answered ${status}, which its document does not list`,
    );
    const pointer = [
      "paths",
      route.template,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      "application/json",
      "schema",
    ]
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    if (operation.responses[String(status)]?.content?.["application/json"] === undefined) return;
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    assert.ok(validate !== undefined, `No schema for ${method} ${route.template} ${status}`);
    assert.ok(
      validate(body),
      `${method} ${route.template} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
    );
  };
}
