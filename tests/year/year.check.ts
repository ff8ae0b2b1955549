import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { checkPage, keepPicture } from "../support/check-page.ts";
import { type Council, startCouncil } from "./council.ts";
import { type Councillor, heading, makeKey, meet, readEverything, signIn, signInHere, unlock } from "./councillor.ts";
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

// `npm run test:year`: the first month of a works council's year. Each person has a phone, 390 × 844, and does only what its pages offer.

const names = [
  "Bo Castillo",
  "Cy Demir",
  "Dee Eriksen",
  "Eve Farkas",
  "Finn Gruber",
  "Gus Horvat",
  "Hana Ito",
] as const;
const [bo, cy, , _eve, _finn, _gus] = names;

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

  const find = (name: string): Councillor => others.find((other) => other.name === name) ?? assert.fail(name);
});
