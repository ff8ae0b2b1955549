import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { answerMembers } from "./answer-members.ts";
import { ApiError } from "./api-error.ts";
import { type Client, createClient } from "./client.ts";

/** One of each kind that JSON has. */
const values = { null: null, list: [], object: {}, string: "text", boolean: false, integer: 7 };

/** An answer as the table describes it, with what no client reads left out. */
function answerOf(members: readonly string[]): Record<string, unknown> {
  const answer: Record<string, unknown> = {};
  for (const member of members) {
    const [path = "", kinds = ""] = member.split("=");
    const [outer = "", ...inner] = path.replace("?", "").split(/\.|(?=\[\])/);
    const kind = kinds.split("|")[0];
    const value = kind === "any" ? "any" : structuredClone(values[kind as keyof typeof values]); // a kind of the table, as is every one
    if (inner.length === 0) answer[outer] = value;
    else if (inner.length === 1 && inner[0] !== "[]") Object.assign(Object(answer[outer]), { [inner[0] ?? ""]: value });
    else if (inner.length === 1) answer[outer] = [value];
    else Object.assign(Object(Object(answer[outer])[0]), { [inner[1] ?? ""]: value });
  }
  return answer;
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return typeof value === "object" && value !== null && "next" in value;
}

/** Outcome of every method of the client when the server answers everything in one way. */
async function callAll(client: Client, onCall: (name: string, outcome: unknown) => void): Promise<void> {
  for (const [part, methods] of Object.entries(client))
    for (const [name, method] of Object.entries(methods)) {
      // Each method takes ids first, and bytes after two of them; what else it takes may be left out here.
      const outcome = await Promise.resolve()
        .then(() => Reflect.apply(method, undefined, ["id_1", "id_2", new Uint8Array()]))
        .then((result) => (isIterator(result) ? result.next() : result))
        .catch((error: unknown) => error);
      onCall(`${part}.${name}`, outcome);
    }
}

const table = new Map<string, readonly string[]>(
  answerMembers
    .trim()
    .split("\n")
    .map((line) => {
      const [method, path, ...members] = line.split(" ");
      return [`${method} ${path}`, members] as const;
    }),
);

function findOperation(url: string, method: string): string | undefined {
  const { pathname } = new URL(url);
  const fits = (operation: string) => {
    const [verb, template = ""] = operation.split(" ");
    return verb === method && new RegExp(`^${template.replace(/\{\w+\}/g, "id_\\d")}$`).test(pathname);
  };
  return [...table.keys()].filter(fits).sort((one, other) => one.split("{").length - other.split("{").length)[0];
}

test("every method rejects with unexpected_answer when JSON of another kind comes, and gives nothing of it", async () => {
  for (const body of ["{}", "null", "[]", '"x"', "[{}]", "7"]) {
    let isBytes = false;
    const client = createClient({
      baseUrl: "https://forms.example.org",
      fetch: async (url, { method } = {}) => {
        isBytes = findOperation(String(url), method ?? "") === undefined;
        return new Response(body);
      },
    });
    let count = 0;
    await callAll(client, (name, outcome) => {
      count += 1;
      if (name === "auditLog.export" && body === "{}") return; // what is in a line it leaves to its reader
      // Bytes may be anything, but have a tag.
      const title = `${name} with ${body}${isBytes ? " as bytes" : ""}: ${outcome}`;
      assert.ok(outcome instanceof ApiError, title);
      assert.equal(outcome.code, "unexpected_answer", title);
    });
    assert.ok(count > 90, String(count));
  }
});

test("every method rejects with unexpected_answer when a member is missing or of another kind, and takes one that is whole", async () => {
  let state: { readonly spoil: (answer: Record<string, unknown>, members: readonly string[]) => unknown } = {
    spoil: (answer) => answer,
  };
  let asked: readonly string[] | undefined;
  const client = createClient({
    baseUrl: "https://forms.example.org",
    fetch: async (url, { method } = {}) => {
      const members = table.get(findOperation(String(url), method ?? "") ?? "");
      asked ??= members;
      return new Response(JSON.stringify(members === undefined ? {} : state.spoil(answerOf(members), members)), {
        headers: { etag: '"1"' },
      });
    },
  });
  const wrong = new Map<string, readonly string[]>();
  await callAll(client, (name, outcome) => {
    if (asked !== undefined) wrong.set(name, asked);
    asked = undefined;
    // These parse what is inside, too, or take further steps; the other tests answer them.
    if (!/^(submissions|envelopes|deviceRequests)\.|^forms\.\w+Log/.test(name))
      assert.ok(!(outcome instanceof Error), `${name}: ${outcome}`);
  });
  assert.ok(wrong.size > 80, String(wrong.size));
  const most = Math.max(
    ...[...wrong.values()].map((members) => members.filter((member) => /^\w+=/.test(member)).length),
  );
  for (let place = 0; place < most; place++)
    for (const isMissing of [true, false]) {
      const outer = (members: readonly string[]) => members.filter((member) => /^\w+=/.test(member))[place]?.split("=");
      state = {
        spoil(answer, members) {
          const [name = "", kinds = ""] = outer(members) ?? [];
          if (isMissing) delete answer[name];
          else answer[name] = Object.entries(values).find(([kind]) => !kinds.split("|").includes(kind))?.[1];
          return answer;
        },
      };
      await callAll(client, (name, outcome) => {
        const [member, kinds] = outer(wrong.get(name) ?? []) ?? [];
        asked = undefined;
        if (member === undefined || (kinds === "any" && !isMissing)) return;
        const title = `${name}, ${member} ${isMissing ? "missing" : "of another kind"}: ${outcome}`;
        assert.ok(outcome instanceof ApiError, title);
        assert.equal(outcome.code, "unexpected_answer", title);
      });
    }
});

test("a line of an export is an object of at most 4 MiB", async () => {
  const answerWith = (text: string) =>
    createClient({ baseUrl: "https://forms.example.org", fetch: async () => new Response(text) });
  const formId = createId("form");
  for (const line of ["null", "[]", '"x"', "7", "{}", `{"id":"${"x".repeat(4 * 1024 * 1024)}"}`])
    await assert.rejects(answerWith(`${line}\n`).submissions.export(formId).next(), {
      name: "ApiError",
      code: "unexpected_answer",
    });
  for (const line of ["null", "[]", '"x"', "7"])
    await assert.rejects(answerWith(`${line}\n`).auditLog.export().next(), {
      name: "ApiError",
      code: "unexpected_answer",
    });
});
