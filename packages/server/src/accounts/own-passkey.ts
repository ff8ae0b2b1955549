import type { AccountId } from "@sealpost/wire";
import { hasSecondFactor, type SecondFactor } from "../access/second-factor.ts";
import { Problem } from "../problems/problem.ts";
import type { PasskeyStore } from "./passkey-store.ts";

/**
 * Where a second factor is required and the person has a passkey, throws for a session that the password alone opened: otherwise the
 * password would be enough to get past the rule.
 */
export async function requireOwnPasskey(
  passkeys: Pick<PasskeyStore, "list" | "isFactorRequired">,
  session: { readonly personId: AccountId; readonly secondFactor: SecondFactor | undefined },
): Promise<void> {
  if (hasSecondFactor(session)) return;
  const { length } = await passkeys.list(session.personId);
  if (length > 0 && (await passkeys.isFactorRequired(session.personId)))
    throw new Problem(
      "forbidden",
      "Confirm with one of your passkeys first. If you have lost them, set a new password by an emailed link, or ask the server's operator.",
    );
}
