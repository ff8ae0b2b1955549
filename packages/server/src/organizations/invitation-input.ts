import { parseAddress } from "../mail/recipient.ts";
import { refuseInvalid } from "../problems/problem.ts";

/** The address that somebody invites, in lower case. Throws `bad_request` for anything else. */
export function readAddress(text: string): string {
  const email = parseAddress(text);
  refuseInvalid(
    { email: email === undefined ? "An email address is needed, such as you@example.com" : undefined },
    "Invalid request",
  );
  return email ?? "";
}
