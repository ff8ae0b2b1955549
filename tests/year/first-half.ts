import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage } from "../support/check-page.ts";
import { type Councillor, heading, makeKey, meet, readEverything, signIn, signInHere } from "./councillor.ts";
import {
  answerLink,
  finish,
  followMenu,
  invite,
  joinByInvitation,
  makeForm,
  makeLink,
  makeRecoveryKey,
  signInWithKey,
} from "./flows.ts";
import { finger, keyboard } from "./hands.ts";
import { assertClosed, readEntries, takeAlong } from "./outsider.ts";
import { bo, cy, eve, founder, newcomers, type Year } from "./year.ts";

/** January to June: a council is founded and joined, and one leaves it. */
export function playFirstHalf(year: Year): void {
  const { council, people, forms } = year;

  test("January: by keyboard alone the founder makes an account, a key, two forms and the organization's recovery key in three sheets", async () => {
    const ada = await meet(council, founder, keyboard);
    people.set(founder, ada);
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
    year.recoverySheets.push(...(await makeRecoveryKey(council, ada)));
    await hands.follow(page, "Forms");
    forms.push(await makeForm(ada, "Night shift"));
    for (const form of forms) await council.send(form, `The oldest of ${form.name}`, "May I see my file?");
    await page.reload();
    await readEverything(council, ada, forms);
    await checkPage(page, "the founder reads");
  });

  test("a week later seven join, each by a link of their own, and read everything from the oldest on; a link is dead after seven days", async () => {
    await council.passDays(8);
    const ada = year.find(founder);
    ada.hands = finger;
    await signInWithKey(council, ada);
    const joining: Councillor[] = [];
    for (const name of newcomers) {
      const person = await meet(council, name, name === bo ? keyboard : finger);
      await joinByInvitation(council, person, await invite(ada, person, name === bo ? "Manager" : "Reader", forms));
      joining.push(person);
    }
    for (const person of joining) {
      people.set(person.name, person);
      if (person.name === cy) continue;
      await answerLink(council, person, await makeLink(ada, person));
      await finish(ada, person, forms.length);
      await readEverything(council, person, forms, "open");
    }
    const late = year.find(cy);
    const link = await makeLink(ada, late);
    await council.passDays(8);
    await signInWithKey(council, ada);
    await late.device.goto(link);
    await signInHere(late);
    await late.device.getByText("This link does not work with this account").waitFor();
    await checkPage(late.device, "a link that has ended");
    await answerLink(council, late, await makeLink(ada, late));
    await finish(ada, late, forms.length);
    await readEverything(council, late, forms, "open");
    await checkPage(late.device, "the last of seven reads");
    await followMenu(ada, "Members");
    await ada.device.getByText("Since Jan 13, 2025").waitFor();
    assert.equal(await ada.device.getByText("Since Jan 21, 2025").count(), newcomers.length);
    await checkPage(ada.device, "eight members");
  });

  test("March: a manager makes a form, and lets the founder read it", async () => {
    await council.passDays(45);
    const manager = year.find(bo);
    const { device: page, hands } = manager;
    await signInWithKey(council, manager);
    await hands.follow(page, "Forms");
    const form = await makeForm(manager, "Grievances");
    await hands.follow(page, "Keys");
    await hands.press(page, "Change readers");
    await hands.choose(page, /Ada Brandt/);
    await checkPage(page, "a manager chooses readers");
    await hands.press(page, "Seal for these readers");
    await page.getByText("1 form was changed.").waitFor();
    await page.keyboard.press("Escape");
    forms.push(form);
    for (const each of forms) await council.send(each, `March: ${each.name}`);
    await year.everyoneReads();
  });

  test("June: one leaves; the forms get new keys, and what is sealed from then on stays closed to anyone who left, no matter what the server shows", async () => {
    await council.passDays(80);
    const [ada, leaver] = [year.find(founder), year.find(eve)];
    await signIn(leaver);
    const loot = await takeAlong(council, leaver, forms.slice(0, 2));
    await signInWithKey(council, ada);
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
    await leaver.device.reload();
    await leaver.device.getByText("You no longer belong to this organization").waitFor();
    await checkPage(leaver.device, "who has left");
    people.delete(eve);
    const entries = await readEntries(council, ada);
    assert.ok(
      entries.slice(0, -1).every((entry) => entry.startsWith("2025-01 ")),
      entries.join("\n"),
    );
    assert.match(entries.at(-1) ?? "", /^2025-06 remove /);
    await year.everyoneReads();
  });
}
