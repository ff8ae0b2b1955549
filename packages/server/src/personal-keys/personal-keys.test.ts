import assert from "node:assert/strict";
import { test } from "node:test";
import { openKeyCopy } from "@sealpost/envelope";
import { decodeBase64Url } from "@sealpost/wire";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import {
  copiesPath,
  createCopy,
  createFile,
  createKeyAndSheet,
  keyPath,
  makeKey,
  outcomeOf,
} from "./testing/key-bench.ts";

const password = "correct horse battery";

test("the service keeps a key's public halves and sealed copies, and gives a copy's bytes to its person alone", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { halves, sheet, copy } = await createKeyAndSheet();
  assert.deepEqual((await account.request("GET", keyPath)).body, { personalKey: null, copies: [], formerKeys: [] });
  assert.equal(outcomeOf(await account.request("POST", copiesPath, copy)), "409 personal_key_missing");

  const body = { ...halves, copies: [copy, createCopy("passphrase", "  Passphrase ")] };
  const made = await account.request("POST", keyPath, body);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { createdAt, ...rest } = made.body.personalKey;
  assert.deepEqual(rest, halves);
  assert.equal(typeof createdAt, "number");
  const described = made.body.copies.map(({ way, name, removedAt, restorableUntil }: Record<string, unknown>) => ({
    ...{ way, name, removedAt, restorableUntil },
  }));
  const opens = { removedAt: null, restorableUntil: null };
  assert.deepEqual(
    described.toSorted((one: { way: string }, other: { way: string }) => (one.way < other.way ? -1 : 1)),
    [
      { way: "passphrase", name: "Passphrase", ...opens },
      { way: "sheet", name: "Sheet", ...opens },
    ],
  );
  const listed = await account.request("GET", keyPath);
  assert.deepEqual(listed.body, made.body);
  assert.ok(!JSON.stringify(listed.body).includes(copy.file.slice(0, 40)), "no file is in a list");

  const { id } = made.body.copies.find(({ way }: { way: string }) => way === "sheet");
  const loaded = await account.request("GET", `${copiesPath}/${id}`);
  assert.deepEqual(loaded.body, { file: copy.file });
  assert.match(loaded.headers.get("cache-control") ?? "", /no-store/);
  const opened = await openKeyCopy(decodeBase64Url(loaded.body.file) ?? new Uint8Array(), sheet, halves);
  assert.ok(!(opened instanceof Error), String(opened));

  // A request whose answer got lost is sent again.
  assert.deepEqual((await account.request("POST", keyPath, body)).body, made.body);
  const other = await createKeyAndSheet();
  assert.equal(
    outcomeOf(await account.request("POST", keyPath, { ...other.halves, copies: [other.copy] })),
    "409 personal_key_exists",
  );
  const device = createCopy("device");
  const [first, again] = [
    await account.request("POST", copiesPath, device),
    await account.request("POST", copiesPath, device),
  ];
  assert.deepEqual(first.body, again.body);
  assert.equal((await account.request("GET", keyPath)).body.copies.length, 3);

  const stranger = await service.signUp();
  const member = await addPerson(service, account, "member@example.com", { role: "owner" });
  for (const person of [stranger, member]) {
    assert.deepEqual((await person.request("GET", keyPath)).body, { personalKey: null, copies: [], formerKeys: [] });
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/restore"],
    ] as const)
      assert.equal(outcomeOf(await person.request(method, `${copiesPath}/${id}${path}`)), "404 key_copy_not_found");
  }
  const created = await account.request("POST", "/api/api-keys", { name: "Program", permissions: ["forms:read"] });
  for (const token of [undefined, String(created.body.key.key)])
    for (const path of [keyPath, `${copiesPath}/${id}`])
      assert.equal((await service.request("GET", path, { token })).status, 401);

  const exported = await account.request("GET", "/api/account/export");
  assert.deepEqual(exported.body.personalKey, made.body.personalKey);
  assert.equal(exported.body.keyCopies.length, 3);
  assert.ok(
    exported.body.keyCopies.some((one: { file: string }) => one.file === copy.file),
    "with its bytes",
  );
  assert.deepEqual(await listActions(service, account.id), ["personal_key.made", "key_copy.read", "key_copy.added"]);
});

test("what is no public half of a key and no copy that its way opens is refused, by its field", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { halves, copy } = await createKeyAndSheet();
  const make = async (changes: object) =>
    outcomeOf(await account.request("POST", keyPath, { ...halves, copies: [copy], ...changes }));
  const x25519 = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
  for (const recipient of [
    "",
    x25519,
    halves.recipient.toUpperCase(),
    `${halves.recipient}q`,
    halves.recipient.slice(0, -1),
  ])
    assert.equal(
      await make({ recipient }),
      "400 personal_key_recipient_wrong recipient=personal_key_recipient_wrong",
      recipient.slice(0, 20),
    );
  // 32 bytes of zeros are a point of small order.
  for (const signingKey of ["", "A".repeat(43), `${halves.signingKey.slice(0, -1)}=`, halves.signingKey.slice(1)])
    assert.equal(
      await make({ signingKey }),
      "400 personal_key_signing_key_wrong signingKey=personal_key_signing_key_wrong",
      signingKey,
    );
  const sheetless = "400 key_copy_sheet_missing copies=key_copy_sheet_missing";
  assert.equal(
    await make({ copies: [createCopy("passphrase"), createCopy("passkey"), createCopy("device")] }),
    sheetless,
  );
  for (const copies of [[], Array.from({ length: 11 }, () => createCopy("sheet")), "sheet", undefined])
    assert.match(await make({ copies }), /^400 .*copies=/);
  assert.match(await make({ copies: [copy, { ...copy, file: "" }] }), /copies\.1\.file=key_copy_file_wrong/);
  assert.deepEqual(
    (await account.request("GET", keyPath)).body,
    { personalKey: null, copies: [], formerKeys: [] },
    "nothing is kept",
  );

  await makeKey(account);
  const add = async (changes: object) =>
    outcomeOf(await account.request("POST", copiesPath, { ...createCopy("passphrase"), ...changes }));
  const wrongFiles = [
    "",
    "not base64url!",
    `${createFile("passphrase")}=`,
    Buffer.from("age-encryption.org/v1\n").toString("base64url"),
    // A work factor that would stop a browser for good, and one that spares who tries passphrases.
    createFile("passphrase", [" 18\n", " 30\n"]),
    createFile("passphrase", [" 18\n", " 17\n"]),
    createFile("passkey", ["fido2prf ", "fido2prf AA "]),
    createFile("passphrase", ["-> scrypt", "-> X25519 AAAA\nAAAA\n-> scrypt"]),
    createFile("passphrase", ["age-encryption.org/v1", "age-encryption.org/v2"]),
  ];
  for (const file of wrongFiles)
    assert.match(await add({ file }), /^400 .*file=key_copy_file_wrong/, file.slice(0, 90));
  const largest = Buffer.concat([Buffer.from(createFile("passphrase"), "base64url"), Buffer.alloc(4096)]).subarray(
    0,
    4096,
  );
  assert.equal(await add({ file: largest.toString("base64url") }), "200");
  assert.match(await add({ file: "A".repeat(5463) }), /^400 .*file=field_too_long/);
  for (const [way, file] of [
    ["sheet", "passphrase"],
    ["device", "passkey"],
    ["passkey", "sheet"],
    ["passphrase", "device"],
  ] as const)
    assert.equal(await add({ way, file: createFile(file) }), "400 key_copy_way_wrong way=key_copy_way_wrong");
  for (const way of ["paper", "", null, "__proto__"]) assert.match(await add({ way }), /^400 .*way=/);
  for (const name of ["", "  ", "two\nlines", "x".repeat(61), "turned \u202e round", "\ud800"])
    assert.equal(await add({ name }), "400 key_copy_name_wrong name=key_copy_name_wrong", JSON.stringify(name));
  assert.match(await add({ more: 1 }), /^400 .*more=field_unknown/);
  assert.equal((await account.request("GET", keyPath)).body.copies.length, 2);
});

test("of two first keys at the same moment one is kept, and of two last sheets removed at the same moment one stays", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const keys = await Promise.all([createKeyAndSheet(), createKeyAndSheet()]);
  const made = await Promise.all(
    keys.map(({ halves, copy }) => account.request("POST", keyPath, { ...halves, copies: [copy] })),
  );
  assert.deepEqual(made.map(outcomeOf).toSorted(), ["200", "409 personal_key_exists"]);
  const winner = made.findIndex(({ status }) => status === 200);
  const kept = (await account.request("GET", keyPath)).body;
  assert.equal(kept.personalKey.recipient, keys[winner]?.halves.recipient);
  assert.equal(kept.copies.length, 1);

  const [{ id: one }] = kept.copies;
  const other = (await account.request("POST", copiesPath, createCopy("sheet"))).body.copy.id;
  const browser = createTestBrowser(service);
  assert.equal(
    (await browser.post("/api/auth/sign-in/email", { email: "person-1@example.com", password })).status,
    200,
  );
  const removed = await Promise.all([
    account.request("DELETE", `${copiesPath}/${one}`),
    browser.post(`${copiesPath}/${other}`, {}, "DELETE"),
  ]);
  assert.deepEqual(removed.map(outcomeOf).toSorted(), ["200", "409 key_copy_last_sheet"]);
  const left = (await account.request("GET", keyPath)).body.copies as readonly { removedAt: number | null }[];
  assert.deepEqual(left.map(({ removedAt }) => removedAt === null).toSorted(), [false, true]);
  const refused = (await listActions(service, account.id)).filter((action) => action === "key_copy.removed");
  assert.equal(refused.length, 1, "nothing is recorded of what was refused");
});

async function listActions(service: TestService, accountId: string): Promise<readonly string[]> {
  const rows = await service.database
    .selectFrom("audit_entry")
    .select("action")
    .where("account_id", "=", accountId)
    .where("action", "like", "%key%")
    .where("action", "not like", "api_key%")
    .orderBy("id")
    .execute();
  return rows.map(({ action }) => action);
}
