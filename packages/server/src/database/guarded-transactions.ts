import { type Dialect, type Driver, Kysely, type Transaction, type TransactionBuilder } from "kysely";
import { noteFailedStatements } from "./failed-statements.ts";
import { repeatAfterDeadlock } from "./repeat.ts";
import type { Tables } from "./schema.ts";
import { findGuard } from "./transaction-guard.ts";
import { findUnit, followUnits } from "./unit-of-work.ts";

/**
 * A database that asks the guard of the request at the beginning of each transaction, and follows the unit of work in which it is
 * asked. Not something that each store is given: one that forgot to ask would go unnoticed.
 */
export class GuardedDatabase extends Kysely<Tables> {
  constructor({ dialect }: { readonly dialect: Dialect }) {
    const { plain, driver } = createPlain(dialect);
    const executor = plain.getExecutor();
    const following = executor.withConnectionProvider(noteFailedStatements(followUnits(() => this, executor)));
    super({ config: { dialect }, dialect, driver, executor: following });
  }

  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction();
    const unit = findUnit(this);
    const execute = unit?.join ?? builder.execute.bind(builder);
    const guard = findGuard();
    if (guard === undefined)
      return unit === undefined
        ? builder
        : Object.assign(builder, { execute, setIsolationLevel: refuse, setAccessMode: refuse });
    return Object.assign(builder, {
      async execute<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
        // A unit calls it where its own transaction begins.
        if (unit === undefined) await guard.before();
        const run = () =>
          execute(async (transaction) => {
            await guard.check(transaction);
            return work(transaction);
          });
        // A unit is repeated as a whole, and has a place of its own.
        if (unit !== undefined) return run();
        const leave = await guard.takePlace();
        try {
          // A right is locked before everything else, and who takes it away may have locked something else first.
          return await repeatAfterDeadlock(run);
        } finally {
          leave();
        }
      },
      setIsolationLevel: refuse,
      setAccessMode: refuse,
    });
  }
}

/** Kysely's own, whose executor hands out connections, with what begins and ends transactions on them. */
function createPlain(dialect: Dialect): { readonly plain: Kysely<Tables>; readonly driver: Driver } {
  let created: Driver | undefined;
  const plain = new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => {
        created = dialect.createDriver();
        return created;
      },
      createIntrospector: (database) => dialect.createIntrospector(database),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  });
  const inner = created as Driver | undefined; // Kysely's constructor has created it
  if (inner === undefined) throw new Error("Kysely made no driver");
  const handedOut = () => {
    throw new Error("Connections are handed out by the executor");
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: handedOut,
    releaseConnection: handedOut,
    beginTransaction: (...asked) => inner.beginTransaction(...asked),
    commitTransaction: (connection) => inner.commitTransaction(connection),
    rollbackTransaction: (connection) => inner.rollbackTransaction(connection),
    destroy: () => plain.destroy(),
  };
  return { plain, driver };
}

function refuse(): never {
  throw new Error("A transaction of a request has the usual isolation: it would not see who lost a right before it");
}
