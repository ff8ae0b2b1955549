import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { createWebhookSecret, signService, signStandard } from "@sealpost/wire";

const guide = readFileSync(join(import.meta.dirname, "../../docs/receivers.md"), "utf8");

interface Case {
  readonly name: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64, so that the bytes survive JSON. */
  readonly body: string;
  readonly valid: boolean;
}

const cases: Case[] = [];

before(async () => {
  const secret = createWebhookSecret();
  const body = Buffer.from('{"event":"submission.created","form":{"name":"Zoë 😀"}}');
  const now = Math.floor(Date.now() / 1000);
  async function add(
    name: string,
    valid: boolean,
    change: { at?: number; headers?: Record<string, string>; body?: Buffer; secret?: string } = {},
  ) {
    const at = change.at ?? now;
    const headers = {
      "webhook-id": "dlv_01hk153x00e5rbcwg8rxcnh8w6",
      "webhook-timestamp": String(at),
      "webhook-signature": await signStandard(secret, "dlv_01hk153x00e5rbcwg8rxcnh8w6", at, body),
      ...change.headers,
    };
    cases.push({
      name,
      valid,
      secret: change.secret ?? secret,
      headers,
      body: (change.body ?? body).toString("base64"),
    });
  }
  const good = await signStandard(secret, "dlv_01hk153x00e5rbcwg8rxcnh8w6", now, body);
  await add("as sent", true);
  await add("among others", true, { headers: { "webhook-signature": `v1,AAAA v2,x ${good}` } });
  await add("an older attempt inside the tolerance", true, { at: now - 200 });
  await add("another body", false, { body: Buffer.from("{}") });
  await add("another secret", false, { secret: createWebhookSecret() });
  await add("too old", false, { at: now - 400 });
  await add("from the future", false, { at: now + 400 });
  await add("no signature", false, { headers: { "webhook-signature": "" } });
  await add("no id", false, { headers: { "webhook-id": "" } });
  await add("no time", false, { headers: { "webhook-timestamp": "" } });
  await add("a time that is none", false, { headers: { "webhook-timestamp": "Infinity" } });
  await add("another version's tag", false, { headers: { "webhook-signature": good.replace("v1,", "v2,") } });
});

function snippet(language: string): string {
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1];
  assert.ok(code !== undefined, `The guide has no ${language}`);
  return code;
}

function isPresent(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters).status === 0;
}

function runIn(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  command: string,
  ...parameters: string[]
): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { status, stdout, stderr } = spawnSync(command, parameters, {
    cwd: folder,
    input: JSON.stringify(cases),
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as boolean[]; // printed by the harnesses below
}

function assertVerdicts(verdicts: readonly boolean[]): void {
  assert.deepEqual(
    cases.map(({ name }, index) => [name, verdicts[index]]),
    cases.map(({ name, valid }) => [name, valid]),
  );
}

test("the guide's Python verifies what we sign and refuses the rest", (t) => {
  if (!isPresent("python3", "--version")) return t.skip("no Python here");
  const harness = `${snippet("python")}
import json, sys
print(json.dumps([verify(c["secret"], c["headers"], base64.b64decode(c["body"])) for c in json.load(sys.stdin)]))
`;
  assertVerdicts(runIn(t, { "harness.py": harness }, "python3", "harness.py"));
});

test("the guide's Go verifies what we sign and refuses the rest", (t) => {
  if (!isPresent("go", "version")) return t.skip("no Go here");
  const harness = `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    []byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, c := range cases {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, verify(c.Secret, header, c.Body))
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`;
  assertVerdicts(
    runIn(
      t,
      { "go.mod": "module receiver\n\ngo 1.21\n", "verify.go": snippet("go"), "main.go": harness },
      "go",
      "run",
      ".",
    ),
  );
});

test("the guide's shell line prints the signature that the service sends", async (t) => {
  if (!isPresent("openssl", "version")) return t.skip("no openssl here");
  const folder = mkdtempSync(join(tmpdir(), "sealpost-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const secret = createWebhookSecret();
  const body = Buffer.from('{"a":"Zoë"}');
  writeFileSync(join(folder, "body.json"), body);
  const line = /```sh\n(printf[\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const { stdout } = spawnSync("sh", ["-c", line], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, SECRET: secret },
  });
  assert.equal(stdout.trim(), await signService(secret, new Uint8Array(body)));
});
