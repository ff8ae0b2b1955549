import type { AccountId } from "@sealpost/wire";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lowerCase } from "../database/lower-case.ts";
import { isProven } from "../database/membership.ts";
import type { Tables } from "../database/schema.ts";
import { findUsages } from "../quotas/account-usage-store.ts";
import { otherBytesByAccount } from "../quotas/counted-bytes-store.ts";
import type { Clock } from "../time/clock.ts";
import type {
  InstanceCounts,
  InstanceOrganization,
  InstancePerson,
  OrganizationOrder,
  Page,
  PageQuery,
  PersonOrder,
} from "./instance.ts";
import { createKeptCounts } from "./kept-counts.ts";

/** Organizations and persons, as operators see them: names, addresses, numbers. Of forms it reads how many there are, and their bytes. */
export interface InstanceStore {
  listOrganizations(query: PageQuery<OrganizationOrder>): Promise<Page<InstanceOrganization>>;
  listPersons(query: PageQuery<PersonOrder>): Promise<Page<InstancePerson>>;
  findOrganization(id: AccountId): Promise<InstanceOrganization | undefined>;
  findPerson(id: AccountId): Promise<InstancePerson | undefined>;
  count(): Promise<InstanceCounts>;
  /** The names of these, as far as they still exist. The address of an organization alone is `null`. */
  findNames(ids: readonly string[], transaction?: DatabaseTransaction): Promise<ReadonlyMap<string, Named>>;
}

export interface Named {
  readonly name: string;
  readonly email: string | null;
}

export function createInstanceStore(database: Database, clock: Clock): InstanceStore {
  const keptCounts = createKeptCounts(clock);
  const organizations = () => list(database, "organization");
  const persons = () => list(database, "person");

  return {
    async listOrganizations({ search, sort, limit, after }) {
      const found =
        search === undefined ? organizations() : organizations().where(matchesOrganization(database, search));
      const keys = { newest: undefined, storage: undefined, name: sql<string>`lower(listed.name)` };
      const page =
        sort === "storage"
          ? byStorage(found, after)
          : inOrder(found, { table: "organization", key: keys[sort] }, after);
      const ids = (await page.select("listed.id").limit(limit).execute()).map(({ id }) => id);
      const total = await countFound("organizations", found, search);
      return { total, rows: await describeOrganizations(database, ids) };
    },
    async listPersons({ search, sort, limit, after }) {
      const found = search === undefined ? persons() : persons().where(matchesPerson(database, search));
      const key = sort === "address" ? sql<string>`listed.email` : undefined;
      const page = inOrder(found, { table: "person", key }, after);
      const ids = (await page.select("listed.id").limit(limit).execute()).map(({ id }) => id);
      return { total: await countFound("accounts", found, search), rows: await describePersons(database, ids) };
    },
    findOrganization: async (id) => (await describeOrganizations(database, [id]))[0],
    findPerson: async (id) => (await describePersons(database, [id]))[0],
    async count() {
      return {
        organizations: await countFound("organizations", organizations()),
        accounts: await countFound("accounts", persons()),
        operators: await countRows(database.selectFrom("person").select("id").where("operator_since", "is not", null)),
        disabled: await countRows(database.selectFrom("person").select("id").where("disabled_at", "is not", null)),
      };
    },
    async findNames(ids, transaction) {
      if (ids.length === 0) return new Map();
      const target = transaction ?? database;
      const organizations = await target
        .selectFrom("organization")
        .select(["id", "name"])
        .where("id", "in", ids)
        .execute();
      const persons = await target
        .selectFrom("person")
        .select(["id", "name", "email"])
        .where("id", "in", ids)
        .execute();
      // A person before the organization with their id.
      return new Map<string, Named>([
        ...organizations.map(({ id, name }) => [id, { name, email: null }] as const),
        ...persons.map(({ id, name, email }) => [id, { name, email }] as const),
      ]);
    },
  };

  /** Without a search it is kept for a moment. */
  function countFound(name: string, found: Listed, search?: string): Promise<number> {
    const count = () => countRows(found.select("listed.id"));
    return search === undefined ? keptCounts(name, count) : count();
  }

  async function countRows(rows: SelectQueryBuilder<never, never, { id: string }>): Promise<number> {
    const { count } = await database
      .selectFrom(rows.as("counted"))
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}

type ListedTable = "organization" | "person";
type Listed = SelectQueryBuilder<Tables & { listed: { id: string } }, "listed", object>;

function list(database: Database, table: ListedTable): Listed {
  return database.selectFrom(`${table} as listed`) as unknown as Listed; // both have an id
}

/** The newest first, or by a text; ids are in the order of time. */
function inOrder(
  found: Listed,
  { table, key }: { readonly table: ListedTable; readonly key: ReturnType<typeof sql<string>> | undefined },
  after: { readonly id: string } | undefined,
) {
  if (key === undefined) {
    const page = found.orderBy("listed.id", "desc");
    return after === undefined ? page : page.where("listed.id", "<", after.id);
  }
  const page = found.orderBy(key).orderBy("listed.id");
  if (after === undefined) return page;
  return page.where(
    sql<boolean>`(${key}, listed.id) > (
      select ${key}, listed.id from ${sql.table(table)} as listed where listed.id = ${after.id})`,
  );
}

/** The fullest first. */
function byStorage(found: Listed, after: { readonly bytes: number; readonly id: string } | undefined): Listed {
  const bytes = sql<number>`(coalesce(stored.bytes, 0) + coalesce(other.bytes, 0))`;
  const page = found
    .leftJoin(
      ({ selectFrom }) =>
        selectFrom("form")
          .innerJoin("form_count", "form_count.form_id", "form.id")
          .select(["form.account_id", sql<number>`cast(sum(form_count.bytes) as bigint)`.as("bytes")])
          .groupBy("form.account_id")
          .as("stored"),
      (join) => join.onRef("stored.account_id", "=", "listed.id"),
    )
    .leftJoin(otherBytesByAccount.as("other"), (join) => join.onRef("other.account_id", "=", "listed.id"))
    .orderBy(bytes, "desc")
    .orderBy("listed.id", "desc");
  if (after === undefined) return page;
  return page.where(sql<boolean>`(${bytes} < ${after.bytes} or ${bytes} = ${after.bytes} and listed.id < ${after.id})`);
}

function patternOf(search: string): string {
  return `%${search.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
}

function matchesPerson(database: Database, search: string) {
  const pattern = patternOf(search);
  const name = lowerCase(database, sql<string>`listed.name`);
  return sql<boolean>`(listed.id = ${search} or ${name} like ${pattern} escape '\\'
    or listed.email like ${pattern} escape '\\')`;
}

/** Matches its own name, or a member's name or address. */
function matchesOrganization(database: Database, search: string) {
  const pattern = patternOf(search);
  const name = lowerCase(database, sql<string>`listed.name`);
  const memberName = lowerCase(database, sql<string>`person.name`);
  return sql<boolean>`(listed.id = ${search} or ${name} like ${pattern} escape '\\'
    or exists (select 1 from member inner join person on person.id = member.person_id
      where member.organization_id = listed.id
      and (${memberName} like ${pattern} escape '\\' or person.email like ${pattern} escape '\\')))`;
}

async function describeOrganizations(
  database: Database,
  ids: readonly string[],
): Promise<readonly InstanceOrganization[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("organization")
    .leftJoin("account_count", "account_count.account_id", "organization.id")
    .leftJoin("member", "member.organization_id", "organization.id")
    .leftJoin("person", "person.id", "member.person_id")
    .select(["organization.id", "organization.name", "organization.plan", "organization.created_at"])
    .select(({ fn }) => fn.count<number>("member.person_id").as("members"))
    .select(
      sql<number>`sum(case when member.role = 'owner' and person.disabled_at is null
            and ${isProven("member")} then 1 else 0 end)`.as("owners"),
    )
    .select("account_count.forms")
    .where("organization.id", "in", ids)
    .groupBy(["organization.id", "organization.name", "organization.plan", "organization.created_at"])
    .groupBy("account_count.forms")
    .execute();
  const usages = await findUsages(database, ids);
  const found = new Map(
    rows.map((row) => {
      const organization = {
        id: row.id as AccountId, // only ids are written there
        name: row.name,
        plan: row.plan,
        createdAt: Number(row.created_at),
        bytes: usages.get(row.id)?.bytes ?? 0,
        bytesMax: usages.get(row.id)?.bytesMax,
        forms: row.forms ?? 0,
        members: Number(row.members),
        owners: Number(row.owners),
      };
      return [row.id, organization] as const;
    }),
  );
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** How many API keys each of these persons made. */
async function countKeys(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await database
    .selectFrom("api_key")
    .select(({ fn }) => ["made_by", fn.countAll<number>().as("count")])
    .where("made_by", "in", ids)
    .groupBy("made_by")
    .execute();
  return new Map(rows.map(({ made_by, count }) => [made_by, Number(count)]));
}

async function describePersons(database: Database, ids: readonly string[]): Promise<readonly InstancePerson[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("person")
    .selectAll("person")
    .select(({ selectFrom }) => [
      selectFrom("member")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .whereRef("member.person_id", "=", "person.id")
        .as("organizations"),
      selectFrom("session")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .whereRef("session.person_id", "=", "person.id")
        .as("sessions"),
    ])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom("passkey").select("passkey.id").whereRef("passkey.person_id", "=", "person.id")).as(
        "has_passkey",
      ),
    )
    .where("id", "in", ids)
    .execute();
  const keysOf = await countKeys(database, ids);
  const found = new Map(
    rows.map((row) => {
      const person = {
        id: row.id as AccountId, // only ids are written there
        name: row.name,
        email: row.email,
        createdAt: new Date(row.created_at).getTime(),
        disabledAt: row.disabled_at === null ? undefined : Number(row.disabled_at),
        isVerified: Boolean(row.email_verified),
        hasSecondFactor: Boolean(row.second_factor_enabled) || Boolean(Number(row.has_passkey)),
        operatorSince: row.operator_since === null ? undefined : Number(row.operator_since),
        organizations: Number(row.organizations),
        sessions: Number(row.sessions),
        apiKeys: keysOf.get(row.id) ?? 0,
      };
      return [row.id, person] as const;
    }),
  );
  return ids.flatMap((id) => found.get(id) ?? []);
}
