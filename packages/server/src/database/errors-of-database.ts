import type { DatabaseConnection, Dialect, Driver } from "kysely";
import type { Client } from "pg";
import { throwOfDatabase } from "./errors.ts";

/** Lets `isDatabaseUnavailable` know the errors of all that is asked through the dialect. */
export function rememberErrors<Given extends Dialect>(dialect: Given): Given {
  const createDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => rememberErrorsOfDriver(createDriver());
  return dialect;
}

/** Transactions begin and end by statements of their connection, too. */
function rememberErrorsOfDriver(driver: Driver): Driver {
  const known = new WeakSet<DatabaseConnection>();
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async (options) => {
    const connection = await acquire(options).catch(throwOfDatabase);
    if (known.has(connection)) return connection;
    known.add(connection);
    const execute = connection.executeQuery.bind(connection);
    const stream = connection.streamQuery.bind(connection);
    connection.executeQuery = <Row>(...asked: Parameters<typeof execute>) =>
      execute<Row>(...asked).catch(throwOfDatabase);
    connection.streamQuery = async function* <Row>(...asked: Parameters<typeof stream>) {
      try {
        yield* stream<Row>(...asked);
      } catch (error) {
        throwOfDatabase(error);
      }
    };
    return connection;
  };
  return driver;
}

/** The same for a connection outside of the pool. */
export function rememberErrorsOfClient(client: Client): Client {
  const query = client.query.bind(client) as (...asked: unknown[]) => unknown; // whatever overload is called
  const queryRemembering = (...asked: unknown[]) => {
    const result = query(...asked);
    return result instanceof Promise ? result.catch(throwOfDatabase) : result;
  };
  client.query = queryRemembering as Client["query"]; // gives what it gave
  return client;
}
