import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateReadingKey, generateSheet, parsePersonalKey, sealKeyCopy } from "@sealpost/envelope";
import { encodeBase64Url } from "@sealpost/wire";
import { createReadingProgram } from "./testing/reading-program.ts";

const words = "abacus bench canary dune ember fable";

test("with the words or the sheet of a personal key, readers are listed, added and removed, and no secret leaves this machine", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, member } = world;
  const { key } = owner;
  const sent: string[] = [];
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", (input: string, init?: RequestInit) => {
    sent.push(`${input} ${init?.body ?? ""}`);
    return fetch(input, init);
  });
  const run = (...parameters: string[]) =>
    world.runAs(owner.account.token, ["keys", ...parameters.map((one) => one.replace("FORM", formId))]);
  const refused = async (parameters: readonly string[], code: number, sentence: RegExp) => {
    const ended = await run(...parameters);
    assert.deepEqual([ended.code, ended.output], [code, ""], ended.errors);
    assert.match(ended.errors, sentence);
  };
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });

  await refused(["unlock"], 4, /You have no personal key yet/);
  const sheet = await generateSheet("personal");
  const seal = async (to: Parameters<typeof sealKeyCopy>[1]) => encodeBase64Url(await sealKeyCopy(key, to));
  await owner.client.personalKey.create({
    recipient: key.recipient,
    signingKey: key.signingKey,
    copies: [
      { way: "sheet", name: "Sheet in the safe", file: await seal({ recipient: sheet.recipient }) },
      { way: "passphrase", name: "Six words", file: await seal({ passphrase: words }) },
    ],
  });
  write("sheet.txt", `${sheet.lines.join("\n")}\n`);
  write("words.txt", `  ${words}\n`);
  // As somebody copies them from a numbered sheet.
  write(
    "numbered.txt",
    `${words
      .split(" ")
      .map((word, index) => `${index + 1}. ${word.toUpperCase()}`)
      .join(", ")}\n`,
  );
  const [first = "", ...rest] = sheet.lines;
  write(
    "mistyped.txt",
    [first, `${rest[0]?.slice(0, -1)}${rest[0]?.endsWith("0") ? "1" : "0"}`, ...rest.slice(1)].join("\n"),
  );
  write("foreign.txt", (await generateSheet("personal")).lines.join("\n"));
  await refused(["unlock"], 2, /Six words or passphrase of your key: there is no terminal to ask at/);
  await refused(["unlock", "--sheet-file", "mistyped.txt"], 2, /there is a mistake in line 2/);
  await refused(["unlock", "--sheet-file", "foreign.txt"], 2, /That sheet does not open your key/);
  const opened = await run("unlock", "--passphrase-file", "words.txt", "--output", "key.txt");
  assert.equal(opened.code, 0, opened.errors);
  assert.deepEqual(await parsePersonalKey(readFileSync(join(folder, "key.txt"), "utf8")), key);
  assert.equal(statSync(join(folder, "key.txt")).mode & 0o777, 0o600);
  assert.match((await run("unlock", "--passphrase-file", "numbered.txt")).errors, /The copy is called Six words\.\n$/);
  assert.match((await run("unlock", "--sheet-file", "sheet.txt")).errors, /The copy is called Sheet in the safe\.\n$/);

  const withKey = ["--form", "FORM", "--identity", "key.txt"];
  await refused(["readers", "list", ...withKey], 4, /has no envelope/);
  await world.write([]);
  await refused(["readers", "list", "--form", "FORM", "--identity", world.identity], 2, /is not a personal key/);
  await refused(["readers", "add", ...withKey], 2, /Name the members to add/);
  await refused(["readers", "add", ...withKey, "--program", "Reports"], 2, /go together/);
  await refused(["readers", "add", ...withKey, "--program", "Reports", "--recipient", "age1pq1"], 2, /the whole line/);
  await refused(["readers", "add", ...withKey, "Nobody"], 4, /Nobody in the list of members is called Nobody/);
  await refused(["readers", "remove", ...withKey, owner.account.id], 5, /You can't remove yourself/);

  // The sheet does as well as the file of the key.
  const bySheet = ["--form", "FORM", "--sheet-file", "sheet.txt"];
  write("recipient.txt", `${member.recipient}\n`);
  const fromFile = ["--program", "Reports", "--recipient-file", "recipient.txt"];
  await refused(["readers", "add", ...withKey, ...fromFile, "--recipient", "age1pq1"], 2, /not both/);
  for (const [name, sentence] of [
    [world.identity, /contains the identity, which only the program should have/],
    ["sheet.txt", /is not a file with one recipient/],
  ] as const)
    await refused(["readers", "add", ...withKey, "--program", "Reports", "--recipient-file", name], 2, sentence);
  const added = await run("readers", "add", ...bySheet, ...fromFile);
  assert.equal(added.code, 0, added.errors);
  assert.match(added.output, /^2-[\w-]{43}\n$/);
  await world.submit({ name: "Zoë" });
  const exporting = ["submissions", "export", formId, "--format", "ndjson", "--identity", world.identity];
  const read = await world.run([...exporting, "--list", added.output.trim()]);
  assert.equal(read.code, 0, read.errors);
  const again = await run("readers", "add", ...withKey, "--program", "Reports", "--recipient", member.recipient);
  assert.deepEqual([again.code, again.output], [0, added.output]);
  assert.match(again.errors, /nothing to change/);
  const listed = JSON.parse((await run("readers", "list", ...withKey, "--json")).output);
  assert.deepEqual(listed.map(({ name, role, isCurrent }: Record<string, unknown>) => [name, role, isCurrent]).sort(), [
    ["Name of owner", "owner", true],
    ["Reports", "program", true],
  ]);
  assert.match((await run("readers", "list", ...withKey)).output, /Reports +program +reads\n/);

  const saved = await world.run(["keys", "envelope", "--form", formId, "--output", "envelope.age"]);
  assert.equal(saved.code, 0, saved.errors);
  const { client } = owner;
  assert.deepEqual(new Uint8Array(readFileSync(join(folder, "envelope.age"))), await client.envelopes.get(formId, 1));
  assert.equal((await world.run(["keys", "envelope", "--form", formId, "--revision", "1"])).code, 0);
  const before = await client.envelopes.get(formId, 1, { revision: 1 });
  assert.deepEqual(new Uint8Array(readFileSync(join(folder, `${formId}.v1.age`))), before);
  assert.equal(
    (await world.run(["keys", "envelope", "--form", formId, "--key-version", "2", "--output", "x"])).code,
    4,
  );

  const removed = await run("readers", "remove", ...withKey, "Reports");
  assert.equal(removed.code, 0, removed.errors);
  assert.match(removed.errors, /They may have kept the keys: `sealpost forms rotate`/);
  assert.equal((await world.run(exporting)).code, 3);
  const byKey = await world.run(["keys", "readers", "list", "--form", formId, "--identity", "key.txt"]);
  assert.deepEqual([byKey.code, byKey.output], [3, ""]);

  const program = /AGE-SECRET-KEY-PQ-1\w+/.exec(readFileSync(world.identity, "utf8"))?.[0] ?? "";
  for (const secret of [key.identity, key.signingSeed, words, sheet.identity, first.replaceAll(" ", ""), program]) {
    assert.ok(secret.length > 10);
    assert.ok(!sent.some((request) => request.includes(secret)));
  }
});

test("two managers who change the readers of a form at once both have their way", async (t) => {
  const world = await createReadingProgram(t);
  await world.write([]);
  const { formatPersonalKey } = await import("@sealpost/envelope");
  writeFileSync(join(world.folder, "key.txt"), formatPersonalKey(world.owner.key), { mode: 0o600 });
  const made = await Promise.all([generateReadingKey(), generateReadingKey()]);
  const ended = await Promise.all(
    made.map(({ recipient }, index) =>
      world.runAs(world.owner.account.token, [
        ...[
          "keys",
          "readers",
          "add",
          "--form",
          world.formId,
          "--identity",
          "key.txt",
          "--heads",
          `heads-${index}.json`,
        ],
        ...["--program", `Program ${index}`, "--recipient", recipient],
      ]),
    ),
  );
  for (const { code, errors } of ended) assert.equal(code, 0, errors);
  const listing = ["keys", "readers", "list", "--form", world.formId, "--identity", "key.txt", "--json"];
  const { output } = await world.runAs(world.owner.account.token, listing);
  assert.deepEqual(
    JSON.parse(output)
      .map(({ name }: { name: string }) => name)
      .sort(),
    ["Name of owner", "Program 0", "Program 1"],
  );
});
