import type { StatementWork } from "../../packages/server/src/testing/measured-work.ts";

/** Steps, or rows, of each statement of each request. */
export type Figures = ReadonlyMap<string, ReadonlyMap<string, number>>;

const formsOfOrganization =
  "an organization has 10,000 forms at most, and a sum over many is kept (quotas/usage-work.test.ts)";

/** Statements that look at every row, by what only they say, and why. */
const exceptions: readonly (readonly [says: string, reason: string])[] = [
  [
    `count(*) as "count" from "mail" where "failed_at" is not null`,
    "operators alone: the emails that failed within days",
  ],
  ["unicode_lower(", "operators alone: a search in names and addresses, and how many it finds"],
  ["lower(listed.name) like", "the same on PostgreSQL"],
  [
    `(select "listed"."id" from "organization" as "listed") as`,
    "operators alone: how many there are, kept for seconds",
  ],
  [`(select "listed"."id" from "person" as "listed") as`, "the same of persons"],
  [
    `+received_at >= (select "visible_from" from "form_count"`,
    "PostgreSQL reads and sorts a bin of 20,000 whole, and of 40,000 no more than a page looks at: measured on 2026-11-28",
  ],
  [
    `"action" in (…) order by "occurred_at" desc limit`,
    "one's own changes of the day, 5,000 at most, of which the check makes some",
  ],
  [`select coalesce(form.account_id, counted_bytes.owner_id)`, formsOfOrganization],
  [`cast(sum(form_count.bytes) as bigint)`, formsOfOrganization],
  [`cast(coalesce(sum(form_count.bytes), 0) as bigint)`, formsOfOrganization],
  [`cast(coalesce(sum(counted_bytes.bytes), 0) as bigint)`, formsOfOrganization],
  [`"form_count"."bytes" >= `, formsOfOrganization],
  [`order by "form_count"."bytes" desc`, formsOfOrganization],
  ["held.hold is not null", formsOfOrganization],
  [`select "id" from "form" where "account_id" = ?`, formsOfOrganization],
  [`select "id" from "form" where "account_id" = $1`, formsOfOrganization],
  [
    `from "invitation" where "organization_id" = `,
    "an organization's invitations of the day, of which there are few, and the check makes more",
  ],
  [`as "stored" on`, "operators alone: organizations in the order of what they store, which no column keeps"],
];

/** How often a statement ran is a figure too: one for each row is as much work as one that looks at each. */
const again = "how often: ";
const stepsOfRun = 100;
/** These take all rows, a page of them at a time, and each page has a turn (`rate-limits/page-turns.ts`). */
const byPages = /\/export|^the purge$|^(?:emptyBin|deleteSubmissions|binSubmissions|restoreSubmissions)\b/;

/** A list of values, however many. */
const list = /\((?:\?|\$\d+)(?:, (?:\?|\$\d+))*\)/g;

/** The figures by the statement, whichever number of values it was sent with: the largest of them. */
export function toFigures(work: Iterable<StatementWork>): ReadonlyMap<string, number> {
  const figures = new Map<string, number>();
  for (const { text, runs, steps } of work) {
    const name = text.replaceAll(list, "(…)");
    figures.set(name, Math.max(figures.get(name) ?? 0, steps));
    const howOften = `${again}${name}`;
    figures.set(howOften, (figures.get(howOften) ?? 0) + runs * stepsOfRun);
  }
  return figures;
}

/** One that ran by chance, of a loop that the request woke, has this in place of what it took before. */
const once = 2000;

/** Statements that take more when there are more rows. `runsMore`: how much more often one may run, by which it has looked at pages of rows. */
export function listGrowing(few: Figures, many: Figures, runsMore = 20): readonly string[] {
  return [...many].flatMap(([path, figures]) =>
    [...figures].flatMap(([text, steps]) => {
      const before = few.get(path)?.get(text) ?? once;
      const isExcepted =
        exceptions.some(([says]) => text.includes(says)) || (text.startsWith(again) && byPages.test(path));
      // Some transactions more or fewer are no growth.
      const slack = text.startsWith(again) ? runsMore * stepsOfRun : 500;
      const grows = !isExcepted && steps > before * 1.3 + slack;
      return grows ? [`${path}: from ${before} to ${steps} steps for ${text}`] : [];
    }),
  );
}
