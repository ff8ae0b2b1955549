import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { createKeyFile } from "@sealpost/sdk";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../sdk/src/testing/delivery.ts";
import { createReadingProgram, pairs as formPairs } from "./testing/reading-program.ts";

/** The files that ask for a form's keys or envelopes, and the command by which each is tried below. */
const askedBy: Readonly<Record<string, string>> = {
  "end-versions-command.ts": "forms end-versions",
  "envelope-command.ts": "a form has one envelope, or is refused; the client's own test has several",
  "export-command.ts": "submissions export",
  "form-keys.ts": "submissions export",
  "key-log-command.ts": "forms key-log show",
  "listen-command.ts": "looks at each key alone, as submissions export does",
  "new-key-file.ts": "one key is found by its fingerprint, wherever it stands",
  "rotate-command.ts": "forms rotate",
  "show-form-command.ts": "forms show",
  "signed-form-name.ts": "asks whether there is an envelope at all",
};

test("every command that asks for a form's keys is tried with each order of them", () => {
  const asking = globSync("*.ts", { cwd: import.meta.dirname }).filter(
    (path) =>
      !path.endsWith(".test.ts") &&
      /\bforms\.keys\(|\bloadFormKeys\(|\benvelopes\.list\(/.test(
        readFileSync(join(import.meta.dirname, path), "utf8"),
      ),
  );
  assert.deepEqual(asking.toSorted(), Object.keys(askedBy));
});

const orders: Readonly<Record<number, readonly (readonly number[])[]>> = {
  2: [
    [1, 2],
    [2, 1],
  ],
  3: [
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ],
};

test("commands say and do the same in whatever order the service lists two or three key versions", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, service } = world;
  const run = (...parameters: string[]) => world.runAs(owner.account.token, parameters);
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });

  let order: readonly number[] = [];
  const { fetch } = globalThis;
  t.after(() => {
    globalThis.fetch = fetch;
  });
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    if (!/\/keys(\/close)?$/.test(new URL(String(request[0])).pathname)) return response;
    const { keys, ...rest } = await response.json();
    const placeOf = ({ version }: { readonly version: number }) => order.indexOf(version);
    return Response.json({ ...rest, keys: keys.toSorted((one: never, other: never) => placeOf(one) - placeOf(other)) });
  };

  const pairs = [formPairs[0], takeKeyPair(), takeKeyPair()];
  const keyFiles: string[] = [];
  for (const [index, pair] of pairs.entries()) {
    const keyVersion = index + 1;
    if (keyVersion > 1)
      await owner.account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey: pair.publicKey });
    const { privateKey } = pair;
    const label = { formId, formName: "Contact", keyVersion, createdAt: 0 };
    writeFileSync(join(folder, `v${keyVersion}.json`), JSON.stringify(await createKeyFile({ ...label, privateKey })), {
      mode: 0o600,
    });
    keyFiles.push("--key", `v${keyVersion}.json`);
    const { submission } = await createdSealed({ n: keyVersion }, pair, keyVersion, formId);
    const body = { id: submission.id, payload: submission.payload, keyVersion };
    assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body })).status, 201);
    if (keyVersion < 2) continue;
    if (keyVersion === 3) {
      const begun = await run("forms", "key-log", "begin", formId, "--identity", "key.txt", "--key", "v3.json");
      assert.equal(begun.code, 0, begun.errors);
    }
    const commands = [
      ["forms", "show", formId],
      ["forms", "show", formId, "--json"],
      ["submissions", "export", formId, "--format", "ndjson", ...keyFiles],
      ["forms", "end-versions", formId, "--at", "2099-01-01"],
      ["forms", "end-versions", formId, "--at", "2099-01-01", "--json"],
      ...(keyVersion === 3 ? [["forms", "key-log", "show", formId, "--identity", "key.txt"]] : []),
    ];
    for (const command of commands) {
      const said = new Set<string>();
      for (order of orders[keyVersion] ?? []) {
        const { code, output, errors } = await run(...command);
        assert.equal(code, 0, errors);
        said.add(`${output}${errors}`);
      }
      assert.equal(said.size, 1, [...said].join("\n"));
    }
  }

  const other = (await owner.account.request("POST", "/api/forms", { name: "Other", publicKey: pairs[0]?.publicKey }))
    .body.form.id;
  await owner.account.request("POST", `/api/forms/${other}/rotate-keys`, { publicKey: pairs[1]?.publicKey });
  order = [1, 2];
  const { output, errors } = await run("forms", "rotate", other);
  assert.equal(output.trim(), "3", errors);
});
