/** The API's error codes. `unexpected_answer`: the answer is not from Sealpost, so the address may be wrong or a proxy answered. */
export type ApiErrorCode = (typeof codes)[keyof typeof codes] | "unexpected_answer";

const codes = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  412: "conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  428: "bad_request",
  429: "rate_limited",
  500: "internal_error",
  503: "unavailable",
} as const;

export interface ApiErrorOptions {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly details?: Readonly<Record<string, string>> | undefined;
  readonly detailCodes?: Readonly<Record<string, string>> | undefined;
  readonly retryAfter?: number | undefined;
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

/** An answer of the API that is no success. A server that could not be reached is a `ConnectionError` instead. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status. */
  readonly status: number;
  readonly code: ApiErrorCode;
  /** For malformed input: field (`webhookUrl`), or its path, to message. */
  readonly details: Readonly<Record<string, string>> | undefined;
  /** The same fields to the codes of their messages, which say more exactly what is wrong (docs/codes.md). */
  readonly detailCodes: Readonly<Record<string, string>> | undefined;
  /** Seconds until it is worth another try. */
  readonly retryAfter: number | undefined;
  /** The code of the message, which stays when its words change: `session_stale`, `form_name_taken` (docs/codes.md). */
  readonly reason: string | undefined;
  /** `X-Request-Id`, for the operator's logs. */
  readonly requestId: string | undefined;

  constructor(message: string, options: ApiErrorOptions) {
    super(message);
    const { status, code, details, detailCodes, retryAfter, reason, requestId } = options;
    this.status = status;
    this.code = code;
    this.details = details;
    this.detailCodes = detailCodes;
    this.retryAfter = retryAfter;
    this.reason = reason;
    this.requestId = requestId;
  }
}

/**
 * The error in an answer that is no success, from either of the two shapes: `{error: code, message, details?, retryAfter?}` and
 * that of the API-key endpoints, `{error: sentence, retryAfter?}`, whose code follows from the status. `now` is in milliseconds.
 */
export function parseApiError(response: Response, text: string, now: number): ApiError {
  const { status, headers } = response;
  const body = parseObject(text);
  const common = { status, requestId: headers.get("x-request-id") ?? undefined };
  const retryAfter = parseRetryAfter(body?.retryAfter ?? headers.get("retry-after"), now);
  const code: ApiErrorCode = Object.hasOwn(codes, status) ? codes[status as keyof typeof codes] : "unexpected_answer"; // its own key
  if (body === undefined || typeof body.error !== "string")
    return new ApiError(`The server answered ${status}, but not as Sealpost does`, { ...common, code, retryAfter });
  const details = parseDetails(body.details);
  return new ApiError(typeof body.message === "string" ? body.message : body.error, {
    ...common,
    code,
    details,
    detailCodes: parseDetails(body.detailCodes),
    retryAfter,
    reason: typeof body.code === "string" ? body.code : undefined,
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined; // an object, as checked
  } catch {
    return undefined;
  }
}

function parseDetails(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, message]) => typeof message === "string"));
}

/** Seconds, or an HTTP date (RFC 9110 section 10.2.3). */
function parseRetryAfter(value: unknown, now: number): number | undefined {
  const seconds =
    typeof value === "string" && !/^\d+$/.test(value) ? (Date.parse(value) - now) / 1000 : Number(value ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
