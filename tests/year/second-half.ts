import assert from "node:assert/strict";
import { test } from "node:test";
import { untilFocused } from "../dashboard/dashboard.ts";
import { checkPage, findButton, keepPart } from "../support/check-page.ts";
import { heading, readEverything, section, signIn, signInHere } from "./councillor.ts";
import { answerLink, bringSheets, finish, followMenu, makeLink, signInWithKey } from "./flows.ts";
import { keyboard } from "./hands.ts";
import { acceptNewKeys, bringKeyBack, loseDevice, loseEverything, replaceKey, rotate } from "./keys.ts";
import { assertClosed, findFormerKey, readEntries, restoreKey, takeAlong } from "./outsider.ts";
import { bo, cy, dee, eve, finn, founder, gus, newcomers, type Year } from "./year.ts";

/** August to December: a phone, a key and an owner are lost, and nothing with them. */
export function playSecondHalf(year: Year): void {
  const { council, forms } = year;

  test("August: a reader's phone is stolen; by camera the sheet opens everything on another, where the key is replaced; with new keys of the forms the thief reads no more", async () => {
    await council.passDays(60);
    const [reader, manager] = [year.find(finn), year.find(bo)];
    await signInWithKey(council, reader);
    const loot = await takeAlong(council, reader, forms.slice(0, 2));
    const stolen = await loseDevice(council, reader);
    const { device: page, hands } = reader;
    await signIn(reader);
    await followMenu(reader, "Account");
    await checkPage(page, "the session of the stolen phone");
    await keepPart(section(page, "Sessions"), "keys-stolen-phone");
    await hands.press(page, "End all others");
    await page.getByText("There is no other session.").waitFor();
    await stolen.goto("/");
    await heading(stolen, "Welcome back").waitFor();
    await readEverything(council, reader, forms.slice(0, 2), "camera");
    await followMenu(reader, "Your key");
    await replaceKey(council, reader);
    await hands.press(page, "Carry your forms over");
    await page.getByText("The list of members has your key.").waitFor();
    await page.getByText("Your forms open as before: the former key travels along.").waitFor();
    await page.getByText("ask them to rotate the keys of these forms as well").waitFor();
    await checkPage(page, "a reader carries over");
    await keepPart(section(page, "Your forms and the new key"), "keys-carried-over");

    await signInWithKey(council, manager);
    await followMenu(manager, "Members");
    await acceptNewKeys(manager, [finn]);
    for (const form of forms.slice(0, 2)) await rotate(manager, form, 3);
    const from = council.ledger.length;
    for (const form of forms) await council.send(form, `August: ${form.name}`);
    await assertClosed(council, loot, manager, forms.slice(0, 2), from);
    await year.everyoneReads();
  });

  test("September: a member who has lost everything makes a new key, is brought in once more, and reads everything", async () => {
    await council.passDays(40);
    const [ada, person] = [year.find(founder), year.find(dee)];
    await loseEverything(council, person);
    await checkPage(person.device, "somebody has to bring them in again");
    await signInWithKey(council, ada);
    await answerLink(council, person, await makeLink(ada, person, true));
    await finish(ada, person, 2);
    await readEverything(council, person, forms.slice(0, 2), "open");
  });

  test("October: a phone and its paper turn up on the twenty-ninth day, the key that was given up comes back and reads everything; on the thirty-first no former key does", async () => {
    const [finder, other] = [year.find(gus), year.find(dee)];
    const { words, sheet } = finder;
    const device = await loseEverything(council, finder);
    await council.passDays(29);
    Object.assign(finder, { device, words, sheet });
    await signIn(finder);
    await followMenu(finder, "Your key");
    await bringKeyBack(council, finder);
    await readEverything(council, finder, forms.slice(0, 2), "open");

    await signInWithKey(council, other);
    const { device: page } = other;
    await findButton(page, "Bring it back").waitFor();
    await checkPage(page, "a former key on the twenty-ninth day");
    const former = await findFormerKey(page);
    await council.passDays(2);
    await followMenu(other, "Sign out");
    await signInHere(other);
    await followMenu(other, "Your key");
    await heading(page, "Unlock your key").waitFor();
    assert.equal(await findButton(page, "Bring it back").count(), 0);
    assert.equal(await restoreKey(page, former), 404);
    await year.everyoneReads();
  });

  test("November: by keyboard the founder, who has lost everything, becomes an owner again with two of the three sheets, and reads everything", async () => {
    await council.passDays(30);
    const ada = year.find(founder);
    ada.hands = keyboard;
    await loseEverything(council, ada);
    const { device: page, hands } = ada;
    await followMenu(ada, "Members");
    await hands.follow(page, "Recovery key");
    await hands.follow(page, "Recover with the sheets");
    await heading(page, "Bring the sheets").waitFor();
    await hands.choose(page, /^Five lines/);
    await bringSheets(council, ada, year.recoverySheets.toReversed());
    await untilFocused(heading(page, "Become an owner of the list"));
    await checkPage(page, "become an owner by the sheets");
    await page.getByLabel("I know these owners and members").focus();
    await page.keyboard.press("Space");
    await hands.press(page, "Become an owner");
    // The lost key had brought them in, and somebody else could have had it.
    await page.getByText("Who reads on with your new key?").waitFor();
    await checkPage(page, "everybody whom the lost key had brought in");
    for (const known of await page.getByRole("radio", { name: /^I know them/ }).all()) {
      await known.focus();
      await page.keyboard.press("Space");
    }
    await hands.press(page, "Continue");
    await page.getByText("3 forms were changed.").waitFor();
    await page.getByText("Was your former key stolen").waitFor();
    await checkPage(page, "recovered by two sheets");
    await keepPart(page.locator(".card"), "keys-recovered");
    for (const form of forms) await council.send(form, `November: ${form.name}`);
    await readEverything(council, ada, forms, "open");
    await year.everyoneReads();
  });

  test("December: nothing is lost: the service has every submission that it accepted, each member reads them in their own browser, and the signed list has the year in order", async () => {
    await council.passDays(35);
    for (const form of forms) await council.send(form, `December: ${form.name}`);
    await year.everyoneReads();
    const rows = await council.dashboard.service.database.selectFrom("submission").select("id").execute();
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), council.ledger.map(({ id }) => id).toSorted());
    const recoveryKey = "Recovery key";
    assert.deepEqual(await readEntries(council, year.find(founder)), [
      `2025-01 add ${founder}, by ${founder}`,
      `2025-01 add ${recoveryKey}, by ${founder}`,
      `2025-01 replace ${founder}, by ${recoveryKey}`, // by which a device with nothing but the sheets trusts the list
      ...newcomers.filter((name) => name !== cy).map((name) => `2025-01 add ${name}, by ${founder}`),
      `2025-01 add ${cy}, by ${founder}`, // once his second link was answered
      `2025-06 remove ${eve}, by ${founder}`,
      `2025-08 replace ${finn}, by ${finn}`, // with the former key alone: on the new phone the list was for reading, and the new one vouches for nothing
      `2025-09 replace ${dee}, by ${founder}`,
      // Nothing of October: the list has never had the key that was given up again.
      `2025-11 replace ${founder}, by ${recoveryKey}`,
      `2025-11 vouch ${recoveryKey}, by ${founder}`,
      `2025-11 vouch ${newcomers
        .filter((name) => name !== eve)
        .toSorted()
        .join(", ")}, by ${founder}`,
    ]);
    await checkPage(year.find(founder).device, "the year's end");
  });
}
