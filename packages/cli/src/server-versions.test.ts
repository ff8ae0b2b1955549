import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../sdk/src/testing/delivery.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { answerKinds } from "./answer-kinds.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

interface Recorded {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** The instance's answers are kept, to be played again without it and changed. */
async function startRecorder(t: TestContext, target: string) {
  const kept = new Map<string, Recorded[]>();
  const played = new Map<string, number>();
  const state = { isPlaying: false, version: "0.0.0", change: (_recorded: Recorded): string | undefined => undefined };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = `${request.method} ${request.url}`;
    if (request.url === "/api/openapi.json")
      return response.end(JSON.stringify({ info: { version: state.version }, paths: {} }));
    if (!state.isPlaying) {
      const { authorization = "", "content-type": type } = request.headers;
      const answer = await fetch(target + request.url, {
        method: request.method ?? "GET",
        headers: { authorization, ...(type !== undefined && { "content-type": type }) },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const contentType = answer.headers.get("content-type") ?? "";
      kept.set(key, [...(kept.get(key) ?? []), { status: answer.status, contentType, text: await answer.text() }]);
    }
    const turn = played.get(key) ?? 0;
    played.set(key, turn + 1);
    const recorded = kept.get(key)?.[turn];
    if (recorded === undefined) return response.writeHead(500).end("{}");
    response.writeHead(recorded.status, { "content-type": recorded.contentType });
    return response.end(state.change(recorded) ?? recorded.text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    state,
    begin: (isPlaying: boolean) => {
      if (!isPlaying) kept.clear();
      played.clear();
      state.isPlaying = isPlaying;
    },
    answers: () => [...kept.values()].flat(),
  };
}

/** Names of the members of all objects in a JSON text. */
function namesIn(text: string): readonly string[] {
  const names = new Set<string>();
  JSON.parse(text, (_name, value) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const member of Object.keys(value)) names.add(member);
    return value;
  });
  return [...names];
}

function without(text: string, member: string): string {
  return JSON.stringify(JSON.parse(text, (name, value) => (name === member ? undefined : value)));
}

/** Text that only a program prints that has read something that is not there. */
const nonsense = /undefined|NaN|Invalid (time|Date)|Cannot |is not (iterable|a function)|\[object/;

test("a command that misses something in an answer says which is older, the server or the program, and every other command works", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const guest = (await addPerson(service, owner, "guest@example.com", { role: "manager" })).id;
  const pair = takeKeyPair();
  const { form } = (await owner.request("POST", "/api/forms", { name: "Contact", publicKey: pair.publicKey })).body;
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const { submission } = await createdSealed({ name }, pair, 1, form.id);
    const { id, payload, keyVersion } = submission;
    await owner.request("POST", `/api/forms/${form.id}/submissions`, { id, payload, keyVersion });
    ids.push(id);
  }
  await owner.request("PATCH", `/api/forms/${form.id}`, { settings: { binDays: 7 } });
  const recorder = await startRecorder(t, service.url);
  // Each in a folder of its own, so that none finds a file of the one before.
  const ask = (words: readonly string[]) =>
    createCommandLine(t).run(words, { environment: { SEALPOST_URL: recorder.url, SEALPOST_TOKEN: owner.token } });
  const commands: readonly (readonly string[])[] = [
    ["forms", "list"],
    ["forms", "show", form.id],
    ["forms", "settings", form.id],
    ["forms", "settings", form.id, "binDays=8"],
    ["forms", "hold", form.id, "--reason", "a case"],
    ["forms", "release", form.id],
    ["submissions", "list", form.id],
    ["submissions", "delete", form.id, ids[0] ?? "", "--yes"],
    ["submissions", "bin", form.id],
    ["submissions", "restore", form.id, ids[0] ?? ""],
    ["keys", "list"],
    ["members", "list"],
    ["members", "invite", "third@example.com", "--role", "auditor"],
    ["members", "invitations"],
    ["members", "change", guest, "--role", "owner"],
    ["members", "remove", guest],
    ["organizations", "list"],
    ["organizations", "rename", "Ours"],
    ["sessions", "list"],
    ["sessions", "end-others"],
    ["usage"],
  ];
  let refused = 0;
  let worked = 0;
  for (const words of commands) {
    recorder.begin(false);
    recorder.state.change = () => undefined;
    const whole = await ask(words);
    assert.equal(whole.code, 0, `${words.join(" ")}: ${whole.errors}`);
    const members = recorder
      .answers()
      .flatMap(({ contentType, text }) =>
        contentType.startsWith("application/json") && text !== "" ? namesIn(text) : [],
      );
    for (const member of new Set(members))
      for (const [version, which] of [
        ["0.0.0-a", "older"],
        ["99.0.0", "newer"],
      ] as const) {
        recorder.begin(true);
        recorder.state.version = version;
        recorder.state.change = ({ contentType, text }) =>
          contentType.startsWith("application/json") && text !== "" ? without(text, member) : undefined;
        const { code, output, errors } = await ask(words);
        const title = `${words.join(" ")} without ${member}: ${code} ${output}${errors}`;
        assert.doesNotMatch(output + errors, nonsense, title);
        if (code === 0) worked += 1;
        else {
          assert.match(
            errors,
            new RegExp(`(lacks|holds).*\\n.*is Sealpost ${version}, ${which} than this program`),
            title,
          );
          refused += 1;
        }
      }
  }
  assert.ok(refused > 80 && worked > 80, `a control: ${refused} refused, ${worked} worked`);
});

test("an address or a member that an older server does not know is refused with both versions", async (t) => {
  const { run } = createCommandLine(t);
  const bodies = [
    [404, { error: "not_found", message: "There is nothing at this address", code: "address_not_found" }],
    [405, { error: "method_not_allowed", message: "This address knows GET", code: "method_not_allowed" }],
    [400, { error: "bad_request", message: "Unknown query parameter: limit", code: "unknown_query_parameter" }],
    [400, { error: "bad_request", message: "Invalid", details: { a: "b" }, detailCodes: { a: "field_unknown" } }],
  ] as const;
  const server = createServer((request, response) => {
    if (request.url === "/api/openapi.json") return response.end('{"info":{"version":"0.0.0-a"}}');
    const [status, body] = bodies[Number(request.headers.authorization?.at(-1))] ?? [500, {}];
    return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  for (const [index, [, { message }]] of bodies.entries()) {
    const environment = { SEALPOST_URL: url, SEALPOST_TOKEN: `sp_${index}` };
    const { code, errors } = await run(["forms", "list"], { environment });
    assert.ok(code !== 0 && errors.includes(message), errors);
    assert.match(errors, /The server is Sealpost 0\.0\.0-a, older than this program \(0\.0\.0-test\)/);
  }
});

test("every client of the command line looks at the answers: it is made in one place", () => {
  const sources = globSync("**/*.ts", { cwd: import.meta.dirname }).filter((path) => !path.endsWith(".test.ts"));
  const making = sources.filter((path) =>
    /\bcreateClient\b/.test(readFileSync(join(import.meta.dirname, path), "utf8")),
  );
  assert.deepEqual(making, ["connection.ts"]);
  assert.ok(Object.keys(answerKinds).length > 90);
});
