import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, fingerprint, seal } from "@sealpost/wire";
import { defaultSettings } from "../../packages/server/src/forms/form-settings.ts";
import { createMakeKeyPair } from "../../packages/server/src/forms/make-key-pair.ts";
import { codeOf } from "../../packages/server/src/problems/code-of.ts";
import { comparedTexts, uncomparedTexts } from "../../packages/server/src/startup/testing/time-columns.ts";
import { findTimesInTexts } from "../../packages/server/src/startup/testing/times-in-texts.ts";
import { firstSentence } from "../../packages/server/src/testing/first-sentence.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { assertShape, base64url, id, integer, matching, milliseconds, type Shape, text } from "./shape.ts";

/** A row of the interface: what is asked, as whom, and everything that the answer says. */
interface Row {
  readonly title: string;
  /** Method and path; `{contact}` and the like stand for ids that earlier rows named. */
  readonly asks: string;
  readonly body?: unknown;
  readonly as?: "account" | "stranger" | "nobody";
  readonly answers: number;
  readonly shows: Shape;
  /** The name under which later rows know the id in the answer, and where the id is. */
  readonly names?: string;
}

const own = takeKeyPair();
const next = takeKeyPair();

const publicKey = { kty: "RSA", n: base64url, e: "AQAB" };
const privateKey = {
  ...publicKey,
  d: base64url,
  p: base64url,
  q: base64url,
  dp: base64url,
  dq: base64url,
  qi: base64url,
};
/** The contract's four, whatever the table says, and those beyond it. */
const contractDefaults = { encryption: true, piiStrip: false, webhookUrl: null, allowedOrigins: ["*"] };
const defaults = { ...defaultSettings, ...contractDefaults };
const plain = { ...defaults, encryption: false, allowedOrigins: ["https://example.com"] };

const problem = (error: string, message: string, details?: Shape, codes: Shape = {}): Shape => ({
  error,
  message,
  code: codeOf(message) ?? "a sentence without a code",
  ...(details !== undefined && { details, detailCodes: { ...codesOf(details), ...Object(codes) } }),
});

/** For each sentence its code; for one that is only known by a rule any code. */
function codesOf(details: Shape): Readonly<Record<string, Shape>> {
  return Object.fromEntries(
    Object.entries(details as Readonly<Record<string, Shape>>).map(([path, sentence]) => [
      // as each row has them
      path,
      typeof sentence === "string" ? (codeOf(firstSentence(sentence)) ?? "a sentence without a code") : text,
    ]),
  );
}
const formNotFound = problem("not_found", "Form not found");
const submissionNotFound = problem("not_found", "Submission not found");
const invalidSettings = (details: Shape, codes?: Shape) =>
  problem("bad_request", "Invalid form settings", details, codes);
const invalid = (details: Shape) => problem("bad_request", "Invalid request", details);
const nameTaken = problem("conflict", "A form with this name already exists");
const unauthorized = problem("unauthorized", "Invalid or missing authentication");
const confirmForm = "Add ?confirm=DELETE_FORM to delete this form and all its submissions";
const confirmSubmissions = "Add ?confirm=DELETE_SUBMISSIONS to delete submissions of this form";

const absentForm = createId("form");
const absentSubmission = createId("submission");

/** Contract, section 5: forms. */
const forms: readonly Row[] = [
  {
    title: "POST /api/forms makes the pair and shows the private key, once; settings have their defaults",
    asks: "POST /api/forms",
    body: { name: "  Made here  " },
    answers: 200,
    shows: {
      form: { id: id("form"), name: "Made here", createdAt: milliseconds, publicKey, privateKey, settings: defaults },
    },
    names: "made",
  },
  {
    title: "POST /api/forms with your own public key shows no private key",
    asks: "POST /api/forms",
    body: {
      name: "Contact",
      publicKey: own.publicKey,
      settings: { encryption: false, allowedOrigins: ["https://EXAMPLE.com:443"] },
    },
    answers: 200,
    shows: {
      form: {
        id: id("form"),
        name: "Contact",
        createdAt: milliseconds,
        publicKey: { ...own.publicKey },
        settings: plain,
      },
    },
    names: "contact",
  },
  {
    title: "GET /api/forms shows two settings, no updatedAt, no embedCode, no private key; newest first",
    asks: "GET /api/forms",
    answers: 200,
    shows: {
      forms: [
        {
          id: id("form"),
          name: "Contact",
          createdAt: milliseconds,
          submissionCount: 0,
          receivedCount: 0,
          lastReceivedAt: null,
          keyProof: "unproved",
          publicKey: { ...own.publicKey },
          settings: { encryption: false, piiStrip: false },
        },
        {
          id: id("form"),
          name: "Made here",
          createdAt: milliseconds,
          submissionCount: 0,
          receivedCount: 0,
          lastReceivedAt: null,
          keyProof: "unproved",
          publicKey,
          settings: { encryption: true, piiStrip: false },
        },
      ],
      total: 2,
      nextCursor: null,
    },
  },
  {
    title: "GET /api/forms pages, and total is all of them",
    asks: "GET /api/forms?limit=1",
    answers: 200,
    shows: {
      forms: [
        {
          id: id("form"),
          name: "Contact",
          createdAt: milliseconds,
          submissionCount: 0,
          receivedCount: 0,
          lastReceivedAt: null,
          keyProof: "unproved",
          publicKey,
          settings: { encryption: false, piiStrip: false },
        },
      ],
      total: 2,
      nextCursor: base64url,
    },
  },
  {
    title: "GET /api/forms/{form_id} adds updatedAt, all settings and embedCode",
    asks: "GET /api/forms/{contact}",
    answers: 200,
    shows: {
      form: {
        id: id("form"),
        name: "Contact",
        createdAt: milliseconds,
        updatedAt: milliseconds,
        submissionCount: 0,
        keyProof: "unproved",
        publicKey: { ...own.publicKey },
        settings: plain,
        embedCode: matching(
          /^<script src="http.+<\/script>\n<script>Sealpost\.init\("form_.+"encryption":false.+<\/script>$/,
        ),
      },
    },
  },
  {
    title: "PATCH /api/forms/{form_id} keeps what is omitted",
    asks: "PATCH /api/forms/{contact}",
    body: { settings: { piiStrip: true } },
    answers: 200,
    shows: {
      form: { id: id("form"), name: "Contact", updatedAt: milliseconds, settings: { ...plain, piiStrip: true } },
    },
  },
  {
    title: "PATCH /api/forms/{form_id} renames",
    asks: "PATCH /api/forms/{contact}",
    body: { name: "contact", settings: { piiStrip: false } },
    answers: 200,
    shows: { form: { id: id("form"), name: "contact", updatedAt: milliseconds, settings: plain } },
  },
  {
    title: "POST …/rotate-keys counts versions, and shows the new private key",
    asks: "POST /api/forms/{made}/rotate-keys",
    answers: 200,
    shows: {
      form: { id: id("form"), publicKey, privateKey, keyVersion: 2, previousKeyVersion: 1, rotatedAt: milliseconds },
    },
  },
  {
    title: "POST …/rotate-keys with your own public key",
    asks: "POST /api/forms/{made}/rotate-keys",
    body: { publicKey: next.publicKey },
    answers: 200,
    shows: {
      form: {
        id: id("form"),
        publicKey: { ...next.publicKey },
        keyVersion: 3,
        previousKeyVersion: 2,
        rotatedAt: milliseconds,
      },
    },
  },
  {
    title: "GET …/keys lists the public keys of all versions",
    asks: "GET /api/forms/{made}/keys",
    answers: 200,
    shows: {
      keys: [3, 2, 1].map((version) => ({
        version,
        publicKey,
        fingerprint: matching(/^[\w-]{43}$/),
        createdAt: milliseconds,
        madeBy: version === 3 ? "owner" : "service",
        provedAt: null,
      })),
    },
  },
  {
    title: "GET …/public shows a browser what it needs to seal, and nothing else",
    asks: "GET /api/forms/{made}/public",
    as: "nobody",
    answers: 200,
    shows: {
      form: {
        id: id("form"),
        publicKey: { ...next.publicKey },
        keyVersion: 3,
        keyFingerprint: await fingerprint(next.publicKey),
        settings: { encryption: true, piiStrip: false, country: null, piiTypes: null },
      },
    },
  },
];

/** Contract, section 10: statistics. */
const statistics: readonly Row[] = [
  ...(
    [
      ["", "month", 30],
      ["?period=day", "day", 1],
      ["?period=week", "week", 7],
      ["?period=month", "month", 30],
      ["?period=year", "year", 365],
    ] as const
  ).map(([query, period, days]) => ({
    title: `GET …/stats${query} has ${days} days`,
    asks: `GET /api/forms/{made}/stats${query}`,
    answers: 200,
    shows: {
      formId: id("form"),
      period,
      stats: {
        totalSubmissions: 0,
        periodSubmissions: 0,
        avgPerDay: 0,
        timeline: Array.from({ length: days }, () => ({ date: matching(/^\d{4}-\d\d-\d\d$/), count: 0 })),
      },
    },
  })),
  {
    title: "GET …/stats knows four periods",
    asks: "GET /api/forms/{made}/stats?period=decade",
    answers: 400,
    shows: invalid({ period: "Must be day, week, month or year" }),
  },
];

/** Contract, section 8: submissions. */
const submissions: readonly Row[] = [
  {
    title: "POST …/submissions of a plain form, without an id",
    asks: "POST /api/forms/{contact}/submissions",
    body: { payload: { encrypted: false, version: "plain1", fields: { message: "hello" } }, timestamp: 5 },
    as: "nobody",
    answers: 201,
    shows: { success: true, submission: { id: id("sub"), timestamp: 5, receivedAt: milliseconds } },
    names: "hello",
  },
  {
    title: "POST …/submissions of a form for sealed ones refuses a plain one",
    asks: "POST /api/forms/{made}/submissions",
    body: { payload: { encrypted: false, version: "plain1", fields: {} } },
    as: "nobody",
    answers: 400,
    shows: invalid({ payload: "This form accepts only encrypted submissions" }),
  },
  {
    title: "GET …/submissions",
    asks: "GET /api/forms/{contact}/submissions",
    answers: 200,
    shows: {
      submissions: [
        {
          id: id("sub"),
          formId: id("form"),
          payload: { encrypted: false, version: "plain1", fields: { message: "hello" } },
          keyVersion: 1,
          timestamp: 5,
          receivedAt: milliseconds,
        },
      ],
      total: 1,
      nextCursor: null,
    },
  },
  {
    title: "GET …/submissions with a range that ends before the first",
    asks: "GET /api/forms/{contact}/submissions?from=0&to=5",
    answers: 200,
    shows: { submissions: [], total: 0, nextCursor: null },
  },
  {
    title: "GET …/submissions/{submission_id}",
    asks: "GET /api/forms/{contact}/submissions/{hello}",
    answers: 200,
    shows: {
      submission: {
        id: id("sub"),
        formId: id("form"),
        payload: { encrypted: false, version: "plain1", fields: { message: "hello" } },
        keyVersion: 1,
        timestamp: 5,
        receivedAt: milliseconds,
      },
    },
  },
  {
    title: "GET …/submissions/{submission_id} of another form",
    asks: "GET /api/forms/{made}/submissions/{hello}",
    answers: 404,
    shows: submissionNotFound,
  },
  {
    title: "POST …/submissions/delete counts those that the form had",
    asks: "POST /api/forms/{contact}/submissions/delete",
    body: { ids: [absentSubmission] },
    answers: 200,
    shows: { success: true, deleted: { submissionsDeleted: 0 } },
  },
  ...(
    [
      [{}, { ids: "Is required" }],
      [{ ids: [] }, { ids: "Must have at least 1 entry" }],
      [{ ids: ["sub_1"] }, { "ids.0": "Must be a submission id" }],
      [{ ids: Array(1001).fill(absentSubmission) }, { ids: "Must have at most 1000 entries" }],
      [{ ids: [absentSubmission], all: true }, { all: "Is not known here" }],
      [undefined, { body: "Must be an object" }],
    ] as const
  ).map(([body, details]) => ({
    title: `POST …/submissions/delete refuses ${JSON.stringify(body)?.slice(0, 40)}`,
    asks: "POST /api/forms/{contact}/submissions/delete",
    body,
    answers: 400,
    shows: invalid(details),
  })),
  {
    title: "DELETE …/submissions wants to be confirmed",
    asks: "DELETE /api/forms/{contact}/submissions",
    answers: 400,
    shows: problem("bad_request", confirmSubmissions, { confirm: "Is required" }),
  },
  {
    title: "DELETE …/submissions takes no misspelt bound for none",
    asks: "DELETE /api/forms/{contact}/submissions?confirm=DELETE_SUBMISSIONS&befor=5",
    answers: 400,
    shows: invalid({ befor: "Is not known here" }),
  },
  {
    title: "DELETE …/submissions before the first one",
    asks: "DELETE /api/forms/{contact}/submissions?confirm=DELETE_SUBMISSIONS&before=5",
    answers: 200,
    shows: { success: true, deleted: { submissionsDeleted: 0 } },
  },
  {
    title: "DELETE …/submissions/{submission_id}",
    asks: "DELETE /api/forms/{contact}/submissions/{hello}",
    answers: 200,
    shows: { success: true, deleted: { submissionId: id("sub") } },
  },
  {
    title: "DELETE …/submissions/{submission_id} again",
    asks: "DELETE /api/forms/{contact}/submissions/{hello}",
    answers: 404,
    shows: submissionNotFound,
  },
  {
    title: "DELETE …/submissions of a form that has none",
    asks: "DELETE /api/forms/{contact}/submissions?confirm=DELETE_SUBMISSIONS",
    answers: 200,
    shows: { success: true, deleted: { submissionsDeleted: 0 } },
  },
];

/** Interface of the contract, 7.1: this sentence, under the field's name, whatever is wrong with the address. */
const webhookUrlInvalid = { webhookUrl: "Must be a valid HTTPS URL" };
const httpsOnly = invalidSettings(webhookUrlInvalid);
const severalOrigins =
  "Must be a single address. Several are entries of their own; on the command line, commas separate them";
const badOrigin =
  "Must be the beginning of an address, such as https://www.example.org, with nothing after it; https://*.example.org for every site below it; or * for any page";

/** Contract, sections 4.3, 4.4 and 5: what is refused, on create and on update alike. */
const refusedSettings: readonly (readonly [what: string, body: unknown, shows: Shape])[] = [
  ["an empty name", { name: "" }, invalidSettings({ name: "Must not be empty" })],
  ["a name of spaces", { name: " \t\n " }, invalidSettings({ name: "Must not be empty" })],
  [
    "a name of which nothing can be seen",
    { name: "\u2060\u200b\u00ad\u2800\u3164" },
    invalidSettings({ name: "Must not be empty" }),
  ],
  [
    "a name of 101 characters",
    { name: "ä".repeat(101) },
    invalidSettings({ name: "Must have at most 100 characters" }),
  ],
  ["a name that is a number", { name: 5 }, invalidSettings({ name: "Must be a string" })],
  ["a name of null", { name: null }, invalidSettings({ name: "Must be a string" })],
  ["NUL in a name", { name: "a\0b" }, invalidSettings({ name: "Must be one line, without control characters" })],
  [
    "a line break in a name",
    { name: "a\nb" },
    invalidSettings({ name: "Must be one line, without control characters" }),
  ],
  [
    "half a character in a name",
    '{"name":"a\\ud800"}',
    invalidSettings({ name: "Must not contain half a character: type it again" }),
  ],
  ["an unknown member", { name: "A", plan: "pro" }, invalidSettings({ plan: "Is not known here" })],
  ["an id", { name: "A", id: absentForm }, invalidSettings({ id: "Is not known here" })],
  ["a prototype", '{"name":"A","__proto__":{"a":1}}', invalidSettings(JSON.parse('{"__proto__":"Is not known here"}'))],
  ["an unknown setting", { name: "A", settings: { color: "red" } }, invalidSettings({ color: "Is not known here" })],
  ["settings of text", { name: "A", settings: "x" }, invalidSettings({ settings: "Must be an object" })],
  [
    "flags that are no booleans",
    { name: "A", settings: { encryption: "true", piiStrip: 1 } },
    invalidSettings({ encryption: "Must be a boolean", piiStrip: "Must be a boolean" }),
  ],
  [
    "an http webhook URL",
    { name: "A", settings: { webhookUrl: "http://example.com/hook" } },
    invalidSettings(webhookUrlInvalid, { webhookUrl: "webhook_url_not_https" }),
  ],
  ["an invalid webhook URL", { name: "A", settings: { webhookUrl: "example.com" } }, httpsOnly],
  ["an empty webhook URL", { name: "A", settings: { webhookUrl: "" } }, httpsOnly],
  ["a webhook URL that is a number", { name: "A", settings: { webhookUrl: 5 } }, httpsOnly],
  [
    "half a character in a webhook URL",
    '{"name":"A","settings":{"webhookUrl":"https://example.com/\\ud800"}}',
    httpsOnly,
  ],
  [
    "a webhook URL of 2,049 characters",
    { name: "A", settings: { webhookUrl: `https://example.com/${"a".repeat(2029)}` } },
    invalidSettings(webhookUrlInvalid, { webhookUrl: "field_too_long" }),
  ],
  ["no origins", { name: "A", settings: { allowedOrigins: [] } }, invalidSettings({ allowedOrigins: text })],
  [
    "51 origins",
    { name: "A", settings: { allowedOrigins: Array(51).fill("https://example.com") } },
    invalidSettings({ allowedOrigins: "Must have at most 50 entries" }),
  ],
  [
    "invalid origins",
    { name: "A", settings: { allowedOrigins: ["https://example.com/path", "*", "https://*.com", "null"] } },
    invalidSettings({ allowedOrigins: `Entries 1, 3, 4: ${badOrigin}` }),
  ],
  [
    "several origins in one text",
    {
      name: "A",
      settings: {
        allowedOrigins: [
          "https://example.com",
          "https://example.com;https://example.org",
          "example.com, example.org",
          "https://example.com https://*.example.org",
          "https://example.com/a;b.example",
          "https://example.com;",
        ],
      },
    },
    invalidSettings({ allowedOrigins: `Entries 2, 3, 4: ${severalOrigins}; Entries 5, 6: ${badOrigin}` }),
  ],
  [
    "everything at once",
    { name: " ", settings: { webhookUrl: "example.com", allowedOrigins: ["example.com"] } },
    invalidSettings({
      name: "Must not be empty",
      webhookUrl: "Must be a valid HTTPS URL",
      allowedOrigins: `Entry 1: ${badOrigin}`,
    }),
  ],
  ["a list", [], invalidSettings({ body: "Must be an object" })],
  ["broken JSON", '{"name":', invalidSettings({ body: "Must be valid JSON" })],
  ["no body", undefined, invalidSettings({ body: "Must be an object" })],
];

const refused: readonly Row[] = [
  ...refusedSettings.flatMap(([what, body, shows]) =>
    ["POST /api/forms", "PATCH /api/forms/{made}"].map((asks) => ({
      title: `${asks} refuses ${what}`,
      asks,
      body,
      answers: 400,
      shows,
    })),
  ),
  {
    title: "POST /api/forms wants a name",
    asks: "POST /api/forms",
    body: {},
    answers: 400,
    shows: invalidSettings({ name: "Is required" }),
  },
  {
    title: "POST /api/forms refuses a private key",
    asks: "POST /api/forms",
    body: { name: "A", publicKey: own.privateKey },
    answers: 400,
    shows: invalidSettings({
      publicKey: "Must be the public key only: this one contains private members, keep them to yourself",
    }),
  },
  {
    title: "PATCH takes no key: that is what rotate-keys is for",
    asks: "PATCH /api/forms/{made}",
    body: { publicKey: own.publicKey },
    answers: 400,
    shows: invalidSettings({ publicKey: "Is not known here" }),
  },
  {
    title: "POST …/rotate-keys refuses an invalid key",
    asks: "POST /api/forms/{made}/rotate-keys",
    body: { publicKey: { kty: "RSA", n: "AQAB", e: "AQAB" } },
    answers: 400,
    shows: invalid({ publicKey: "Must have 2048 to 4096 bits, this one has 17" }),
  },
  {
    title: "POST …/rotate-keys refuses unknown members",
    asks: "POST /api/forms/{made}/rotate-keys",
    body: { version: 9 },
    answers: 400,
    shows: invalid({ version: "Is not known here" }),
  },
  {
    title: "POST /api/forms: name used",
    asks: "POST /api/forms",
    body: { name: "CONTACT ", publicKey: own.publicKey },
    answers: 409,
    shows: nameTaken,
  },
  {
    title: "PATCH: name used",
    asks: "PATCH /api/forms/{made}",
    body: { name: "Contact" },
    answers: 409,
    shows: nameTaken,
  },
  ...["", "?confirm=", "?confirm=delete_form", "?confirm=DELETE_FORM&confirm=DELETE_FORM"].map((query) => ({
    title: `DELETE /api/forms/{form_id}${query} is not confirmed`,
    asks: `DELETE /api/forms/{made}${query}`,
    answers: 400,
    shows: problem("bad_request", confirmForm, { confirm: text }),
  })),
  ...(
    [
      ["limit=0", "limit", "Must be at least 1"],
      ["limit=101", "limit", "Must be at most 100"],
      ["limit=ten", "limit", "Must be an integer"],
      ["limit=", "limit", "Must be an integer"],
      ["limit=1.5", "limit", "Must be an integer"],
      ["limit=0x10", "limit", "Must be an integer"],
      ["limit=1e1", "limit", "Must be an integer"],
      ["limit=%205", "limit", "Must be an integer"],
      ["limit=5&limit=6", "limit", "Must be an integer"],
      ["cursor=x", "cursor", "Must be the nextCursor of a page before"],
      [
        `cursor=${Buffer.from('[1,"form_\\u0000"]').toString("base64url")}`,
        "cursor",
        "Must be the nextCursor of a page before",
      ],
      [`cursor=${"a".repeat(201)}`, "cursor", "Must have at most 200 characters"],
      ["order=asc", "order", "Is not known here"],
    ] as const
  ).flatMap(([query, member, message]) =>
    ["/api/forms", "/api/forms/{made}/submissions"].map((path) => ({
      title: `GET ${path}?${query.slice(0, 40)}`,
      asks: `GET ${path}?${query}`,
      answers: 400,
      shows: invalid({ [member]: message }),
    })),
  ),
  {
    title: "GET …/submissions refuses moments beyond time",
    asks: "GET /api/forms/{made}/submissions?from=-1&to=8640000000000001",
    answers: 400,
    shows: invalid({ from: "Must be at least 0", to: "Must be at most 8640000000000000" }),
  },
  {
    title: "a query parameter that a route does not know",
    asks: "GET /api/forms/{made}?verbose=1",
    answers: 400,
    shows: invalid({ verbose: "Is not known here" }),
  },
];

const operations: readonly (readonly [asks: string, body?: unknown])[] = [
  ["GET /api/forms/{form}"],
  ["PATCH /api/forms/{form}", { name: "A" }],
  ["DELETE /api/forms/{form}?confirm=DELETE_FORM"],
  ["POST /api/forms/{form}/rotate-keys"],
  ["GET /api/forms/{form}/keys"],
  ["GET /api/forms/{form}/stats"],
  ["GET /api/forms/{form}/submissions"],
  ["GET /api/forms/{form}/submissions/export"],
  [`GET /api/forms/{form}/submissions/${absentSubmission}`],
  [`DELETE /api/forms/{form}/submissions/${absentSubmission}`],
  ["DELETE /api/forms/{form}/submissions?confirm=DELETE_SUBMISSIONS"],
  ["POST /api/forms/{form}/submissions/delete", { ids: [absentSubmission] }],
];

/** Contract, section 3.3: a form that does not exist, is another account's, or has an invalid id. */
const unknown: readonly Row[] = operations.flatMap(([asks, body]) => [
  ...(
    [
      ["does not exist", absentForm, "account"],
      ["is another account's", "{contact}", "stranger"],
      ["has an id of another kind", absentSubmission, "account"],
      ["has an id of 2,000 characters", "a".repeat(2000), "account"],
      ["has an id with NUL", "form_%00", "account"],
    ] as const
  ).map(([what, form, as]) => ({
    title: `${asks}: a form that ${what}`,
    asks: asks.replace("{form}", form),
    body,
    as,
    answers: 404,
    shows: formNotFound,
  })),
  {
    title: `${asks} without a credential`,
    asks: asks.replace("{form}", "{contact}"),
    body,
    as: "nobody" as const,
    answers: 401,
    shows: unauthorized,
  },
]);

/** The account that did nothing but sign up; the other one's doings are not in here. */
const auditLog: readonly Row[] = [
  {
    title: "GET /api/audit-log lists what was done to the own account alone, newest first, with a cursor for the rest",
    asks: "GET /api/audit-log?limit=1",
    as: "stranger",
    answers: 200,
    shows: {
      entries: [
        {
          id: id("aud"),
          timestamp: milliseconds,
          // Both in the one request, and maybe in the one millisecond.
          action: matching(/^(account\.created|session\.started)$/),
          actor: { type: "session", id: text, personId: id("acc") },
        },
      ],
      nextCursor: text,
      head: { sequence: 2, hash: matching(/^[0-9a-f]{64}$/) },
    },
  },
  {
    title: "GET /api/usage says what the own account stores, and may store",
    asks: "GET /api/usage",
    as: "stranger",
    answers: 200,
    shows: {
      usage: {
        ...{
          bytes: 0,
          otherBytes: integer,
          logBytes: integer,
          bytesMax: 1_073_741_824,
          formBytesMax: 536_870_912,
          forms: [],
        },
        shared: {
          ...{ countsFor: "you", name: text, percent: 0, otherPercent: 0 },
          organizations: [{ id: id("acc"), name: text, bytes: 0, otherBytes: integer }],
        },
      },
    },
  },
  {
    title: "GET /api/audit-log is for a session alone",
    asks: "GET /api/audit-log",
    as: "nobody",
    answers: 401,
    shows: unauthorized,
  },
  {
    title: "GET /api/audit-log refuses a cursor that it did not make",
    asks: "GET /api/audit-log?cursor=nonsense",
    answers: 400,
    shows: invalid({ cursor: "Must be the nextCursor of a page before" }),
  },
];

const atLast: readonly Row[] = [
  {
    title: "DELETE /api/forms/{form_id}?confirm=DELETE_FORM",
    asks: "DELETE /api/forms/{contact}?confirm=DELETE_FORM",
    answers: 200,
    shows: { success: true, deleted: { formId: id("form"), submissionsDeleted: 0 } },
  },
  {
    title: "DELETE of a form that is deleted",
    asks: "DELETE /api/forms/{contact}?confirm=DELETE_FORM",
    answers: 404,
    shows: formNotFound,
  },
];

test("every row of the interface about forms, statistics and submissions holds, over real HTTP", async (t) => {
  const service = await createTestService(t, { makeKeyPair: createMakeKeyPair() });
  const account = await service.signUp();
  const stranger = await service.signUp();
  const named = new Map<string, string>();
  for (const row of [...forms, ...statistics, ...submissions, ...refused, ...unknown, ...auditLog, ...atLast]) {
    const [method = "", path = ""] = row.asks.replace(/\{(\w+)\}/g, (_, name) => named.get(name) ?? name).split(" ");
    const tokens = { account: account.token, stranger: stranger.token, nobody: undefined };
    await t.test(row.title, async () => {
      const answer = await service.request(method, path, { token: tokens[row.as ?? "account"], body: row.body });
      assert.equal(answer.status, row.answers, JSON.stringify(answer.body));
      assertShape(answer.body, row.shows);
      assert.match(answer.headers.get("x-request-id") ?? "", /^[\w-]{36}$/);
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
      if (row.names !== undefined) named.set(row.names, (answer.body.form ?? answer.body.submission).id);
    });
  }
  const known = [...comparedTexts.flatMap(({ texts }) => texts), ...uncomparedTexts];
  const found = await findTimesInTexts(service.database);
  assert.deepEqual(
    found.filter((text) => !known.includes(text)),
    [],
    "these need a row in testing/time-columns.ts",
  );
});

test("a sealed submission comes back as the contract's payload, and versions are counted (contract, sections 6.2 and 7.1)", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const created = await account.request("POST", "/api/forms", { name: "Sealed", publicKey: own.publicKey });
  const formId = created.body.form.id;
  const submissionId = createId("submission");
  const payload = await seal({ message: "hello" }, { formId, keyVersion: 1, submissionId }, own.publicKey);
  const body = { id: submissionId, keyVersion: 1, payload, timestamp: 1 };
  const path = `/api/forms/${formId}/submissions`;
  const first = await service.request("POST", path, { body });
  assert.equal(first.status, 201);
  const again = await service.request("POST", path, { body });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey: next.publicKey });
  const { submission } = (await account.request("GET", `${path}/${submissionId}`)).body;
  assertShape(submission, {
    id: submissionId,
    formId,
    payload: { encrypted: true, version: "sp1", data: payload.data, key: payload.key, iv: payload.iv },
    keyVersion: 1,
    timestamp: 1,
    receivedAt: integer,
  });
});

test("limits hold on both sides of their border (contract, sections 3.4 and 5)", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const create = (name: string, settings: object = {}) =>
    account.request("POST", "/api/forms", { name, settings, publicKey: own.publicKey });
  assert.equal((await create("ä".repeat(100))).status, 200);
  assert.equal((await create("👍".repeat(100))).status, 200, "characters, not UTF-16 units");
  const origins = Array.from({ length: 50 }, (_, index) => `https://site-${index}.example.com`);
  const { body } = await create("Fifty origins", { allowedOrigins: origins });
  assert.deepEqual(body.form.settings.allowedOrigins, origins);
  const tooLong = { name: "x".repeat(65_536) };
  // A body that may bring an envelope may be larger.
  assert.equal((await create(tooLong.name)).body.detailCodes.name, "field_too_long");
  for (const tooLarge of [
    await create("x".repeat(600_000)),
    await account.request("PATCH", `/api/forms/${body.form.id}`, tooLong),
  ])
    assert.deepEqual(
      [tooLarge.status, tooLarge.body],
      [413, { error: "payload_too_large", message: "The request body is too large", code: "body_too_large" }],
    );
  assert.equal((await account.request("GET", "/api/forms")).body.total, 3);
});
