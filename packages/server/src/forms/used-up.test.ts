import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { createForm } from "./testing/test-form.ts";

/** A modulus that nobody has factors of: what is sealed to it is lost. */
function makeUp() {
  const modulus = randomBytes(256);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[255] = (modulus[255] ?? 0) | 1;
  return { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" };
}

/** The status of a rotation, and the code of a refused one. */
async function rotate(by: Pick<TestAccount, "request">, form: string): Promise<string> {
  const { status, body } = await by.request("POST", `/api/forms/${form}/rotate-keys`, { publicKey: makeUp() });
  return `${status} ${body.code ?? ""}`.trim();
}

test("managers and API keys, an owner's too, use up no key version that an owner needs, and rotate a form eight times a day at most", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "0" } });
  const { database } = service;
  const owner = await service.signUp("owner@example.com");
  const form = await createForm(owner, {});
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const token: string = (await owner.request("POST", "/api/api-keys", { name: "Key" })).body.key.key;
  const key = {
    request: (method: string, path: string, body?: unknown) => service.request(method, path, { token, body }),
  };
  const rotateAll = async () => [await rotate(manager, form), await rotate(key, form), await rotate(owner, form)];
  for (let version = 2; version <= 8; version++) assert.equal(await rotate(manager, form), "200");
  const tooOften = "429 too_many_key_versions_today";
  assert.deepEqual(await rotateAll(), [tooOften, tooOften, "200"]);
  const long = Date.now() - 2 * dayMilliseconds;
  await database.updateTable("form_key").set({ created_at: long }).execute();
  await database.updateTable("form_key").set({ version: 899 }).where("version", "=", 9).execute();
  await database.updateTable("form").set({ key_version: 899 }).execute();
  const usedUp = "409 too_many_key_versions";
  assert.deepEqual([await rotate(key, form), ...(await rotateAll())], ["200", usedUp, usedUp, "200"]);
});
