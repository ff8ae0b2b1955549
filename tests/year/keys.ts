import type { Page } from "playwright-core";
import { checkPage, keepPart } from "../support/check-page.ts";
import type { Council } from "./council.ts";
import { type Councillor, heading, makeKey, openForm, signIn, unlock } from "./councillor.ts";
import { type CouncilForm, followMenu } from "./flows.ts";

// Stages of the year in which keys are lost, replaced and rotated.

/** They have another phone from now on; gives the one that is not theirs any more. */
export async function loseDevice(council: Council, person: Councillor): Promise<Page> {
  const { device } = person;
  person.device = await council.takeDevice();
  return device;
}

/** On the page of the own key, which is open. */
export async function replaceKey(council: Council, person: Councillor): Promise<void> {
  const { device: page, hands } = person;
  await hands.press(page, "Replace your key…");
  await checkPage(page, `${person.name} replaces a key`);
  await hands.press(page, "Make the new key");
  await makeKey(council, person);
}

/** The phone is gone, and so is the paper: on another phone they make a new key, which reads nothing yet. Gives the one that is gone. */
export async function loseEverything(council: Council, person: Councillor): Promise<Page> {
  const lost = await loseDevice(council, person);
  await signIn(person);
  await followMenu(person, "Your key");
  const { device: page, hands } = person;
  await hands.press(page, "Replace your key…");
  await checkPage(page, `${person.name} has lost everything`);
  await hands.press(page, "I can't unlock it: make a new key");
  await makeKey(council, person);
  return lost;
}

/** On the page of the own key; its words have turned up. */
export async function bringKeyBack(council: Council, person: Councillor): Promise<void> {
  const { device: page, hands } = person;
  await hands.press(page, "Bring it back");
  await checkPage(page, `${person.name} brings a key back`);
  await hands.press(page.getByRole("dialog"), "Bring it back");
  await page.getByText("The key is back.").waitFor();
  await checkPage(page, `the key of ${person.name} is back`);
  await unlock(council, person);
  await heading(page, "Your key is unlocked").waitFor();
}

/** On the page of members, by somebody who has heard of it from each of them. */
export async function acceptNewKeys({ device: page, hands }: Councillor, names: readonly string[]): Promise<void> {
  await hands.press(page, "Look through all forms");
  for (const name of names) await hands.choose(page, new RegExp(`^${name} has a new key, and I know it`));
  await checkPage(page, `new keys of ${names.join(" and ")} are accepted`);
  const dialog = page.getByRole("dialog");
  await keepPart(dialog, "keys-accepted");
  await hands.press(dialog, "Look through all forms");
  await dialog.getByText(/forms? (was|were) changed\./).waitFor();
  await dialog.getByText("Was a former key stolen").waitFor();
  await checkPage(page, `the forms take the keys of ${names.join(" and ")}`);
  await page.keyboard.press("Escape");
}

/** On the form's page of keys. */
export async function rotate(person: Councillor, form: CouncilForm, version: number): Promise<void> {
  const { device: page, hands } = person;
  await openForm(person, form);
  await hands.follow(page, "Keys");
  await hands.press(page, "Make the new key");
  await hands.press(page, `Rotate to version ${version}`);
  await page.getByText(`Version ${version} is now current`).waitFor();
  await checkPage(page, `${form.name} has a new key`);
  await keepPart(page.getByRole("status").filter({ hasText: "is now current" }), "keys-rotated");
}
