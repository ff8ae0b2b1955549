import type { AccountId } from "@sealpost/wire";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lowerCase } from "../database/lower-case.ts";
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

const isPerson = sql<boolean>`account.email like '%@%'`;
/** A person's own, although their ownership is not written down yet; one that is nobody's account; or one with members. */
const isOrganization = sql<boolean>`(account.joined_at is null or account.email = account.id
  or exists (select 1 from member where member.organization_id = account.id))`;
const organizationName = sql<string>`lower(coalesce(account.organization_name, account.name))`;

export function createInstanceStore(database: Database, clock: Clock): InstanceStore {
  const keptCounts = createKeptCounts(clock);
  const listed = () => database.selectFrom("account_holder as account");
  const organizations = () => listed().where(isOrganization);
  const persons = () => listed().where(isPerson);

  return {
    async listOrganizations({ search, sort, limit, after }) {
      const found =
        search === undefined ? organizations() : organizations().where(matchesOrganization(database, search));
      const keys = { newest: undefined, storage: undefined, name: organizationName };
      const page = sort === "storage" ? byStorage(found, after) : inOrder(found, keys[sort], after);
      const ids = (await page.select("account.id").limit(limit).execute()).map(({ id }) => id);
      const total = await countFound("organizations", found, search);
      return { total, rows: await describeOrganizations(database, ids) };
    },
    async listPersons({ search, sort, limit, after }) {
      const found = search === undefined ? persons() : persons().where(matches(database, search));
      const key = sort === "address" ? sql<string>`account.email` : undefined;
      const page = inOrder(found, key, after);
      const ids = (await page.select("account.id").limit(limit).execute()).map(({ id }) => id);
      return { total: await countFound("accounts", found, search), rows: await describePersons(database, ids) };
    },
    findOrganization: async (id) => (await describeOrganizations(database, [id]))[0],
    findPerson: async (id) => (await describePersons(database, [id]))[0],
    async count() {
      return {
        organizations: await countFound("organizations", organizations()),
        accounts: await countFound("accounts", persons()),
        operators: await countRows(persons().select("account.id").where("account.operator_since", "is not", null)),
        disabled: await countRows(persons().select("account.id").where("account.disabled_at", "is not", null)),
      };
    },
    async findNames(ids, transaction) {
      if (ids.length === 0) return new Map();
      const rows = await (transaction ?? database)
        .selectFrom("account_holder as account")
        .select(["account.id", "account.name", "account.organization_name", "account.email"])
        .where("account.id", "in", ids)
        .execute();
      return new Map(
        rows.map(({ id, name, organization_name, email }) => {
          const isOfPerson = email.includes("@");
          return [id, { name: isOfPerson ? name : (organization_name ?? name), email: isOfPerson ? email : null }];
        }),
      );
    },
  };

  /** Without a search it is kept for a moment. */
  function countFound(name: string, found: Listed, search?: string): Promise<number> {
    const count = () => countRows(found.select("account.id"));
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

type Listed = ReturnType<typeof selectListed>;
function selectListed(database: Database) {
  return database.selectFrom("account_holder as account").where(isPerson);
}

/** The newest first, or by a text; ids are in the order of time. */
function inOrder(
  found: Listed,
  key: ReturnType<typeof sql<string>> | undefined,
  after: { readonly id: string } | undefined,
) {
  if (key === undefined) {
    const page = found.orderBy("account.id", "desc");
    return after === undefined ? page : page.where("account.id", "<", after.id);
  }
  const page = found.orderBy(key).orderBy("account.id");
  if (after === undefined) return page;
  return page.where(
    sql<boolean>`(${key}, account.id) > (select ${key}, account.id from account_holder as account where account.id = ${after.id})`,
  );
}

/** The fullest first. */
function byStorage(found: Listed, after: { readonly bytes: number; readonly id: string } | undefined) {
  const bytes = sql<number>`(coalesce(stored.bytes, 0) + coalesce(other.bytes, 0))`;
  const page = found
    .leftJoin(
      ({ selectFrom }) =>
        selectFrom("form")
          .innerJoin("form_count", "form_count.form_id", "form.id")
          .select(["form.account_id", sql<number>`cast(sum(form_count.bytes) as bigint)`.as("bytes")])
          .groupBy("form.account_id")
          .as("stored"),
      (join) => join.onRef("stored.account_id", "=", "account.id"),
    )
    .leftJoin(otherBytesByAccount.as("other"), (join) => join.onRef("other.account_id", "=", "account.id"))
    .orderBy(bytes, "desc")
    .orderBy("account.id", "desc");
  if (after === undefined) return page;
  return page.where(
    sql<boolean>`(${bytes} < ${after.bytes} or ${bytes} = ${after.bytes} and account.id < ${after.id})`,
  );
}

function patternOf(search: string): string {
  return `%${search.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
}

function matches(database: Database, search: string) {
  const pattern = patternOf(search);
  const name = lowerCase(database, sql<string>`account.name`);
  return sql<boolean>`(account.id = ${search} or ${name} like ${pattern} escape '\\'
    or account.email like ${pattern} escape '\\')`;
}

/** Matches its own name, or a member's name or address. */
function matchesOrganization(database: Database, search: string) {
  const pattern = patternOf(search);
  const name = lowerCase(database, sql<string>`account.organization_name`);
  const memberName = lowerCase(database, sql<string>`person.name`);
  return sql<boolean>`(${matches(database, search)} or ${name} like ${pattern} escape '\\'
    or exists (select 1 from member inner join account_holder as person on person.id = member.person_id
      where member.organization_id = account.id
      and (${memberName} like ${pattern} escape '\\' or person.email like ${pattern} escape '\\')))`;
}

async function describeOrganizations(
  database: Database,
  ids: readonly string[],
): Promise<readonly InstanceOrganization[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("account_holder as account")
    .leftJoin("account_count", "account_count.account_id", "account.id")
    .leftJoin("member", "member.organization_id", "account.id")
    .leftJoin("account_holder as person", "person.id", "member.person_id")
    .select(["account.id", "account.plan", "account.created_at", "account.joined_at", "account.disabled_at"])
    .select(({ fn, ref }) => fn.coalesce(ref("account.organization_name"), ref("account.name")).as("name"))
    .select(({ fn }) => fn.count<number>("member.person_id").as("members"))
    .select(
      sql<number>`sum(case when member.role = 'owner' and person.disabled_at is null then 1 else 0 end)`.as("owners"),
    )
    .select("account_count.forms")
    .where("account.id", "in", ids)
    .groupBy(["account.id", "account.plan", "account.created_at", "account.joined_at", "account.disabled_at"])
    .groupBy(["account.organization_name", "account.name", "account_count.forms"])
    .execute();
  const usages = await findUsages(database, ids);
  const found = new Map(
    rows.map((row) => {
      // The person with its id, whose ownership is not written down yet.
      const unwritten = row.joined_at === null ? 1 : 0;
      const organization = {
        id: row.id as AccountId, // only ids are written there
        name: row.name,
        plan: row.plan,
        createdAt: new Date(row.created_at).getTime(),
        bytes: usages.get(row.id)?.bytes ?? 0,
        bytesMax: usages.get(row.id)?.bytesMax,
        forms: row.forms ?? 0,
        members: Number(row.members) + unwritten,
        owners: Number(row.owners) + (row.disabled_at === null ? unwritten : 0),
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
    .selectFrom("account_holder")
    .selectAll("account_holder")
    .select(({ selectFrom }) => [
      selectFrom("member")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .whereRef("member.person_id", "=", "account_holder.id")
        .as("organizations"),
      selectFrom("session")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .whereRef("session.account_id", "=", "account_holder.id")
        .as("sessions"),
    ])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom("passkey").select("passkey.id").whereRef("passkey.person_id", "=", "account_holder.id")).as(
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
        organizations: Number(row.organizations) + (row.joined_at === null ? 1 : 0),
        sessions: Number(row.sessions),
        apiKeys: keysOf.get(row.id) ?? 0,
      };
      return [row.id, person] as const;
    }),
  );
  return ids.flatMap((id) => found.get(id) ?? []);
}
