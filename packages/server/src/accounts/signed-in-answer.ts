/** The token of the session that an answer's cookies are about: before the dot of its signature. */
export function findSessionToken(cookies: readonly string[]): string | undefined {
  for (const line of cookies) {
    const value = /^[\w-]*sealpost_session=([^;.]+)\./.exec(line)?.[1];
    if (value !== undefined) return decodeURIComponent(value);
  }
  return undefined;
}

/** The token of the session that an answer opened; `undefined` while the code is still to come. */
export function parseSignedIn(answer: unknown): string | undefined {
  return typeof answer === "object" && answer !== null && "token" in answer && typeof answer.token === "string"
    ? answer.token
    : undefined;
}
