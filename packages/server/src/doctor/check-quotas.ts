import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { listNearAccounts, type NearAccount, type NearPage } from "../quotas/account-usage-store.ts";
import { formShare, levelOf } from "../quotas/quota.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** So many accounts are named; the others are counted. */
const namedMax = 20;
const batch = 200;

/** Whose quota, or whose form's, is nearly used up: by ids and numbers, nothing else. */
export async function checkQuotas(database: Database, defaultPlan: Plan): Promise<Finding> {
  const near: string[] = [];
  let count = 0;
  let fullCount = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: NearPage = await listNearAccounts(database, defaultPlan, after, batch);
    for (const account of page.accounts) {
      const { description, isFull } = describe(account);
      if (description === undefined) continue;
      count += 1;
      if (isFull) fullCount += 1;
      if (near.length < namedMax) near.push(description);
    }
    after = page.next;
  }
  if (count === 0) return ok("quotas", "No account or form is near its quota");
  const accounts = count === 1 ? "1 account stores" : `${count} accounts store`;
  const more = count > near.length ? `, and ${count - near.length} more` : "";
  return warning(
    "quotas",
    `${accounts} four fifths or more of a quota, ${fullCount} all of it: ${near.join("; ")}${more}`,
    "Their owners can delete submissions; a larger plan gives more room: sealpost-server account set-plan --help",
  );
}

function describe({ accountId, bytes, bytesMax, forms }: NearAccount): {
  readonly description: string | undefined;
  readonly isFull: boolean;
} {
  if (bytesMax === undefined) return { description: undefined, isFull: false };
  const quotas = [
    { name: accountId, bytes, max: bytesMax },
    ...forms.map((form) => ({ name: `its form ${form.formId}`, bytes: form.bytes, max: bytesMax * formShare })),
  ];
  const near = quotas.filter((quota) => levelOf(quota.bytes, quota.max) > 0);
  if (near.length === 0) return { description: undefined, isFull: false };
  const named = near.map((quota) => `${quota.name} (${Math.round((quota.bytes / quota.max) * 100)} %)`);
  return {
    // The account is named, whether it is the account or a form of it that is near.
    description: (near[0] === quotas[0] ? named : [accountId, ...named]).join(", "),
    isFull: near.some((quota) => levelOf(quota.bytes, quota.max) === 100),
  };
}
