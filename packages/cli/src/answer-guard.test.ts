import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { Command } from "commander";
import { guardAnswer, UnexpectedAnswerError } from "./answer-guard.ts";
import { answerKinds } from "./answer-kinds.ts";
import { exitCodes } from "./exit-code.ts";
import { createProgram } from "./program.ts";
import { createCommandLine } from "./testing/run-command-line.ts";
import { findKind, placesOf, plainSampling, sampleOf } from "./testing/sample-answers.ts";

const samplings = [
  plainSampling,
  { ...plainSampling, isLast: true },
  { text: "", number: Number.MAX_SAFE_INTEGER, items: 2, isLast: false },
  { text: "\u001b[2K\n", number: -1, items: 0, isLast: true },
];

/** One value of each kind that JSON has, by what the table calls it. */
const values: readonly (readonly [readonly string[], unknown])[] = [
  [["null"], null],
  [["string"], "text"],
  [["boolean"], true],
  [["integer", "number"], 7],
  [["number"], 0.5],
  [["list"], []],
  [["object"], {}],
];

function namesOf(kind: unknown): readonly string[] {
  if (kind === 0) return values.flatMap(([names]) => names);
  if (kind === null) return ["null"];
  if (typeof kind === "string") return [kind];
  if (!Array.isArray(kind)) return ["object"];
  return kind.length > 1 ? kind.flatMap(namesOf) : ["list"];
}

test("no command gets an answer with a value of another kind than the document says, at whatever place", () => {
  let refused = 0;
  for (const [operation, text] of Object.entries(answerKinds))
    for (const sampling of samplings.slice(0, 2)) {
      const kind = JSON.parse(text);
      guardAnswer(operation, sampleOf(kind, sampling));
      for (const place of placesOf(kind, { ...sampling, items: 1 }))
        for (const [names, value] of values) {
          const title = `${operation}${place.path}: ${JSON.stringify(value)}`;
          const guardIt = () => guardAnswer(operation, place.replace(structuredClone(value)));
          if (namesOf(place.kind).some((name) => names.includes(name))) guardIt();
          else {
            assert.throws(guardIt, UnexpectedAnswerError, title);
            refused += 1;
          }
        }
    }
  assert.ok(refused > 10_000, `a control: ${refused}`);
});

/** Answers every request of a command in the same way. */
async function startServer(t: TestContext) {
  const state = { asked: 0, answerTo: (_method: string, _path: string): unknown => undefined };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname;
    response.setHeader("content-type", "application/json");
    if (path === "/api/openapi.json") return response.end('{"info":{"version":"0.0.0-test"}}');
    request.resume();
    state.asked += 1;
    const answer = state.answerTo(request.method ?? "", path);
    return answer === undefined ? response.writeHead(404).end("{}") : response.end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }); // it listens on a port
}

const ids = "01m8e5tddzegz84m7gzawdvw55";
/** By the name that a command's argument or option has in its help. A new one is added here. */
const parameters: Readonly<Record<string, string>> = {
  "form-id": `form_${ids}`,
  "organization-id": `org_${ids}`,
  "key-id": `key_${ids}`,
  "member-id": `mem_${ids}`,
  "invitation-id": `inv_${ids}`,
  "session-id": `ses_${ids}`,
  ids: `sub_${ids}`,
  members: `mem_${ids}`,
  member: `mem_${ids}`,
  fingerprint: "A".repeat(43),
  name: "name",
  "name=value": "binDays=8",
  email: "a@example.com",
  shell: "bash",
  role: "auditor",
  text: "text",
  version: "2",
};

/** Every command with its arguments and required options, and the options that keep it from prompting. */
function listCommands(command: Command, url: string, words: readonly string[] = []): readonly (readonly string[])[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((inner) => listCommands(inner, url, [...words, inner.name()]));
  const valueFor = (name: string): string => {
    const value = name === "url" || name === "place" ? url : parameters[name];
    assert.ok(value !== undefined, `${words.join(" ")}: a value for <${name}> is missing in this test`);
    return value;
  };
  const given = command.registeredArguments.map((argument) => valueFor(argument.name()));
  const options = command.options.flatMap(({ long, flags, mandatory }) => {
    if (mandatory || ["--yes", "--api-key-stdin", "--below", "--reason", "--role"].includes(long ?? "")) {
      const name = /<(.+)>/.exec(flags)?.[1];
      return [long ?? "", ...(name === undefined ? [] : [valueFor(name)])];
    }
    return [];
  });
  return [[...words, ...given, ...options]];
}

test("every command says in one sentence that an answer is not what it expects, and never how a program fails at it", async (t) => {
  const server = await startServer(t);
  const commands = listCommands(createProgram(contextOf(), "0.0.0-test"), server.url);
  const bodies = [null, "text", [null], {}];
  const answers: ((method: string, path: string) => unknown)[] = [
    ...bodies.map((body) => () => body),
    ...samplings.map((sampling) => (method: string, path: string) => {
      const kind = findKind(method, path);
      return kind === undefined ? {} : sampleOf(kind, sampling);
    }),
  ];
  const asking = new Set<string>();
  for (const words of commands)
    for (const [index, answerTo] of answers.entries()) {
      // It asks again until the server answers, as it says, so that nothing is lost.
      if (words[1] === "listen" && index >= bodies.length) continue;
      Object.assign(server, { asked: 0, answerTo });
      const environment = { SEALPOST_URL: server.url, SEALPOST_TOKEN: "a.session.token" };
      const isLogin = words[0] === "login" || words[0] === "logout";
      const { code, output, errors } = await createCommandLine(t).run(words, {
        input: "sp_key\n",
        environment: isLogin ? {} : environment,
      });
      const title = `${words.join(" ")} with answer ${index}: ${code}\n${output}${errors}`;
      assert.doesNotMatch(output + errors, nonsense, title);
      if (server.asked === 0) continue;
      asking.add(words.join(" "));
      // Every answer of ours is an object, whatever a command reads of it; these two compare what they get.
      if (index < 3 && words[0] !== "verify" && words[0] !== "verify-log")
        assert.equal(code, exitCodes.unavailable[0], title);
    }
  assert.ok(asking.size > 35, `a control: ${[...asking].join("\n")}`);
});

/** Text that only a program prints that has read something that is not there. */
const nonsense =
  /undefined|NaN|Invalid (time|Date)|Cannot |is not (iterable|a function)|\[object|Error:| {4}at |argument must be/;

function contextOf() {
  const { stdin: input, stdout: output, stderr: errors } = process;
  return { environment: {}, folder: "", input, output, errors, now: Date.now, signal: new AbortController().signal };
}
