import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import { type Database, openDatabase } from "../../packages/server/src/database/database.ts";
import { closeAtEnd } from "../../packages/server/src/testing/temporary-folder.ts";
import { createPlainForm, post, request } from "../postgres/processes.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { checkRows, countUnfinishedPurges } from "./check-rows.ts";
import { findInFlight, wasPurging } from "./in-flight.ts";
import { createKillEnvironment } from "./kill-environment.ts";

const thorough = Number(process.env.SEALPOST_KILL_ROUNDS ?? 30);
const rounds = Math.ceil(thorough / 3);
const clientCount = 8;
/** The submissions before each kill, to each form. */
const postsPerRound = 120;
const dayMilliseconds = 86_400_000;
/** Such a name never resolves: the deliveries stay in the queue. */
const webhookUrl = "https://nowhere.invalid/hook";

/** A form and its retention, by the answers that came. */
interface Kept {
  readonly formId: string;
  /** `null`: everything. */
  readonly days: number | null;
  /** How many days each stored submission is old. */
  readonly ages: Map<string, number>;
  readonly deleted: Set<string>;
  /** Posted and not answered: stored, or never. */
  readonly unanswered: Set<string>;
}

const isTooOld = ({ days }: Kept, age: number) => days !== null && age > days;

test(`kill -9 again and again while submissions are deleted for their age: what is younger stays, what is older goes, once and for good`, {
  skip: thorough <= 3 && "part of npm run test:kill",
}, async (t) => {
  const { dataFolder, environment } = await createKillEnvironment(t);
  let service = await startServiceProcess(environment);
  closeAtEnd(t, () => service.kill());
  const session = await signUpForToken(service);
  const created = await request(service, "POST", "/api/api-keys", { token: session, body: { name: "Kill" } });
  const token: string = created.body.key.key;
  const forms: Kept[] = [];
  for (const days of [1, 1, 3, null]) {
    const formId = await createPlainForm(service, token, { webhookUrl });
    forms.push({ formId, days, ages: new Map(), deleted: new Set(), unanswered: new Set() });
  }
  /** Says to each form again what it keeps, which has the purge look. `undefined` where the service went before it answered. */
  const setLimits = () =>
    Promise.all(
      forms.map(({ formId, days }) =>
        request(service, "PUT", `/api/forms/${formId}/retention`, { token, body: { days } }).catch(() => undefined),
      ),
    );
  await setLimits();

  /** Not kept open: the service is to be the first to open the folder after a kill. */
  async function onDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    const database = openDatabase({ databaseUrl: environment.SEALPOST_DATABASE_URL, dataFolder });
    return work(database).finally(() => database.destroy());
  }

  /** `false` when it was not answered. */
  async function postTo(form: Kept): Promise<boolean> {
    const id = createId("submission");
    form.unanswered.add(id);
    const payload = { encrypted: false, version: "plain1", fields: { id } };
    const answer = await post(service, form.formId, { id, payload }).catch(() => undefined);
    if (answer === undefined) return false;
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    form.unanswered.delete(id);
    form.ages.set(id, 0);
    return true;
  }

  async function postSome(): Promise<void> {
    for (let left = postsPerRound; left > 0; left -= clientCount)
      await Promise.all(
        forms.flatMap((form) => Array.from({ length: clientCount }, async () => assert.ok(await postTo(form)))),
      );
  }

  /** Until nothing is too old any more, nor half deleted. */
  async function settle(): Promise<void> {
    await onDatabase(async (database) => {
      const isOver = async () => {
        for (const { formId, days } of forms)
          if (days !== null && (await countOlder(database, formId, Date.now() - days * dayMilliseconds)) > 0)
            return false;
        return (await countUnfinishedPurges(database)) === 0;
      };
      while (!(await isOver())) await setImmediate();
    });
  }

  /** Holds what the service shows of a form to what was answered. */
  async function check(form: Kept): Promise<void> {
    const path = `/api/forms/${form.formId}`;
    const listed = new Set<string>();
    for (let cursor = ""; ; ) {
      const query = `limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { body } = await request(service, "GET", `${path}/submissions?${query}`, { token });
      for (const { id } of body.submissions) listed.add(id);
      if (body.nextCursor === null) {
        assert.equal(body.total, listed.size, `${form.formId}: the total`);
        break;
      }
      cursor = body.nextCursor;
    }
    for (const id of form.unanswered) if (listed.has(id)) form.ages.set(id, 0);
    form.unanswered.clear();
    for (const [id, age] of form.ages) {
      if (!isTooOld(form, age)) continue;
      form.ages.delete(id);
      form.deleted.add(id);
    }
    assert.deepEqual([...listed].sort(), [...form.ages.keys()].sort(), `${form.formId}, ${form.days} days`);
    const { body } = await request(service, "GET", path, { token });
    assert.equal(body.form.submissionCount, listed.size, `${form.formId}: submissionCount`);
    const late = [...form.deleted].at(-1);
    if (late === undefined) return;
    const payload = { encrypted: false, version: "plain1", fields: { id: late } };
    assert.equal((await post(service, form.formId, { id: late, payload })).status, 409, "a late retry");
  }

  let purging = 0;
  let kills = 0;
  // The kills are where chance has them. If it has missed the purge each time, there are more.
  while (kills < rounds || (purging === 0 && kills < 3 * rounds)) {
    await postSome();
    await onDatabase((database) => growOld(database, forms));
    const victim = service;
    // A random moment: right after one of the next 20 answers, while the purge is in the middle of what has grown old.
    let untilKill = 1 + Math.floor(Math.random() * 20);
    const limits = setLimits();
    await Promise.all(
      forms.flatMap((form) =>
        Array.from({ length: clientCount / 4 }, async () => {
          while (await postTo(form)) {
            untilKill -= 1;
            if (untilKill === 0) victim.child.kill("SIGKILL");
          }
        }),
      ),
    );
    await limits;
    await victim.kill();
    kills += 1;
    await findInFlight(environment);
    if (await wasPurging(environment)) purging += 1;
    service = await startServiceProcess(environment);
    await settle();
    for (const form of forms) await check(form);
  }

  const ledgers = forms.map(({ formId, ages, deleted }) => ({
    form: {
      ...{ formId, stored: new Set(ages.keys()), binned: new Set<string>(), deleted },
      ...{ moduli: [""], hasEnvelope: false },
    },
    unanswered: undefined,
    deletedForms: [],
  }));
  await onDatabase(async (database) => {
    await checkRows(database, ledgers);
    const actions = await database.selectFrom("audit_entry").select("action").distinct().execute();
    assert.ok(!actions.some(({ action }) => action === "submissions.deleted"), "nobody has asked for it");
  });
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
  assert.ok(forms.every(({ days, deleted }) => (days === null ? deleted.size === 0 : deleted.size > 0)));
  assert.ok(purging > 0, "no kill has met the purge at its work");
  t.diagnostic(
    `${kills} kills, ${purging} of them within a purge, ${sum(forms.map(({ deleted }) => deleted.size))} deleted for their age, ` +
      `${sum(forms.map(({ ages }) => ages.size))} kept, 0 lost, 0 came back, 0 notified twice`,
  );
});

async function countOlder(database: Database, formId: string, before: number): Promise<number> {
  const { count } = await database
    .selectFrom("submission")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("form_id", "=", formId)
    .where("received_at", "<", before)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Dates two thirds of what is new to days ago, as if the service had been standing for so long. */
async function growOld(database: Database, forms: readonly Kept[]): Promise<void> {
  for (const { formId, ages } of forms) {
    const fresh = [...ages].filter(([, age]) => age === 0).map(([id]) => id);
    for (const age of [0.9, 1.1, 2.9, 3.1]) {
      const ids = fresh.splice(0, Math.ceil(postsPerRound / 6));
      if (ids.length === 0) continue;
      await database
        .updateTable("submission")
        .set({ received_at: Date.now() - age * dayMilliseconds })
        .where("form_id", "=", formId)
        .where("id", "in", ids)
        .execute();
      for (const id of ids) ages.set(id, age);
    }
  }
}
