import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import { OidcRefusal } from "./refusal.ts";

/** The error on the way to the provider and back, for the person and for the operator. */
export function explainProviderError(error: unknown): OidcRefusal {
  if (error instanceof OidcRefusal) return error;
  const inner = error instanceof Error && error.cause instanceof OidcRefusal ? error.cause : undefined;
  if (inner !== undefined) return inner;
  if (error instanceof AuthorizationResponseError) return explainAnswer(error.error, error);
  if (error instanceof ResponseBodyError) return explainTokenError(error.error, error);
  if (error instanceof ClientError) return explainClientError(error);
  // The runtime's own, when nobody answers at this address.
  if (error instanceof TypeError) return new OidcRefusal("away", codeOf(error.cause), error);
  if (error instanceof DOMException) return new OidcRefusal("away", error.name, error);
  return new OidcRefusal("refused", "", error);
}

/** RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6. */
function explainAnswer(code: string, error: unknown): OidcRefusal {
  const named = /^[a-z_]{1,60}$/.test(code) ? code : "";
  if (named === "access_denied" || named.endsWith("_required")) return new OidcRefusal("cancelled", named, error);
  if (named === "server_error" || named === "temporarily_unavailable") return new OidcRefusal("away", named, error);
  return new OidcRefusal("misconfigured", named, error);
}

/** RFC 6749, section 5.2. */
function explainTokenError(code: string, error: unknown): OidcRefusal {
  if (code === "invalid_grant") return new OidcRefusal("expired", code, error);
  return new OidcRefusal("misconfigured", /^[a-z_]{1,60}$/.test(code) ? code : "", error);
}

function explainClientError(error: ClientError): OidcRefusal {
  const { code = "" } = error;
  if (code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT") return new OidcRefusal("away", code, error);
  if (code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED") return new OidcRefusal("clock", "", error);
  if (code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED") return explainIssuer(error);
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM") return explainStatus(error);
  if (misconfigured.includes(code)) return new OidcRefusal("misconfigured", code, error);
  // Wrapped by the library: nobody answers, or not in time.
  if (error.cause instanceof TypeError || error.cause instanceof DOMException) return explainProviderError(error.cause);
  return new OidcRefusal("refused", code, error);
}

const misconfigured = [
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_REQUEST_PROTOCOL_FORBIDDEN",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_INVALID_SERVER_METADATA",
];

function explainIssuer(error: ClientError): OidcRefusal {
  const cause: unknown = error.cause instanceof Error ? error.cause.cause : error.cause;
  const body: unknown = Object(cause).body;
  const { issuer } = Object(body);
  const named = typeof issuer === "string" && issuer.length <= 300 ? issuer : "something else";
  return new OidcRefusal("misconfigured", `the provider calls itself ${named}`, error);
}

function explainStatus(error: ClientError): OidcRefusal {
  const status = error.cause instanceof Response ? error.cause.status : 0;
  const isAway = status >= 500 || status === 429;
  return new OidcRefusal(isAway ? "away" : "misconfigured", `the provider answers ${status}`, error);
}

function codeOf(cause: unknown): string {
  const { code } = Object(cause);
  return typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? code : "";
}
