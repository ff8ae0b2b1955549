import assert from "node:assert/strict";

/** A fresh instance: its address, and the set-up token that it printed. */
export interface FreshInstance {
  readonly url: string;
  readonly setupToken: string | undefined;
}

/** Makes the first account of a fresh instance and returns its session token. */
export async function signUpForToken({ url, setupToken }: FreshInstance): Promise<string> {
  const created = await fetch(`${url}/api/auth/sign-up/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Owner", email: "owner@example.com", password: "correct horse battery", setupToken }),
  });
  assert.equal(created.status, 200);
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await fetch(`${url}/api/auth/token`, { headers: { cookie, "sec-fetch-site": "same-origin" } });
  const { token } = (await issued.json()) as { token: string }; // contract, section 3.1
  return token;
}
