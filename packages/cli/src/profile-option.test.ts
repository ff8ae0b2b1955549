import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Command } from "commander";
import type { Context } from "./context.ts";
import { storeCurrentName, storeProfile } from "./profiles.ts";
import { createProgram } from "./program.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

/** Commands that ask no instance, or one that is named as an argument. Every other has to go where its profile says. */
const asksNoProfile = [
  "login",
  "logout",
  "profiles list",
  "profiles use",
  "profiles remove",
  "webhooks open",
  "keys program",
  "keys forget",
  "forms key-log forget",
  "verify",
  "completion",
];

/** Parameters that a command needs before it asks its instance, in addition to its arguments and required options. */
const extraParameters: Readonly<Record<string, readonly string[]>> = {
  "forms settings": ["encryption=true"],
  "forms key-log give-up": ["--yes"],
  "keys readers add": ["Ada Example"],
  "members change": ["--role", "manager"],
  "submissions delete": ["--all", "--yes"],
  "submissions restore": ["--all"],
};

function leavesOf(command: Command, path: readonly string[] = []): readonly (readonly [path: string, Command])[] {
  const name = path.join(" ");
  return command.commands.length === 0
    ? [[name, command]]
    : command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));
}

function parametersOf(path: string, command: Command): readonly string[] {
  const required = command.registeredArguments.filter((argument) => argument.required);
  const options = command.options.filter(({ mandatory }) => mandatory);
  return [
    ...path.split(" "),
    ...required.map((argument) => sampleOf(argument.name(), argument.argChoices)),
    ...options.flatMap(({ long, argChoices }) => [long ?? "", sampleOf(long ?? "", argChoices)]),
    ...(extraParameters[path] ?? []),
  ];
}

function sampleOf(name: string, [choice]: readonly string[] = []): string {
  if (choice !== undefined) return choice;
  return /form/.test(name) ? "form_01h455vb4pex5vsknk084sn02q" : "value";
}

async function createInstance(t: TestContext) {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":"unauthorized","message":"Sign in"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return { url: urlOf(server), requests };
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

test("every command acts on the profile that is named, wherever the option stands, and on no other", async (t) => {
  const { run, folder } = createCommandLine(t);
  const [current, named] = [await createInstance(t), await createInstance(t)];
  const environment = { XDG_CONFIG_HOME: join(folder, "config") };
  const kept = { kind: "session", email: "zoe@example.com", cookie: "sealpost_session=a.b" } as const;
  await storeProfile(environment, "current", { ...kept, url: current.url });
  await storeProfile(environment, "named", { ...kept, url: named.url });
  await storeCurrentName(environment, "current");

  const leaves = leavesOf(createProgram({ environment } as unknown as Context, "0.0.0-test"));
  assert.ok(leaves.length > 40);
  const paths = leaves.map(([path]) => path);
  assert.deepEqual(
    asksNoProfile.filter((path) => !paths.includes(path)),
    [],
  );
  for (const [path, command] of leaves.filter(([name]) => !asksNoProfile.includes(name))) {
    const parameters = path === "verify-log" ? [path, named.url] : parametersOf(path, command);
    const input = path === "organizations join" ? `${named.url}/invitation#x` : "";
    const away = { SEALPOST_URL: current.url, SEALPOST_TOKEN: "sp_token" };
    for (const [words, more] of [
      [[...parameters, "--profile", "named"], {}],
      [["--profile=named", ...parameters], away],
      [parameters, { SEALPOST_PROFILE: "named" }],
    ] as const) {
      named.requests.length = 0;
      const { errors } = await run(words, { environment: more, input });
      assert.ok(named.requests.length > 0, `${words.join(" ")}: ${errors}`);
      assert.deepEqual(current.requests, [], words.join(" "));
    }
  }
  // Without either, it is the current one that is asked.
  await run(["forms", "list"]);
  assert.ok(current.requests.length > 0);
});
