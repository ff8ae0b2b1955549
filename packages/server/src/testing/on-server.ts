import { Client } from "pg";

/** Does something on a connection of its own to a server, or to one of its databases. */
export async function onServer<Result>(
  { url }: { readonly url: string },
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
