import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  deriveRecoveryKey,
  entriesMax,
  findListRoom,
  generatePersonalKey,
  generateSheet,
  type ListHead,
  openPlaces,
  RefusalError,
} from "@sealpost/envelope";
import { formatTime, noExtensions } from "@sealpost/wire";
import { listRoomOf } from "../../packages/dashboard/src/admissions/list-room.ts";
import { answerStanding } from "../../packages/dashboard/src/envelopes/answer-standing.ts";
import { beginPart, findPartQuestion } from "../../packages/dashboard/src/envelopes/begin-part.ts";
import { changeList } from "../../packages/dashboard/src/envelopes/change-list.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { findUnfinished } from "../../packages/dashboard/src/envelopes/unfinished.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import { becomeOwner, checkRecovery, needsPart } from "../../packages/dashboard/src/recovery/recover.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  equip,
  findList,
  makeAdaWithForm,
  openBrowserOf,
  type Person,
  recordRequests,
  rememberHead,
} from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import {
  makePerson,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "./played-envelopes.ts";
import { tabTo } from "./tab-to.ts";

test("owners read that the list fills up from 80 % of the places for everybody on, others once they may not change it; owners alone get the button", () => {
  const entries = (count: number) => "content\nsignature\n".repeat(count);
  const soon = Math.ceil(0.8 * openPlaces);
  const expected = [
    [0, false, false],
    [soon - 1, false, false],
    [soon, true, false],
    [openPlaces - 1, true, false],
    [openPlaces, true, true],
    [4031, true, true],
    [4032, true, true],
    [entriesMax - 1, true, true],
    [entriesMax, true, true],
  ] as const;
  for (const [count, owners, others] of expected) {
    assert.equal(listRoomOf(entries(count), true) !== undefined, owners, `${count} entries`);
    const said = listRoomOf(entries(count), false);
    assert.equal(said !== undefined, others, `${count} entries`);
    if (said !== undefined) assert.match(said, /An owner makes room/);
  }
  assert.equal(listRoomOf(undefined, true), undefined);
});

describe("another part, against a server made of functions", () => {
  let ada: PlayedPerson;
  let bo: PlayedPerson;
  let cleo: PlayedPerson;
  let server: PlayedServer;
  /** Browsers of the founder and of the second owner. */
  let [first, second]: EnvelopeContext[] = [];
  const names = (members: readonly { readonly name: string | undefined }[]) => members.map(({ name }) => name);

  before(async () => {
    const people = await Promise.all(["Ada", "Bo", "Cleo"].map(makePerson));
    [ada = assert.fail(), bo = assert.fail(), cleo = assert.fail()] = people;
  });
  beforeEach(async () => {
    server = playServer();
    first = openBrowser(server, ada);
    await findOrFoundList(first);
    for (const [person, role] of [
      [bo, "owner"],
      [cleo, "reader"],
    ] as const)
      server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
    second = openBrowser(server, bo);
    await second.heads.advanceList(organizationId, undefined, (await loadCheckedList(first)).list.head);
  });

  test("the second owner is asked about the founder alone, vouches for them, and by them for everybody", async () => {
    const context = second ?? assert.fail();
    const question = await findPartQuestion(context);
    assert.deepEqual([names(question.rows.map(({ member }) => member)), question.following], [["Ada"], 1]);
    const steps: number[] = [];
    const answers = question.rows.map((row) => [row, "known"] as const);
    const begun = await beginPart(context, question, answers, (done) => steps.push(done));
    assert.deepEqual(begun, { kind: "begun", members: 3, left: [] });
    assert.deepEqual(steps, [1, 2, 3]);
    for (const one of [first, second]) {
      const { list, sealable } = await loadCheckedList(one ?? assert.fail());
      assert.equal(sealable.size, 3);
      assert.equal(findListRoom(list).left, entriesMax - 4, "three members, and Bo's word for Ada");
    }
    // Nobody is asked about anybody by the founder's own part before.
    assert.deepEqual((await findPartQuestion(second ?? assert.fail())).rows, []);
  });

  test("what the owner can't say changes nobody's standing where all parts are, and nothing is signed about these members", async () => {
    const context = second ?? assert.fail();
    const question = await findPartQuestion(context);
    const begun = await beginPart(
      context,
      question,
      question.rows.map((row) => [row, "unsure"] as const),
    );
    assert.ok(begun.kind === "begun");
    assert.deepEqual(names(begun.left), []);
    const { list, sealable } = await loadCheckedList(context);
    assert.equal(sealable.size, 3);
    assert.equal(findListRoom(list).left, entriesMax - 3);
  });

  test("anyone who is added before the part arrives is in it, and a change after which there is more to ask changes nothing", async () => {
    const context = second ?? assert.fail();
    const dan = await makePerson("Dan");
    const question = await findPartQuestion(context);
    const answers = question.rows.map((row) => [row, "known"] as const);
    let isLate = true;
    server.lies = {
      async beginPart(...parameters) {
        if (isLate) {
          isLate = false;
          const change = { change: "add", member: toMember(dan, "reader") } as const;
          server.list.push(await writeEntry(server.list.join(""), ada, change));
        }
        server.lies = {};
        return server.api.beginPart(...parameters);
      },
    };
    const begun = await beginPart(context, question, answers);
    assert.deepEqual(begun, { kind: "begun", members: 4, left: [] });

    // The founder's own entries about themself are nobody's word once they are not the one with whom the part begins.
    const asked = await findPartQuestion(first ?? assert.fail());
    assert.deepEqual(names(asked.rows.map(({ member }) => member)), ["Bo"]);
    const eve = await makePerson("Eve");
    const length = server.list.length;
    server.list.push(await writeEntry(server.list.join(""), bo, { change: "add", member: toMember(eve, "owner") }));
    server.list.push(await writeEntry(server.list.join(""), eve, { change: "remove", member: { id: bo.id } }));
    const late = await beginPart(first ?? assert.fail(), asked, []);
    assert.ok(late.kind === "to_ask");
    assert.ok(names(late.question.rows.map(({ member }) => member)).includes("Eve"));
    assert.equal(server.list.length, length + 2);
  });

  test("a part whose answer was lost, or that another owner has begun, is not begun again, and what was said of members is signed", async () => {
    const context = second ?? assert.fail();
    const question = await findPartQuestion(context);
    const answers = question.rows.map((row) => [row, "known"] as const);
    server.lies = {
      async beginPart(...parameters) {
        server.lies = {};
        await server.api.beginPart(...parameters);
        throw new TypeError("fetch failed");
      },
    };
    await assert.rejects(beginPart(context, question, answers), TypeError);
    const { length } = server.list;
    assert.deepEqual(await beginPart(context, question, answers), { kind: "begun", members: 3, left: [] });
    assert.equal(server.list.length, length + 1, "one word, and no other part");
    const begins = server.list.filter((entry) => entry.includes('"change":"begin"'));
    assert.equal(begins.length, 1);
  });

  test("a browser that ends at any request of a part, before the server has it or before the answer, is continued by another one: one part begins, with everybody vouched for", async () => {
    const agree = async (context: EnvelopeContext) => {
      const question = await findPartQuestion(context);
      return beginPart(
        context,
        question,
        question.rows.map((row) => [row, "known"] as const),
      );
    };
    const before = [...server.list];
    const head = (await loadCheckedList(first ?? assert.fail())).list.head;
    let moments = 0;
    for (let isOver = false; !isOver; moments++) {
      server.list = [...before];
      let requests = 0;
      const end = new Error("kill -9");
      const isNow = () => requests++ === moments;
      /** Nothing more happens in a browser that has ended. */
      const api = new Proxy(server.api, {
        get:
          (target, name: keyof typeof server.api) =>
          async (...parameters: readonly unknown[]) => {
            if (requests > moments || isNow()) throw end;
            const answer = await Reflect.apply(target[name], target, parameters);
            if (requests > moments || isNow()) throw end;
            return answer;
          },
      });
      const heads = createHeads(createMemoryStore());
      await heads.advanceList(organizationId, undefined, head);
      const ended = await agree(openBrowser({ ...server, api }, bo, heads)).catch((error: unknown) => error);
      isOver = ended !== end;
      // The same profile, and another one that has seen the list before the part.
      const seen = createHeads(createMemoryStore());
      await seen.advanceList(organizationId, undefined, head);
      const next = openBrowser(server, bo, moments % 2 === 0 ? heads : seen);
      const hasBegun = () => server.list.filter((entry) => entry.includes('"change":"begin"')).length;
      if (hasBegun() === 0) await agree(next);
      else {
        // The page reminds of what is left.
        const { unvouched } = await findUnfinished(next, await loadCheckedList(next), []);
        await answerStanding(
          next,
          [],
          unvouched.map((row) => [row, "known"]),
        );
      }
      assert.equal(hasBegun(), 1, `moment ${moments}`);
      const after = await loadCheckedList(next);
      assert.deepEqual([after.list.members.size, after.sealable.size], [3, 3], `moment ${moments}`);
    }
    assert.ok(moments > 10, "every request before and after it");
  });

  test("nobody but an owner of the list gets the question, and a list without a place says so", async () => {
    const reader = openBrowser(server, cleo);
    await reader.heads.advanceList(
      organizationId,
      undefined,
      (await loadCheckedList(first ?? assert.fail())).list.head,
    );
    await assert.rejects(
      findPartQuestion(reader),
      (error) => error instanceof RefusalError && error.reason === "not_allowed",
    );
    assert.equal(server.list.length, 3);
  });

  test("the paper begins another part with a new key, where the list takes no entry of it: everybody stays", async () => {
    const context = first ?? assert.fail();
    const sheets = await deriveRecoveryKey((await generateSheet("organization")).identity);
    assert.equal((await keepRecoveryKey(context, sheets, "Recovery key", [])).kind, "kept");
    const again = { ...ada, key: { ...(await generatePersonalKey()), former: [] } };
    const fresh = openBrowser(server, again);
    const checked = await checkRecovery(fresh, sheets);
    assert.ok(checked.kind === "ready" && !checked.isOwner && !needsPart(checked));
    const recovered = await becomeOwner(fresh, sheets, checked, true);
    assert.ok(recovered.kind === "checked");
    assert.deepEqual([...recovered.list.members.keys()].sort(), [...checked.list.members.keys()].sort());
    assert.equal(recovered.own.recipient, again.key.recipient);
    assert.ok(recovered.sealable.has(checked.recovery.id), "their word for the sheets");
    assert.ok(findListRoom(recovered.list).left > entriesMax - 7, "members, and that word");
    assert.equal((await loadList(context)).kind, "refused", "the lost key");
    for (const secret of [sheets.identity, sheets.signingSeed, again.key.identity, again.key.signingSeed])
      assert.ok(!server.sent.join("\n").includes(secret));
  });

  test("a list that takes nothing but removals any more says so where somebody changes it, and the paper needs a part", async () => {
    const context = first ?? assert.fail();
    server.list.push(...(await writeNotes(ada, (await loadCheckedList(context)).list.head, 4032 - server.list.length)));
    const dan = await makePerson("Dan");
    const adding = changeList(context, ({ list }) => {
      assert.equal(needsPart({ list }), true);
      return { change: "add", member: toMember(dan, "reader") };
    });
    await assert.rejects(adding, /nearly full/);
  });
});

/** Entries that change nothing and take places; nothing checks them here. */
async function writeNotes(by: PlayedPerson, { number, hash }: ListHead, count: number): Promise<readonly string[]> {
  const { signingKey } = await toSigner(by);
  const notes: string[] = [];
  let previous = hash;
  for (let place = number + 1; place <= number + count; place++) {
    const entry = {
      ...{ format: "sealpost-list/1", organizationId, number: place, previous, writtenAt: formatTime(Date.now()) },
      ...{ signedBy: by.id, change: "note", admission: null, ...noExtensions },
    };
    const line = JSON.stringify(entry);
    notes.push(await signLine("sealpost-list/1", line, signingKey));
    previous = createHash("sha256").update(line).digest("base64url");
  }
  return notes;
}

describe("another part, on the members page", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ({ ada } = await makeAdaWithForm(service));
    bo = await equip(service, await addPerson(service, ada.account, "bo@example.com", { role: "owner" }, "Bo Example"));
    await addToList(ada, bo, "owner");
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("on a phone, with the keyboard alone, the second owner makes room: the dialog says what that does, asks about the founder, and says when it is done", async () => {
    const page = sent.record(await openBrowserOf(bo, dashboard, phone));
    await rememberHead(page, ada.account.id, (await findList(ada)).head);
    // The notice counts entries, and checks nothing.
    const filled = "content\nsignature\n".repeat(Math.ceil(0.8 * openPlaces));
    await intercept(page, "**/api/member-list", (route) =>
      route.fulfill({ body: filled, contentType: "text/plain", headers: { etag: '"2458-made-up"' } }),
    );
    await page.goto("/members");
    await page.getByText(/^The signed list has 2,458 of 4,096 entries/).waitFor();
    await check(page, "a list that is filling up");
    await button(page, "Make room").focus();
    await page.keyboard.press("Enter");
    await page.unroute("**/api/member-list");
    const dialog = page.getByRole("dialog", { name: "Make room in the signed list" });
    await dialog.getByText("Unlock your key, to sign the part.").waitFor();
    await check(page, "a part, before the key is open");
    await unlockWithSheet(page, bo.own.sheet);
    await dialog.getByText("All 2 members stay, with their keys and roles").waitFor();
    const group = dialog.getByRole("group", { name: /^Ada Example/ });
    assert.ok(await group.getByRole("radio", { name: /^I can't say/ }).isChecked());
    await check(page, "a part, and whom to vouch for");
    await tabTo(page, group.getByRole("radio", { checked: true }));
    await page.keyboard.press("ArrowDown");
    assert.ok(await group.getByRole("radio", { name: /^I know them/ }).isChecked());
    await tabTo(page, button(dialog, "Make room"));
    await page.keyboard.press("Enter");
    const done = page.getByRole("dialog", { name: "There is room in the list" });
    await done.getByText("Another part has begun, with 2 members.").waitFor();
    await check(page, "a part has begun");
    await page.keyboard.press("Tab");
    await tabTo(page, button(done, "Close").last());
    await page.keyboard.press("Enter");
    await done.waitFor({ state: "detached" });
    await page.getByText(/^The signed list has/).waitFor({ state: "detached" });
    const newest = new TextDecoder().decode(await ada.client.memberList.get());
    assert.deepEqual(
      [...newest.matchAll(/"change":"(\w+)"/g)].map(([, change]) => change),
      ["begin", "carry", "vouch"],
    );
    const requests = sent.all();
    for (const secret of [bo.own.key.identity, bo.own.key.signingSeed]) assert.ok(!requests.includes(secret));
    await page.context().close();
  });
});
