import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { createFormStore } from "../forms/form-store.ts";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { createIngest } from "./ingest.ts";
import { createSubmissionStore } from "./submission-store.ts";

/** A form with two submissions that somebody has seen, and a way for a third to come. */
interface Scene {
  readonly service: TestService;
  readonly account: TestAccount;
  readonly formId: FormId;
  /** Their ids, the newest last. */
  readonly seen: readonly string[];
  /** The third comes, and is answered; gives its id. */
  readonly arrive: () => Promise<string>;
}

type Show = (scene: Scene) => Promise<void>;

/** How a submission comes with a time before that of one that was listed already. */
const arrivals = {
  "was dated before it had to wait": async (service, account, formId, clock) => {
    const found = await createFormStore(service.database).find(account.id as AccountId, formId);
    assert.ok(found);
    const receivedAt = clock.now();
    clock.advance(5);
    return async () => {
      const submissions = createSubmissionStore(service.database);
      const ingest = createIngest({ database: service.database, submissions, wakeDeliveries() {} });
      const id = createId("submission", receivedAt);
      const payload = { version: "plain1" as const, fields: {} };
      const content = { formId, id, keyVersion: 1, payload, timestamp: receivedAt, receivedAt };
      assert.equal((await ingest(content, found.form)).outcome, "created");
      return id;
    };
  },
  "came when the clock was set back": async (service, _account, formId, clock) => async () => {
    clock.advance(-hourMilliseconds);
    return postPlain(service, formId);
  },
  "came in the same millisecond": async (service, _account, formId) => () => postPlain(service, formId),
} satisfies Readonly<
  Record<
    string,
    (
      service: TestService,
      account: TestAccount,
      formId: FormId,
      clock: ReturnType<typeof createFakeClock>,
    ) => Promise<() => Promise<string>>
  >
>;

const submissionsOf = (formId: string) => `/api/forms/${formId}/submissions`;

async function ask({ account }: Pick<Scene, "account">, method: string, path: string, body?: unknown) {
  const answer = await account.request(method, path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** Ids that a program finds that reads from the newest on, page by page, until it meets a known one. */
async function readUntilKnown(scene: Scene, path: string, known: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor = ""; ; ) {
    const { submissions, nextCursor } = await ask(scene, "GET", `${path}?limit=1${cursor}`);
    for (const { id } of submissions) {
      if (known.includes(id)) return found;
      found.push(id);
    }
    if (nextCursor === null) return found;
    cursor = `&cursor=${nextCursor}`;
  }
}

async function exportIds(scene: Scene, query: string): Promise<readonly string[]> {
  const lines: string = await ask(scene, "GET", `${submissionsOf(scene.formId)}/export?${query}`);
  return lines
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
}

/** The first moment after the newest that a list shows. */
async function afterNewest(scene: Scene, path: string, member: "receivedAt" | "binnedAt"): Promise<number> {
  const { submissions } = await ask(scene, "GET", `${path}?limit=1`);
  return submissions[0][member] + 1;
}

const toBin = (scene: Scene, ids: readonly string[]) =>
  ask(scene, "POST", `${submissionsOf(scene.formId)}/bin`, { ids });

/** For each operation that continues after, or removes up to, something that was seen: a submission that comes then is there afterwards. */
const shown: Readonly<Record<string, Show>> = {
  async listSubmissions(scene) {
    const path = submissionsOf(scene.formId);
    const from = await afterNewest(scene, path, "receivedAt");
    const late = await scene.arrive();
    assert.deepEqual(await readUntilKnown(scene, path, scene.seen), [late]);
    const { submissions, total } = await ask(scene, "GET", `${path}?from=${from}`);
    assert.deepEqual([submissions.map(({ id }: { id: string }) => id), total], [[late], 1]);
    assert.equal((await ask(scene, "GET", `${path}?to=${from - 1}`)).total, scene.seen.length);
  },
  async exportSubmissions(scene) {
    const from = await afterNewest(scene, submissionsOf(scene.formId), "receivedAt");
    const late = await scene.arrive();
    assert.deepEqual(await exportIds(scene, `after=${scene.seen.at(-1)}`), [late]);
    assert.deepEqual(await exportIds(scene, `from=${from}`), [late]);
    assert.deepEqual(await exportIds(scene, `to=${from - 1}`), scene.seen);
  },
  async deleteSubmissions(scene) {
    const path = submissionsOf(scene.formId);
    const before = await afterNewest(scene, path, "receivedAt");
    const late = await scene.arrive();
    const { deleted } = await ask(scene, "DELETE", `${path}?confirm=DELETE_SUBMISSIONS&before=${before}`);
    assert.equal(deleted.submissionsDeleted, scene.seen.length);
    assert.deepEqual(await readUntilKnown(scene, path, []), [late]);
  },
  async binSubmissions(scene) {
    const path = submissionsOf(scene.formId);
    const before = await afterNewest(scene, path, "receivedAt");
    const late = await scene.arrive();
    assert.equal((await ask(scene, "POST", `${path}/bin`, { before })).binned.submissionsBinned, scene.seen.length);
    assert.deepEqual(await readUntilKnown(scene, path, []), [late]);
  },
  async listBin(scene) {
    await toBin(scene, scene.seen);
    const late = await scene.arrive();
    await toBin(scene, [late]);
    assert.deepEqual(await readUntilKnown(scene, `${submissionsOf(scene.formId)}/bin`, scene.seen), [late]);
  },
  async emptyBin(scene) {
    const path = `${submissionsOf(scene.formId)}/bin`;
    await toBin(scene, scene.seen);
    const before = await afterNewest(scene, path, "binnedAt");
    // Nothing in the bin says any more when it was moved there.
    await ask(scene, "POST", `${path}/restore`, { ids: scene.seen });
    const late = await scene.arrive();
    await toBin(scene, [late]);
    const { deleted } = await ask(scene, "DELETE", `${path}?confirm=EMPTY_BIN&before=${before}`);
    assert.equal(deleted.submissionsDeleted, 0);
    assert.deepEqual(await readUntilKnown(scene, path, []), [late]);
  },
  async exportAuditLog(scene) {
    const lines = async (query = "") =>
      ((await ask(scene, "GET", `/api/audit-log/export${query}`)) as string)
        .split("\n")
        .slice(1, -1)
        .map((line) => JSON.parse(line));
    const before = await lines();
    const late = await scene.arrive();
    await toBin(scene, [late]);
    const after = await lines(`?after=${before.at(-1).sequence}`);
    // The reads of the scenes before are counted at the end of an hour, and an export is named again after a clock was set back.
    const own = ["submissions.read_counted", "audit_log.exported"];
    const actions = after.map(({ action }) => action).filter((action) => !own.includes(action));
    assert.deepEqual(actions, ["submissions.binned"]);
  },
};

/** The others that take a moment or a place in a list, and why nothing is missed by it or removed. */
const harmless: Readonly<Record<string, string>> = {
  getMemberList: "continues from the number of an entry, and the numbers have no gaps",
  getKeyLog: "continues after the number of an entry, and the numbers have no gaps",
  setFormHold: "until when a hold lasts: no place in a list",
  shortenAuditLog: "up to the number of an entry that was exported, with its hash",
  listAuditEntries: "pages go down from the newest; what follows is continued by exportAuditLog",
  listDeliveries: "pages go down from the newest, and entries come when their first attempt ends",
  listEnvelopeRevisions: "pages go down from the newest by their numbers, which have no gaps but where one was deleted",
  listForms: "pages go down from the newest",
  listFailedEmails: "pages go down from the newest",
  listInstanceAccounts: "pages of a list that is no sequence in time",
  listInstanceLog: "pages go down from the newest",
  listInstanceOrganizations: "pages of a list that is no sequence in time",
};

const places = ["after", "before", "cursor", "from", "since", "to", "until"];

/** The operations of the API document that take a moment, or a place in a list. */
async function listOperations(service: TestService): Promise<readonly string[]> {
  const { body: document } = await service.request("GET", "/api/openapi.json");
  const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((item) => Object.values(item));
  return operations
    .filter((operation) => {
      const query = (operation.parameters ?? []).map(({ name }) => name);
      const body = JSON.stringify(operation.requestBody ?? {});
      return places.some((place) => query.includes(place) || body.includes(`"${place}":`));
    })
    .map(({ operationId }) => operationId);
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: unknown;
}

test("every operation that takes a moment or a place in a list is among these", async (t) => {
  const service = await createTestService(t);
  const known = [...Object.keys(shown), ...Object.keys(harmless)];
  assert.deepEqual((await listOperations(service)).toSorted(), known.toSorted());
});

for (const [way, prepare] of Object.entries(arrivals))
  test(`whatever was seen before, a submission that ${way} is neither missed nor removed with it`, async (t) => {
    const clock = createFakeClock(Date.now());
    const service = await createTestService(t, { clock, deliveries: silentWebhooks });
    const account = await service.signUp();
    const scenes = [];
    // All forms first: by a clock that is set back later, the sign-in was not within the last hour.
    for (const [operation, show] of Object.entries(shown))
      scenes.push({ operation, show, formId: await createForm(account, { encryption: false }) });
    for (const { operation, show, formId } of scenes) {
      await t.test(operation, async () => {
        const arrive = await prepare(service, account, formId, clock);
        const seen = [await postPlain(service, formId), await postPlain(service, formId)];
        await show({ service, account, formId, seen, arrive });
      });
    }
  });

test("a submission that is dated after the clock is sent to the webhook at once", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const formId = await createForm(await service.signUp(), { encryption: false, webhookUrl });
  await postPlain(service, formId);
  clock.advance(-hourMilliseconds);
  await postPlain(service, formId);
  const rows = await service.database.selectFrom("delivery").select("created_at").orderBy("created_at").execute();
  assert.deepEqual(
    rows.map(({ created_at }) => created_at - clock.now()),
    [0, hourMilliseconds],
  );
});
