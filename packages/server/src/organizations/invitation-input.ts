import { refuseInvalid } from "../problems/problem.ts";

/** The address that somebody invites, in lower case. Throws `bad_request` for anything else. */
export function readAddress(text: string): string {
  const email = text.trim().toLowerCase();
  // Nothing that is not seen, or that turns the text around it: it is shown to owners.
  const isPlain = email.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(email);
  const isOne = /^[^\s@]+@[^\s@]+$/.test(email) && isPlain;
  refuseInvalid(
    { email: isOne ? undefined : "An email address is needed, such as you@example.com" },
    "Invalid request",
  );
  return email;
}
