import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { checkPage, keepPicture } from "../support/check-page.ts";
import { type Council, startCouncil } from "./council.ts";
import {
  arrive,
  type Councillor,
  heading,
  makeKey,
  meet,
  readEverything,
  signIn,
  signInHere,
  unlock,
} from "./councillor.ts";
import {
  answerLink,
  type CouncilForm,
  finish,
  followMenu,
  invite,
  joinByInvitation,
  makeForm,
  makeLink,
  makeRecoveryKey,
} from "./flows.ts";
import { finger, keyboard } from "./hands.ts";
import { assertClosed, takeAlong } from "./outsider.ts";

// `npm run test:year`: the first half of a works council's year. Each person has a phone, 390 × 844, and does only what its pages offer.

const names = [
  "Bo Castillo",
  "Cy Demir",
  "Dee Eriksen",
  "Eve Farkas",
  "Finn Gruber",
  "Gus Horvat",
  "Hana Ito",
] as const;
const [bo, cy, , eve] = names;

describe("a council's year", () => {
  let council: Council;
  let ada: Councillor;
  /** All others who are members. */
  let others: readonly Councillor[] = [];
  const forms: CouncilForm[] = [];

  before(async () => {
    council = await startCouncil();
  });
  after(() => council.close());
  // Each month needs those before it.
  let isBroken = false;
  beforeEach(() => assert.ok(!isBroken, "an earlier month has failed"));
  afterEach(async (t) => {
    isBroken ||= "passed" in t && t.passed === false;
    if (isBroken) for (const { device, name } of [ada, ...others]) await keepPicture(device, `failed ${name}`);
    assert.deepEqual(council.dashboard.complaints, []);
  });

  test("January: by keyboard alone the founder makes an account, a key, two forms and the organization's recovery key in three sheets", async () => {
    ada = await meet(council, "Ada Brandt", keyboard);
    const { device: page, hands } = ada;
    await page.goto(`/setup?token=${council.dashboard.service.setupToken}`);
    await hands.type(page, "Your name", ada.name);
    await hands.type(page, "Email address", ada.email);
    await hands.type(page, "Password", ada.password);
    await hands.press(page, "Create account");
    await heading(page, "Create your first form").waitFor();
    await followMenu(ada, "Your key");
    await hands.press(page, "Make your key");
    await makeKey(council, ada, "camera");
    await hands.follow(page, "Forms");
    forms.push(await makeForm(ada, "Questions to the council"));
    await makeRecoveryKey(council, ada);
    await hands.follow(page, "Forms");
    forms.push(await makeForm(ada, "Night shift"));
    for (const form of forms) await council.send(form, `The oldest of ${form.name}`, "May I see my file?");
    await page.reload();
    await readEverything(council, ada, forms);
    await checkPage(page, "the founder reads");
  });

  test("a week later seven join, each by a link of their own, and read everything from the oldest on; a link is dead after seven days", async () => {
    await council.passDays(8);
    await signIn(ada);
    ada = { ...ada, hands: finger };
    await followMenu(ada, "Your key");
    await unlock(council, ada);
    for (const name of names) {
      const person = await meet(council, name, name === bo ? keyboard : finger);
      await joinByInvitation(council, person, await invite(ada, person, name === bo ? "Manager" : "Reader", forms));
      others = [...others, person];
    }
    for (const person of others) {
      if (person.name === cy) continue;
      await answerLink(council, person, await makeLink(ada, person));
      await finish(ada, person, forms.length);
      await readEverything(council, person, forms, "open");
    }
    const late = await makeLink(ada, find(cy));
    await council.passDays(8);
    await signIn(ada);
    await followMenu(ada, "Your key");
    await unlock(council, ada);
    const { device } = find(cy);
    await device.goto(late);
    await signInHere(find(cy));
    await device.getByText("This link does not work with this account").waitFor();
    await checkPage(device, "a link that has ended");
    await answerLink(council, find(cy), await makeLink(ada, find(cy)));
    await finish(ada, find(cy), forms.length);
    await readEverything(council, find(cy), forms, "open");
    await checkPage(device, "the last of seven reads");
    await followMenu(ada, "Members");
    await checkPage(ada.device, "eight members");
  });

  test("March: a manager makes a form, and lets the founder read it", async () => {
    await council.passDays(45);
    const person = find(bo);
    const { device: page, hands } = person;
    await signIn(person);
    await followMenu(person, "Your key");
    await unlock(council, person);
    await hands.follow(page, "Forms");
    const form = await makeForm(person, "Grievances");
    await hands.follow(page, "Keys");
    await hands.press(page, "Change readers");
    await hands.choose(page, /Ada Brandt/);
    await checkPage(page, "a manager chooses readers");
    await hands.press(page, "Seal for these readers");
    await page.getByText("1 form was changed.").waitFor();
    await page.keyboard.press("Escape");
    forms.push(form);
    for (const each of forms) await council.send(each, `March: ${each.name}`);
    await everyoneReads();
  });

  test("June: one leaves; the forms get new keys, and what is sealed from then on stays closed to anyone who left, no matter what the server shows", async () => {
    await council.passDays(80);
    await signIn(find(eve));
    const loot = await takeAlong(council, find(eve), forms.slice(0, 2));
    await signIn(ada);
    await followMenu(ada, "Your key");
    await unlock(council, ada);
    await followMenu(ada, "Members");
    const { device: page, hands } = ada;
    await hands.press(page, `Remove: ${eve}`);
    await hands.press(page.getByRole("dialog"), "Remove");
    const dialog = page.getByRole("dialog", { name: /^Take .* out of what is sealed$/ });
    await hands.press(dialog, "Rotate the keys of 2 forms");
    await dialog.getByText("2 of 2 forms have new keys.").waitFor();
    await checkPage(page, "one has left");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.getByText("can still be a reader of sealed forms").count(), 0);
    await checkPage(page, "seven members");
    const from = council.ledger.length;
    for (const form of forms) await council.send(form, `June: ${form.name}`);
    await assertClosed(council, loot, ada, forms.slice(0, 2), from);
    const { device } = find(eve);
    await device.reload();
    await device.getByText("You no longer belong to this organization").waitFor();
    await checkPage(device, "who has left");
    others = others.filter(({ name }) => name !== eve);
    await everyoneReads();
  });

  test("nothing is lost: the service has every submission that it accepted", async () => {
    const rows = await council.dashboard.service.database.selectFrom("submission").select("id").execute();
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), council.ledger.map(({ id }) => id).toSorted());
  });

  const find = (name: string): Councillor => others.find((other) => other.name === name) ?? assert.fail(name);

  /** Each member in their own browser. */
  async function everyoneReads(): Promise<void> {
    for (const person of [ada, ...others]) {
      await arrive(person);
      await readEverything(council, person, person === ada || person.name === bo ? forms : forms.slice(0, 2));
    }
  }
});
