import { isOwnerWithSession } from "../access/owner-session.ts";
import type { Principal } from "../access/principal.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { type Form, keyVersionsForOwners, keyVersionsMax } from "./form.ts";
import { findVersionFromEnd } from "./key-version-store.ts";

/** Key versions of a form within a day, by everybody together: who is no owner needs more than a hundred days to come to the last one left to them. */
const versionsPerDay = { owner: 100, other: 8 } as const;

/** Throws where the form, which the transaction has locked, takes no further key version from them. */
export async function requireVersionLeft(
  transaction: DatabaseTransaction,
  form: Pick<Form, "id" | "keyVersion">,
  by: Principal,
  now: number,
): Promise<void> {
  const isOwner = isOwnerWithSession(by);
  if (form.keyVersion >= keyVersionsMax)
    throw new Problem("conflict", `A form has at most ${keyVersionsMax} key pairs. Make a new form.`);
  if (!isOwner && form.keyVersion >= keyVersionsMax - keyVersionsForOwners)
    throw new Problem(
      "conflict",
      `A form has at most ${keyVersionsMax} key pairs, the last ${keyVersionsForOwners} for owners with a session`,
    );
  const max = isOwner ? versionsPerDay.owner : versionsPerDay.other;
  const first = await findVersionFromEnd(transaction, form.id, max, now);
  if (first === undefined) return;
  const { owner, other } = versionsPerDay;
  throw new Problem(
    "rate_limited",
    `A form gets at most ${owner} key pairs within a day, the first ${other} by anyone who may rotate it, the others by owners with a session: wait, or ask an owner to rotate it`,
    { retryAfter: Math.max(1, Math.ceil((first + dayMilliseconds - now) / 1000)) },
  );
}
