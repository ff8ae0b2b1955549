import assert from "node:assert/strict";
import type { RequestListener, ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import { clientOf } from "../testing/played-server.ts";
import { ApiError } from "./api-error.ts";
import { ConnectionError } from "./connection-error.ts";

const lines = ["Zoë 😀", "two", "three"].map((name) => ({
  id: createId("submission"),
  formId: createId("form"),
  payload: { encrypted: false, version: "plain1", fields: { name } },
  keyVersion: 1,
  timestamp: 1,
  receivedAt: 2,
}));
const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

/** Writes piece by piece, each in a chunk of its own, of an answer that has all lines. */
async function write(response: ServerResponse, pieces: Iterable<Uint8Array>): Promise<void> {
  response.setHeader("sealpost-last-submission", lines.at(-1)?.id ?? "");
  for (const piece of pieces) await new Promise<void>((resolve) => response.write(piece, () => resolve()));
}

async function collect(submissions: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const submission of submissions) all.push(submission);
  return all;
}

test("an export comes out line by line, wherever its pieces are cut, inside a character too", async (t) => {
  for (const size of [1, 2, 7, bytes.length]) {
    const client = await clientOf(t, async (request, response) => {
      assert.equal(request.url, "/api/forms/form_1/submissions/export?after=sub_0");
      await write(
        response,
        Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        ),
      );
      response.end();
    });
    assert.deepEqual(await collect(client.submissions.export("form_1", { after: "sub_0" })), lines);
  }
});

test("an export of nothing ends at once, and one that is refused rejects with the error", async (t) => {
  const empty = await clientOf(t, (_, response) => response.end());
  assert.deepEqual(await collect(empty.submissions.export("form_1")), []);
  const body = JSON.stringify({ error: "not_found", message: "Form not found" });
  const refusing = await clientOf(t, (_, response) => response.writeHead(404).end(body));
  await assert.rejects(collect(refusing.submissions.export("form_1")), {
    code: "not_found",
    message: "Form not found",
  });
});

test("an export that breaks off rejects after the whole lines, and never gives half a line", async (t) => {
  const cut: RequestListener = async (_, response) => {
    await write(response, [bytes.subarray(0, -5)]);
    response.destroy();
  };
  const ended: RequestListener = (_, response) => response.end(bytes.subarray(0, -5));
  for (const [listener, type] of [
    [cut, ConnectionError],
    [ended, ApiError],
  ] as const) {
    const seen: unknown[] = [];
    const client = await clientOf(t, listener);
    await assert.rejects(async () => {
      for await (const submission of client.submissions.export("form_1")) seen.push(submission);
    }, type);
    assert.deepEqual(seen, lines.slice(0, 2));
  }
});

test("leaving the loop ends the request", async (t) => {
  const closed = Promise.withResolvers<void>();
  const client = await clientOf(t, async (_, response) => {
    response.on("close", closed.resolve);
    await write(response, [bytes]);
  });
  for await (const submission of client.submissions.export("form_1")) {
    assert.deepEqual(submission, lines[0]);
    break;
  }
  await closed.promise;
});

test("a signal ends an export in the middle, and so does a server that falls silent", async (t) => {
  const controller = new AbortController();
  const stalling: RequestListener = async (_, response) => write(response, [bytes]);
  const impatient = await clientOf(t, stalling, { timeoutMilliseconds: 50 });
  await assert.rejects(collect(impatient.submissions.export("form_1")), { name: "TimeoutError" });
  const client = await clientOf(t, stalling);
  await assert.rejects(
    async () => {
      const submissions = client.submissions.export("form_1", {}, { signal: controller.signal });
      for await (const _ of submissions) controller.abort(new Error("enough"));
    },
    { message: "enough" },
  );
});

test("a caller that takes its time with a line does not run into the deadline", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const written = Promise.withResolvers<ServerResponse>();
  const client = await clientOf(
    t,
    async (_, response) => {
      await write(response, [bytes]);
      written.resolve(response);
    },
    { timeoutMilliseconds: 20 },
  );
  const submissions = client.submissions.export("form_1");
  await submissions.next();
  // Longer than the deadline: a timer left running fires now.
  t.mock.timers.tick(60);
  (await written.promise).end();
  assert.deepEqual(await collect(submissions), lines.slice(1));
});

test("a caller that leaves after the last line, which has no end, keeps no deadline running", async (t) => {
  const client = await clientOf(t, (_, response) => response.end(bytes.subarray(0, -1)));
  const running = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const submissions = client.submissions.export("form_1");
  for (const line of lines) assert.deepEqual((await submissions.next()).value, line);
  const before = running();
  await submissions.return(undefined);
  assert.equal(running(), before, "there is no timer left to end");
});

test("an export whose answers a proxy ends at the end of a line is whole, also where the proxy drops the header or the last submission is deleted meanwhile", async (t) => {
  const [one, two, three] = lines.map(({ id }) => id);
  for (const [header, deleted, asked] of [
    [three, undefined, [undefined, one, two]],
    [undefined, undefined, [undefined, one, two, three]],
    [three, three, [undefined, one, two]],
  ] as const) {
    const after: (string | undefined)[] = [];
    const client = await clientOf(t, (request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://localhost");
      assert.equal(searchParams.get("to"), "5");
      after.push(searchParams.get("after") ?? undefined);
      const stored = lines.filter(({ id }) => id !== deleted || after.length === 0);
      const [next] = stored.slice(stored.findIndex(({ id }) => id === after.at(-1)) + 1);
      if (header !== undefined && next !== undefined) response.setHeader("sealpost-last-submission", header);
      response.end(next === undefined ? "" : `${JSON.stringify(next)}\n`);
    });
    const found = await collect(client.submissions.export("form_1", { to: 5 }));
    assert.deepEqual(found, lines.slice(0, deleted === undefined ? 3 : 2));
    assert.deepEqual(after, asked);
  }
});

test("an export from a server that begins again and again is refused", async (t) => {
  const client = await clientOf(t, (_, response) => response.end(bytes));
  await assert.rejects(collect(client.submissions.export("form_1")), {
    code: "unexpected_answer",
    message: `The server gave ${lines[0]?.id} twice`,
  });
});

/** A service with the lines, behind a proxy that ends the first `cut` answers after so many lines. Asked as in the first part. */
async function throughProxy(
  t: TestContext,
  { after, cut, answers, deleted = [] }: { after: number; cut: number; answers: number; deleted?: readonly number[] },
) {
  let asked = 0;
  const client = await clientOf(t, (request, response) => {
    asked++;
    const { searchParams } = new URL(request.url ?? "", "http://localhost");
    const start = lines.findIndex(({ id }) => id === searchParams.get("after")) + 1;
    const stored = lines.filter((_, index) => index >= start && !(asked > 1 && deleted.includes(index)));
    const [last] = stored.slice(-1);
    if (last !== undefined) response.setHeader("sealpost-last-submission", last.id);
    const sent = asked <= answers ? stored.slice(0, cut) : stored;
    response.end(sent.map((line) => `${JSON.stringify(line)}\n`).join(""));
  });
  const query = after === 0 ? {} : { after: lines[after - 1]?.id ?? "" };
  return client.submissions.export("form_1", query);
}

for (let after = 0; after <= lines.length; after++)
  for (let cut = 0; cut <= lines.length; cut++)
    test(`an export after ${after} submissions is whole where a proxy ends the first answer after ${cut} lines, and also where the others are deleted by then`, async (t) => {
      const expected = lines.slice(after);
      assert.deepEqual(await collect(await throughProxy(t, { after, cut, answers: 1 })), expected);
      const deleted = lines.map((_, index) => index).slice(after + cut);
      const found = await collect(await throughProxy(t, { after, cut, answers: 1, deleted }));
      assert.deepEqual(found, expected.slice(0, cut));
    });

for (let after = 0; after <= lines.length; after++)
  test(`an export after ${after} submissions that a proxy always ends before its first line is no whole one`, async (t) => {
    const found = collect(await throughProxy(t, { after, cut: 0, answers: Number.POSITIVE_INFINITY }));
    if (after === lines.length) assert.deepEqual(await found, []);
    else await assert.rejects(found, { code: "unexpected_answer", message: /ended twice before its first line/ });
  });
