import assert from "node:assert/strict";

/** Makes the first account of a fresh instance and returns its session token. Behind proxies the set-up token is needed. */
export async function signUpForToken(url: string, setupToken?: string): Promise<string> {
  const created = await fetch(`${url}/api/auth/sign-up/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Owner", email: "owner@example.com", password: "correct horse battery", setupToken }),
  });
  assert.equal(created.status, 200);
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await fetch(`${url}/api/auth/token`, { headers: { cookie, "sec-fetch-site": "same-origin" } });
  const { token } = (await issued.json()) as { token: string }; // decisions, section 3
  return token;
}
