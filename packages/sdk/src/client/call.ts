import type { Operations } from "../api-types.ts";
import { ApiError, parseApiError } from "./api-error.ts";
import { findUnexpectedMember } from "./check-answer.ts";
import { reached } from "./connection-error.ts";
import { createDeadline, type Deadline, sleep } from "./deadline.ts";
import { errorBytesMax, readBytes, readText } from "./read-answer.ts";
import { splitLines } from "./split-lines.ts";

export type OperationName = keyof Operations;
/** The parameters of an operation: `path`, `query` and `body`, if it has them; and headers of its own. */
export type Input<Name extends OperationName> = Omit<Operations[Name], "answer"> & {
  readonly headers?: Readonly<Record<string, string>>;
};
/** Its answer on success. */
export type Answer<Name extends OperationName> = Operations[Name] extends { readonly answer: infer Body }
  ? Body
  : undefined;
export type Query<Name extends OperationName> = Operations[Name] extends { readonly query?: infer Members }
  ? Members
  : never;
export type Body<Name extends OperationName> = Operations[Name] extends { readonly body?: infer Members }
  ? Members
  : never;

export interface ClientOptions {
  /** The address of the instance, such as `https://forms.example.org`. */
  readonly baseUrl: string;
  /** An API key or a session token, or what gives one for each request. Without it a browser's own session cookie is used. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /**
   * The id of the organization that requests are meant for, or what gives it for each. The server refuses one whose session acts for
   * another organization by now (403, `organization_changed`). Without it, what the session or the API key acts for.
   */
  readonly organization?: string | (() => string | undefined) | undefined;
  readonly fetch?: typeof globalThis.fetch;
  /** How long the server may take to begin its answer, and for each further piece of it; 30 seconds unless set. */
  readonly timeoutMilliseconds?: number;
  /**
   * Gets each parsed JSON answer with the operation that it is of (`GET /api/forms`), before the caller does, and looks at it instead of
   * this client, which rejects answers without a member that they promise. What it throws rejects the call.
   */
  readonly onAnswer?: (operation: OperationName, answer: unknown) => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Wait and try again when the rate limit is reached (429), as long as `Retry-After` says; at most 5 times, 10 minutes each. */
  readonly retry?: boolean | undefined;
  /** Instead of the client's own `timeoutMilliseconds`. */
  readonly timeoutMilliseconds?: number | undefined;
}

export interface Calls {
  /** Sends one request and gives its parsed answer. Rejects with an `ApiError`, a `ConnectionError`, or the reason of `signal`. */
  call<Name extends OperationName>(name: Name, input: Input<Name>, options?: CallOptions): Promise<Answer<Name>>;
  /**
   * The same for an answer that is bytes, with its `ETag`. `undefined` where the server says that it has not changed since the tag in
   * `If-None-Match`.
   */
  bytes<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options?: CallOptions,
  ): Promise<TaggedBytes | undefined>;
  /** The same for an answer that is a stream of lines, one JSON value each; `onHeaders` gets its headers before the first line. */
  lines<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options?: CallOptions,
    onHeaders?: (headers: Headers) => void,
  ): AsyncGenerator<unknown, void>;
}

export interface TaggedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `ETag` of the answer: the version that these bytes are. */
  readonly tag: string;
}

const retriesMax = 5;
const retryAfterSecondsMax = 600;

export function createCalls(client: ClientOptions): Calls {
  const baseUrl = parseBaseUrl(client.baseUrl);

  async function send(name: OperationName, input: AnyInput, accept: string, deadline: Deadline): Promise<Response> {
    const [method = "", template = ""] = name.split(" ");
    const token = typeof client.token === "function" ? await client.token() : client.token;
    const organization = typeof client.organization === "function" ? client.organization() : client.organization;
    const url = baseUrl + toPath(template, input);
    const sent = (client.fetch ?? globalThis.fetch)(url, {
      method,
      headers: {
        accept,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(organization === undefined ? {} : { "sealpost-organization": organization }),
        ...(input.body === undefined ? {} : { "content-type": "application/json" }),
        ...input.headers,
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      // A redirect would turn a POST into a GET and means that the address is not the instance's own.
      redirect: "manual",
      signal: deadline.signal,
    });
    const response = await reached(sent);
    deadline.extend();
    if (response.ok || (response.status === 304 && input.headers?.["if-none-match"] !== undefined)) return response;
    throw parseApiError(response, await readText(response, errorBytesMax), Date.now());
  }

  async function sendPatiently(
    name: OperationName,
    input: AnyInput,
    accept: string,
    options: CallOptions,
    deadline: Deadline,
  ) {
    for (let retries = 0; ; retries++) {
      try {
        return await send(name, input, accept, deadline);
      } catch (error) {
        const wait = error instanceof ApiError && error.status === 429 ? error.retryAfter : undefined;
        if (options.retry !== true || wait === undefined || wait > retryAfterSecondsMax || retries >= retriesMax)
          throw error;
        deadline.end();
        await sleep(wait * 1000, options.signal);
        deadline.extend();
      }
    }
  }

  return {
    async call<Name extends OperationName>(name: Name, input: Input<Name>, options: CallOptions = {}) {
      const deadline = createDeadline(options.timeoutMilliseconds ?? client.timeoutMilliseconds, options.signal);
      try {
        const response = await sendPatiently(name, input, "application/json", options, deadline);
        const answer = parseAnswer(response, await readText(response));
        (client.onAnswer ?? ((operation, value) => checkAnswer(operation, value, response)))(name, answer);
        return answer as Answer<Name>; // what the document says that this operation answers
      } finally {
        deadline.end();
      }
    },
    async bytes(name, input, options = {}) {
      const deadline = createDeadline(options.timeoutMilliseconds ?? client.timeoutMilliseconds, options.signal);
      try {
        const response = await sendPatiently(name, input, "*/*", options, deadline);
        if (response.status === 304) return undefined;
        const tag = response.headers.get("etag");
        if (tag === null) throw unexpected(response, "The server's answer has no ETag: is a proxy taking it away?");
        return { bytes: await readBytes(response), tag };
      } finally {
        deadline.end();
      }
    },
    async *lines(name, input, options = {}, onHeaders) {
      const deadline = createDeadline(options.timeoutMilliseconds ?? client.timeoutMilliseconds, options.signal);
      try {
        const response = await sendPatiently(name, input, "application/x-ndjson", options, deadline);
        onHeaders?.(response.headers);
        for await (const line of splitLines(response, deadline)) {
          const value = parseAnswer(response, line);
          if (typeof value !== "object" || value === null || Array.isArray(value))
            throw unexpected(response, "The server's answer holds a line that is no object");
          yield value;
        }
      } finally {
        deadline.end();
      }
    },
  };
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search !== "" ||
    url.hash !== ""
  )
    throw new TypeError("baseUrl must be the address of the instance, such as https://forms.example.org");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function toPath(template: string, { path = {}, query = {} }: AnyInput): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = path[name] ?? "";
    // An empty id or `..` would name another resource: a list instead of its member, say, when deleting.
    if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new TypeError(`Not an id: ${JSON.stringify(id)}`);
    return id;
  });
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function parseAnswer(response: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(response, "The server's answer is not JSON: is this the address of a Sealpost instance?");
  }
}

function checkAnswer(operation: OperationName, answer: unknown, response: Response): void {
  const member = findUnexpectedMember(operation, answer);
  if (member !== undefined)
    throw unexpected(
      response,
      `The server's answer is not one of Sealpost's (${member}): is this the address of an instance, and no older one?`,
    );
}

function unexpected({ status, headers }: Response, message: string): ApiError {
  const requestId = headers.get("x-request-id") ?? undefined;
  return new ApiError(message, { status, code: "unexpected_answer", requestId });
}
