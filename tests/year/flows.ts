import assert from "node:assert/strict";
import { untilFocused } from "../dashboard/dashboard.ts";
import { checkPage } from "../support/check-page.ts";
import type { Council } from "./council.ts";
import {
  type Councillor,
  heading,
  makeKey,
  type PaperSheet,
  plugPrinterIn,
  signIn,
  takeSheets,
  unlock,
} from "./councillor.ts";

// Stages of the year, each by what the pages offer.

export interface CouncilForm {
  readonly id: string;
  readonly name: string;
}

export async function followMenu({ device, hands }: Councillor, item: string): Promise<void> {
  await hands.press(device, "Account menu");
  await hands.pick(device, item);
}

/** On the page of the own key, which is open then. */
export async function signInWithKey(council: Council, person: Councillor): Promise<void> {
  await signIn(person);
  await followMenu(person, "Your key");
  await unlock(council, person);
}

/** Makes a form that the maker alone reads, and the recovery key where there is one. */
export async function makeForm({ device: page, hands }: Councillor, name: string): Promise<CouncilForm> {
  await hands.follow(page, /^(Create your first form|New form)$/);
  await hands.type(page, "Name", name);
  await hands.press(page, "Create form");
  await page.getByText("Waiting for the first submission").waitFor();
  const id = /form_\w+/.exec(page.url())?.[0] ?? assert.fail(page.url());
  return { id, name };
}

/** Three sheets of which two are enough; brought back by camera and by typing. */
export async function makeRecoveryKey(council: Council, maker: Councillor): Promise<readonly PaperSheet[]> {
  const { device: page, hands } = maker;
  await followMenu(maker, "Members");
  await hands.follow(page, "Recovery key");
  await hands.press(page, "Make the recovery key");
  await hands.choose(page, /^Several sheets/);
  await checkPage(page, "one sheet or several");
  await hands.press(page, "Continue");
  await untilFocused(heading(page, "Print the 3 recovery sheets"));
  await plugPrinterIn(page);
  await hands.press(page, "Print the sheets");
  const sheets = await takeSheets(page);
  assert.equal(sheets.length, 3);
  await hands.press(page, "I have all sheets on paper");
  await untilFocused(heading(page, "Show that the paper works"));
  await bringSheets(council, maker, sheets.slice(1));
  await untilFocused(heading(page, "Everything is ready"));
  await hands.press(page, "Add the recovery key");
  await untilFocused(heading(page, "The recovery key is there"));
  await hands.press(page, "Update all forms");
  await page.getByText("1 form was changed.").waitFor();
  await checkPage(page, "the recovery key is there");
  await hands.press(page, "Finish");
  return sheets;
}

/** The first by camera, the second typed. */
export async function bringSheets(
  council: Council,
  { device: page, hands }: Councillor,
  [first = assert.fail(), second = assert.fail()]: readonly PaperSheet[],
): Promise<void> {
  await council.camera.show(council.blank, first.photo);
  await hands.press(page, "Scan the sheet");
  await page.getByText("One more is needed.").waitFor();
  for (const [index, line] of second.lines.entries()) await hands.type(page, `Line ${index + 1}`, line);
  await hands.press(page, "Take this sheet");
}

/** Gives the link of an invitation, which the inviter passes on. */
export async function invite(
  inviter: Councillor,
  { email }: Councillor,
  role: "Manager" | "Reader",
  forms: readonly CouncilForm[],
): Promise<string> {
  const { device: page, hands } = inviter;
  await followMenu(inviter, "Members");
  await hands.press(page, "Invite somebody");
  await hands.type(page, "Email address", email);
  await hands.choose(page, new RegExp(`^${role}`));
  if (role === "Reader") for (const { name } of forms) await hands.choose(page, name);
  // The key comes in by a link of its own, once they have one.
  await page.getByLabel("Bring their key in with it").uncheck();
  await hands.press(page, "Make the invitation");
  const link = await page
    .getByRole("dialog")
    .getByText(/\/invitation#/)
    .innerText();
  await hands.press(page, "I have copied it");
  return link.trim();
}

/** An account by the link of the invitation, and a key of their own, with the sheet on paper. */
export async function joinByInvitation(council: Council, person: Councillor, link: string): Promise<void> {
  const { device: page, hands, name } = person;
  await page.goto(link);
  await heading(page, /^Join “/).waitFor();
  await hands.type(page, "Your name", name);
  await hands.type(page, "Password", person.password);
  await hands.press(page, "Create account and join");
  await heading(page, "Forms").waitFor();
  await followMenu(person, "Your key");
  await hands.press(page, "Make your key");
  await makeKey(council, person);
}

/** Gives the link that brings somebody in; those who are in already have another key by now. */
export async function makeLink(inviter: Councillor, { name }: Councillor, isIn = false): Promise<string> {
  const { device: page, hands } = inviter;
  await hands.follow(page, /^Forms$/);
  await followMenu(inviter, "Members");
  if (isIn) await page.getByText("Somebody has another key now").click();
  await hands.press(page, new RegExp(`^(Bring in|New link): ${name}$`));
  const dialog = page.getByRole("dialog");
  await hands.press(dialog, "By a messenger: make a link");
  const link = await dialog.getByText(/\/join#/).innerText();
  await checkPage(page, `the link for ${name}`);
  await hands.press(page, "I have passed it on");
  return link.trim();
}

export async function answerLink(council: Council, person: Councillor, link: string): Promise<void> {
  const { device: page, hands, name } = person;
  await page.goto("about:blank"); // a link that is tapped loads its page, also where only what follows its # is another
  await page.goto(link);
  await page.getByText("Invited by").waitFor();
  await unlock(council, person);
  await checkPage(page, `the link before ${name}`);
  await hands.press(page, "Send my public key");
  await page.getByText("Your public key is on its way").waitFor();
}

/** Looks at the answer, signs, and seals the forms that are ticked: those that the service lets them reach. */
export async function finish(inviter: Councillor, { name, email }: Councillor, formCount: number): Promise<void> {
  const { device: page, hands } = inviter;
  // The page says by itself that there is an answer.
  await hands.press(page, `Look and bring in: ${name}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${name} (${email}) has answered with the link.`).waitFor();
  await checkPage(page, `${name} has answered`);
  await hands.press(dialog, "Bring in");
  await dialog.getByText(`${name} is in the signed list.`).first().waitFor();
  await hands.press(dialog, "Seal for them");
  await dialog.getByText(`${formCount} ${formCount === 1 ? "form was" : "forms were"} changed.`).waitFor();
  await checkPage(page, `${name} is brought in`);
  await page.keyboard.press("Escape");
}
