import assert from "node:assert/strict";
import { test } from "node:test";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { onServer } from "../testing/on-server.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, onCluster } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

interface Place {
  readonly shard: number;
  readonly host: string;
  readonly port: number;
}

test("parts move between workers while submissions come in: none is refused, lost or doubled", onCluster, async (t) => {
  const folder = createTemporaryFolder(t);
  const { SEALPOST_DATABASE_URL: url = "" } = await createTestDatabase(t, folder);
  const service = await createTestService(t, { folder });
  const account = await service.signUp();
  const formIds: string[] = [];
  for (const name of ["one", "two", "three", "four"]) {
    const form = { name, publicKey: takeKeyPair().publicKey, settings: { encryption: false } };
    formIds.push((await account.request("POST", "/api/forms", form)).body.form.id);
  }
  const accepted: string[] = [];
  let isMoved = false;
  const submitting = formIds.map(async (formId) => {
    while (!isMoved) {
      const payload = { encrypted: false, version: "plain1", fields: { message: "Zoë" } };
      const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      accepted.push(answer.body.submission.id);
    }
  });
  const moved = await onServer({ url }, async (client) => {
    const { rows: places } = await client.query<Place>(
      `select distinct shardid as shard, nodename as host, nodeport as port
      from unnest($1::text[]) as form(id)
      join pg_dist_shard_placement on shardid = get_shard_id_for_distribution_column('submission', form.id)`,
      [formIds],
    );
    const { rows: nodes } = await client.query(
      "select nodename as host, nodeport as port from pg_dist_node where groupid > 0",
    );
    for (const { shard, host, port } of places) {
      const to = nodes.find((node) => node.host !== host || node.port !== port);
      const move = "select citus_move_shard_placement($1, $2, $3, $4, $5, 'force_logical')";
      await client.query(move, [shard, host, port, to?.host, to?.port]);
    }
    return places.length;
  }).finally(() => {
    isMoved = true;
  });
  await Promise.all(submitting);
  assert.ok(moved > 0 && accepted.length > 0);
  const { rows } = await onServer({ url }, (client) => client.query("select id from submission"));
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), accepted.toSorted());
});
