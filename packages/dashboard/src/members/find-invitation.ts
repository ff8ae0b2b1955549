import { type FoundInvitation, parseApiError } from "@sealpost/sdk";

const timeoutMilliseconds = 30_000;

/** The invitation of a link; `undefined` when it was used or taken back, or is too old. The API asks for no sign-in here. */
export async function findInvitation(token: string): Promise<FoundInvitation | undefined> {
  const response = await fetch("/api/invitations/find", {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const body = await response.text();
  if (response.ok) return JSON.parse(body) as FoundInvitation; // what the document says that this operation answers
  const error = parseApiError(response, body, Date.now());
  if (error.reason === "invitation_unknown") return undefined;
  throw error;
}
