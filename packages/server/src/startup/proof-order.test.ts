import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { createOperator } from "../operators/testing/test-operator.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { onPostgres } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";

interface Scene {
  readonly service: TestService;
  readonly owner: TestAccount;
  readonly operator: TestAccount;
}

const done = ({ status, body }: { readonly status: number; readonly body: unknown }) =>
  assert.equal(status, 200, JSON.stringify(body));

/** Acts that read or write whether the address of a person is proven. */
const acts: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "signing up": ({ service }) => service.signUp("another@example.com"),
  "making an organization": async ({ owner }) =>
    done(await owner.request("POST", "/api/organizations", { name: "Another" })),
  "accepting a role": ({ service, owner }) => addPerson(service, owner, "reader@example.com", { role: "auditor" }),
  "accepting ownership": ({ service, owner }) => addPerson(service, owner, "co-owner@example.com", { role: "owner" }),
  "being verified by an operator": async ({ service, operator }) => {
    const { id } = await service.signUp("unverified@example.com");
    await service.database.updateTable("person").set({ verification: "needed" }).where("id", "=", id).execute();
    done(await operator.request("PATCH", `/api/instance/accounts/${id}`, { verified: true }));
  },
};

/** Statements that lock a row which somebody who proves an address locks afterwards. */
const locking = /^(?:update|delete from) "(?:person|address_move)"/;

test(
  "whatever locks the proof of a person's address locks it before the person, and before their move to another one",
  onPostgres,
  async (t) => {
    const { query } = Client.prototype;
    const begun = new WeakMap<Client, string[]>();
    const late: string[] = [];
    let [act, count] = ["", 0];
    const watched = function (this: Client, ...asked: unknown[]) {
      const [first, second] = asked as [
        string | { readonly text?: string; readonly values?: readonly unknown[] },
        unknown,
      ];
      const text = (typeof first === "string" ? first : (first?.text ?? "")).trim();
      const values = Array.isArray(second) ? second : typeof first === "string" ? [] : (first?.values ?? []);
      const names = values.map(String).filter((value) => value.startsWith("proof/"));
      if (/^(?:begin|start transaction)/i.test(text)) begun.set(this, []);
      const before = begun.get(this);
      if (names.length > 0) count += 1;
      if (names.length > 0 && before?.some((one) => names.some((name) => one.includes(name.slice("proof/".length)))))
        late.push(`${act}: ${before.at(-1)}`);
      else if (locking.test(text)) before?.push(`${text} ${JSON.stringify(values)}`);
      // Kept to the end of the transaction: taken again, it waits for nobody.
      if (names.length > 0) begun.delete(this);
      return Reflect.apply(query, this, asked);
    };
    Client.prototype.query = watched as typeof query; // whatever overload is called
    try {
      // Connections keep the function that they were made with.
      const service = await createTestService(t);
      const scene = { service, owner: await service.signUp(), operator: await createOperator(service) };
      for (const [name, run] of Object.entries(acts)) {
        [act, count] = [name, 0];
        await run(scene);
        assert.ok(count > 0, `${name} asks for no proof`);
      }
    } finally {
      Client.prototype.query = query;
    }
    assert.deepEqual(late, []);
  },
);
