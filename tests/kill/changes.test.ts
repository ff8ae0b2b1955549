import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createClient } from "@sealpost/sdk";
import { openDatabase } from "../../packages/server/src/database/database.ts";
import { closeAtEnd } from "../../packages/server/src/testing/temporary-folder.ts";
import { createMadeUpEnvelope } from "../support/made-up-envelope.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import {
  type Change,
  type ChangeClient,
  checkShown,
  chooseChange,
  hasHappened,
  record,
  type ShownForm,
} from "./change-ledger.ts";
import { checkRows, countUnfinishedPurges } from "./check-rows.ts";
import { findInFlight } from "./in-flight.ts";
import { createKillEnvironment } from "./kill-environment.ts";

/** `npm run test:kill` runs thirty rounds; `npm test` sets three. */
const rounds = Number(process.env.SEALPOST_KILL_ROUNDS ?? 30);
const clientCount = 12;
/** Such a name never resolves: the deliveries stay in the queue. */
const webhookUrl = "https://nowhere.invalid/hook";

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the members
type Answer = { readonly status: number; readonly body: any };

test(`${rounds} times kill -9 among deletes, rotations and purges: what was answered holds, what was not is whole or absent`, async (t) => {
  const { dataFolder, environment } = await createKillEnvironment(t);
  let service = await startServiceProcess(environment);
  closeAtEnd(t, () => service.kill());
  const session = createClient({ baseUrl: service.url, token: await signUpForToken(service) });
  const { key: apiKey } = await session.apiKeys.create({ name: "Kill" });

  /** `undefined` when the service went before it answered. */
  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    try {
      const response = await fetch(`${service.url}/api/forms${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey.key}`,
          ...headers,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
      return { status: response.status, body: isJson ? JSON.parse(text) : text };
    } catch {
      return undefined;
    }
  }
  async function read(path: string): Promise<Answer> {
    return (await ask("GET", path)) ?? assert.fail(`no answer to ${path}`);
  }

  /** A form with an envelope wants an id that was reserved. */
  async function create({ name, modulus, hasEnvelope }: Extract<Change, { kind: "create" }>) {
    const publicKey = { kty: "RSA", n: modulus, e: "AQAB" };
    const body = { name, publicKey, settings: { encryption: false, webhookUrl } };
    if (!hasEnvelope) return ask("POST", "", body);
    const reserved = await ask("POST", "/reservations");
    return reserved?.status === 200
      ? ask("POST", "", { ...body, formId: reserved.body.formId, envelope: createMadeUpEnvelope() })
      : reserved;
  }

  /** With the next revision of the envelope, where the form has one. */
  async function rotate(formId: string, modulus: string) {
    const publicKey = { kty: "RSA", n: modulus, e: "AQAB" };
    const before = await ask("GET", `/${formId}/envelopes`);
    const [newest] = before?.body.envelopes ?? [];
    if (newest === undefined) return before && ask("POST", `/${formId}/rotate-keys`, { publicKey });
    const body = { publicKey, keyVersion: newest.revision + 1, envelope: createMadeUpEnvelope() };
    return ask("POST", `/${formId}/rotate-keys`, body, { "if-match": `"${newest.revision}-${newest.hash}"` });
  }

  function send(change: Change, formId: string): Promise<Answer | undefined> {
    switch (change.kind) {
      case "create":
        return create(change);
      case "post":
        return ask("POST", `/${formId}/submissions`, {
          id: change.id,
          payload: { encrypted: false, version: "plain1", fields: { id: change.id } },
        });
      case "delete":
        return ask("DELETE", `/${formId}/submissions/${change.ids[0]}`);
      case "delete several":
        return ask("POST", `/${formId}/submissions/delete`, { ids: change.ids });
      case "delete all":
        return ask("DELETE", `/${formId}/submissions?confirm=DELETE_SUBMISSIONS`);
      case "bin":
        return ask("POST", `/${formId}/submissions/bin`, { ids: change.ids });
      case "restore":
        return ask("POST", `/${formId}/submissions/bin/restore`, { ids: change.ids });
      case "empty bin":
        return ask("DELETE", `/${formId}/submissions/bin?confirm=EMPTY_BIN`);
      case "rotate":
        return rotate(formId, change.modulus);
      case "delete form":
        return ask("DELETE", `/${formId}?confirm=DELETE_FORM`);
      default:
        return change satisfies never;
    }
  }

  async function show(formId: string): Promise<ShownForm | undefined> {
    const found = await read(`/${formId}`);
    if (found.status === 404) return undefined;
    const exported = String((await read(`/${formId}/submissions/export`)).body);
    const { keys } = (await read(`/${formId}/keys`)).body;
    keys.sort((left: { version: number }, right: { version: number }) => left.version - right.version);
    const bin = (await read(`/${formId}/submissions/bin?limit=100`)).body;
    return {
      formId,
      binned: bin.submissions.map(({ id }: { id: string }) => id),
      binTotal: bin.total,
      submissions: exported.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).id])),
      total: (await read(`/${formId}/submissions?limit=1`)).body.total,
      submissionCount: found.body.form.submissionCount,
      keyVersion: (await read(`/${formId}/public`)).body.form.keyVersion,
      revisions: (await read(`/${formId}/envelopes`)).body.envelopes.map(
        ({ revision }: { revision: number }) => revision,
      ),
      moduli: keys.map(({ publicKey }: { publicKey: { n: string } }) => publicKey.n),
    };
  }

  const clients = Array.from({ length: clientCount }, (): ChangeClient => {
    return { form: undefined, unanswered: undefined, deletedForms: [] };
  });
  const counts = new Map<string, number>();
  let answered = 0;
  let happened = 0;

  /** One change; `false` when it was not answered. */
  async function change(client: ChangeClient): Promise<boolean> {
    const next = chooseChange(client);
    client.unanswered = next;
    const answer = await send(next, client.form?.formId ?? "");
    if (answer === undefined) return false;
    assert.ok(answer.status === 200 || answer.status === 201, `${next.kind}: ${JSON.stringify(answer)}`);
    if (next.kind === "bin") assert.equal(answer.body.binned.submissionsBinned, next.ids.length);
    if (next.kind === "restore") assert.equal(answer.body.restored.submissionsRestored, next.ids.length);
    if (next.kind === "delete all" || next.kind === "delete several" || next.kind === "empty bin")
      assert.equal(answer.body.deleted.submissionsDeleted, next.ids.length, next.kind);
    if (next.kind === "delete form")
      assert.equal(
        answer.body.deleted.submissionsDeleted,
        (client.form?.stored.size ?? 0) + (client.form?.binned.size ?? 0),
        next.kind,
      );
    record(client, next, answer.body.form?.id);
    client.unanswered = undefined;
    counts.set(next.kind, (counts.get(next.kind) ?? 0) + 1);
    answered += 1;
    return true;
  }

  async function check(client: ChangeClient): Promise<void> {
    const { unanswered } = client;
    if (unanswered !== undefined) {
      const shown = client.form && (await show(client.form.formId));
      const { forms } = (await read("?limit=100")).body;
      const named = unanswered.kind === "create" ? unanswered.name : "";
      const created = forms.find(({ name }: { name: string }) => name === named)?.id;
      if (hasHappened(unanswered, shown, created)) {
        record(client, unanswered, created);
        happened += 1;
      }
      client.unanswered = undefined;
    }
    if (client.form !== undefined) {
      checkShown(client.form, await show(client.form.formId));
      const late = [...client.form.deleted].at(-1);
      if (late !== undefined)
        assert.equal((await send({ kind: "post", id: late }, client.form.formId))?.status, 409, "a late retry");
    }
    for (const formId of client.deletedForms.slice(-2)) assert.equal((await read(`/${formId}`)).status, 404);
  }

  for (let round = 1; round <= rounds; round++) {
    const victim = service;
    // A random moment: right after one of the next 80 answers, while the other clients are in the middle of theirs.
    let untilKill = answered + 1 + Math.floor(Math.random() * 80) + (round === 1 ? 100 : 0);
    await Promise.all(
      clients.map(async (client) => {
        while (await change(client)) {
          if (answered < untilKill) continue;
          untilKill = Number.POSITIVE_INFINITY;
          victim.child.kill("SIGKILL");
        }
      }),
    );
    await victim.kill();
    await findInFlight(environment);
    service = await startServiceProcess(environment);
    await Promise.all(clients.map(check));
  }

  const database = openDatabase({ databaseUrl: environment.SEALPOST_DATABASE_URL, dataFolder });
  closeAtEnd(t, () => database.destroy());
  while ((await countUnfinishedPurges(database)) > 0) await setImmediate();
  await Promise.all(clients.map(check));
  await checkRows(database, clients);
  t.diagnostic(
    `${rounds} kills, ${answered} changes answered (${[...counts].map(([kind, count]) => `${kind} ${count}`).join(", ")}), ` +
      `${happened} happened without an answer, 0 lost, 0 came back, 0 half done`,
  );
});
