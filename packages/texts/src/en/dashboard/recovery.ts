import { counted, plural } from "../plurals.ts";
import { listRefusals } from "./envelope-refusals.ts";

const sheets = (count: number) => counted(count, { one: "sheet", other: "sheets" });
const sentenceOf = ({ title, hint }: { readonly title: string; readonly hint: string }) => `${title}. ${hint}`;

export const recovery = {
  /** In the list of members. */
  memberName: "Recovery key",
  key: {
    title: "Your key is needed",
    none: "For this you need a key of your own.",
    make: "Make your key",
    locked: "Unlock your key first: it opens and signs what is done here.",
  },
  page: {
    intro:
      "A key of your organization on paper, and nowhere else. It opens every form, and makes an owner when all owners have lost their keys.",
    more: "About the recovery key",
    none: "There is no recovery key yet",
    noneIntro: "Without one, forms whose readers have all lost their keys stay closed for good.",
    make: "Make the recovery key",
    there: "The recovery key is there",
    signs: "Reads every form that has taken it as a reader, and can make an owner.",
    readsOnly: "Reads every form that has taken it as a reader. It can't make an owner: replace it.",
    remove: "Remove",
    replace: "Replace it",
    replaceHint: "With other numbers of sheets, when one is lost, or when somebody may have seen enough of them.",
    removeTitle: "Remove the recovery key?",
    removeHint:
      "Its sheets open nothing that is sealed after the forms have taken another key: rotate their keys for that. If it is the only one, nothing on paper opens your forms any more.",
    useTitle: "Use the sheets",
    useIntro: "When the owners have lost their keys. You need the whole sheet, or as many of the sheets as open.",
    use: "Recover with the sheets",
  },
  unfinished: {
    title: "The recovery key was not finished",
    hint: "It was put into the list of members, and the page was closed before it had signed there. On a device that has nothing but the paper it would be refused. Bring its sheets once, or replace it if you don't have them.",
    finish: "Finish with the sheets",
  },
  rule: {
    title: "Require a recovery key",
    intro:
      "Then no form gets its keys sealed for readers while your organization has no recovery key, and the last one can't be removed.",
    on: "Your organization requires a recovery key.",
    off: "Your organization does not require it.",
    offWithout:
      "Your organization does not require one. Make the recovery key first: until then no form could be created.",
    require: "Require it",
    stop: "Stop requiring it",
  },
  split: {
    title: "One sheet, or several?",
    intro: "Anyone who has the whole key on paper reads everything and can become an owner.",
    whole: "One sheet",
    wholeHint: "Simple. Keep it in a safe: it alone is enough.",
    several: "Several sheets, of which some are enough",
    severalHint: "One goes to each of several people. Fewer than you choose say nothing about the key.",
    of: "Sheets",
    needed: "Enough to open",
    ofError: (most: number) => `Must be a number from 2 to ${most}.`,
    neededError: (most: number) => `Must be a number from 2 to ${most}.`,
  },
  make: {
    steps: ["Sheets", "Print", "Prove", "Add"],
    stepLabel: (step: number, count: number, name: string) => `Step ${step} of ${count}: ${name}`,
    printTitle: (count: number) =>
      plural(count, { one: "Print the recovery sheet", other: `Print the ${count} recovery sheets` }),
    printIntro: (count: number) =>
      plural(count, {
        one: "It is shown only now, and nothing has been sent.",
        other:
          "Each is printed on a page of its own, for another person. They are shown only now, and nothing has been sent.",
      }),
    print: (count: number) => plural(count, { one: "Print the sheet", other: "Print the sheets" }),
    byHand: "No printer? Write the lines down",
    byHandIntro:
      "Copy them to paper by hand, with your organization's name and the date. A picture of this screen is no sheet: it lies where others can read it.",
    sheetOf: (place: number, of: number) => `Sheet ${place} of ${of}`,
    kept: (count: number) => plural(count, { one: "I have the sheet on paper", other: "I have all sheets on paper" }),
    printFirst: "Print first, or write the lines down.",
    proveTitle: "Show that the paper works",
    proveIntro: (needed: number) =>
      plural(needed, {
        one: "Hold the sheet's code before the camera, or type its four lines from the paper.",
        other: `Bring ${needed} of the sheets back, any of them: hold their codes before the camera, or type their five lines from the paper.`,
      }),
    foreign: "This is a recovery sheet, but not the one that was just made here.",
    keepTitle: "Everything is ready",
    keepIntro:
      "Now the public half of the recovery key is added to your organization's list of members, signed with your key. The key itself is not sent.",
    keep: "Add the recovery key",
    finish: "Finish",
    doneTitle: "The recovery key is there",
    doneIntro:
      "Forms that you create from now on are sealed for it too. The forms that there are have to take it once.",
    leave: {
      title: "Leave without the recovery key?",
      hint: "The sheets that you have seen become worthless: next time there are others.",
      leave: "Leave",
    },
    leaveUnsure: {
      title: "Leave before it is known?",
      hint: "The recovery key may be in the list of members already. Keep the sheets, and look at this page again to see whether it is.",
      leave: "Leave",
    },
  },
  sheet: {
    title: "Recovery sheet of an organization",
    shareTitle: (place: number, of: number) => `Recovery sheet ${place} of ${of}`,
    intro:
      "It opens every form of the organization, and makes an owner. Anyone who has this sheet can read everything. Keep it in a safe.",
    shareIntro: (needed: number) =>
      `${needed} of these sheets together open every form of the organization, and make an owner. One sheet alone opens nothing. Keep it apart from the others.`,
    organization: "Organization",
    id: "Id",
    server: "Server",
    date: "Made on",
    code: "The sheet as a code to scan",
    how: "To use it: an owner signs in, opens Members, then Recovery key, and chooses “Recover with the sheets”. Without the server, the opener takes it. Spaces and upper or lower case don't matter, and each line checks itself.",
  },
  sweep: {
    none: "There are no forms yet.",
    intro: (count: number) =>
      `${counted(count, { one: "form", other: "forms" })} can take it as a reader now, as far as you read them. Forms that have it already are not changed.`,
    start: "Update all forms",
    done: "This browser has updated all forms that you read.",
    again: "Look through the forms again",
  },
  input: {
    which: "What is on the paper?",
    kinds: {
      organization: "Four lines: one sheet is the whole key",
      share: "Five lines: one of several sheets",
    },
    take: "Take this sheet",
    restart: "Begin again with other sheets",
    taken: (place: number, missing: number) =>
      `Sheet ${place} is taken. ${plural(missing, { one: "One more is needed.", other: `${sheets(missing)} more are needed.` })}`,
    twice: (place: number) => `Sheet ${place} was taken already: bring another one.`,
    refused: {
      other_set:
        "This sheet belongs to another set than the one before. Sheets of a key that was replaced are of no use here.",
      differing:
        "This sheet has the number of one that was taken already, and says something else: one of the two is from another set, or wrong. Compare it with the paper, or bring another one.",
      damaged:
        "These sheets make no key together: one of them is from another set, or was written down wrong. Bring another one, or begin again.",
    },
    other: {
      personal: "This is the recovery sheet of a person. Bring that of your organization, which has its name on it.",
      organization: "This sheet has four lines and is the whole key: choose “Four lines”.",
      share: "This is one of several sheets: choose “Five lines”.",
    },
  },
  use: {
    intro:
      "For an owner who has lost their key, and has a new one: with the sheets you become an owner of the signed list again, and read all forms.",
    owners: "Only an owner can do this",
    ownersHint: "Ask an owner of the organization, or the person who runs the server if there is none left.",
    bring: "Bring the sheets",
    bringIntro: "What is on them stays in this browser: it is not sent.",
    confirm: "Become an owner of the list",
    confirmIntro: (owners: readonly string[]) =>
      `The sheets are right. The signed list of members now names as owners: ${owners.join(", ")}.`,
    before: (name: string) => `It knows you as ${name}: your new key takes the place of the one that is in it.`,
    emails: "All owners are notified by email that the recovery key was used.",
    become: "Become an owner",
    members: "Do you know these people?",
    membersIntro:
      "This browser has seen no list of members of this organization before. Somebody who has left could have continued an old one, with the server's help. These are in the one that it shows:",
    membersKnown: "I know these owners and members, and nobody is missing whom I expect here",
    membersUnknown: "Say whether you know them. If you don't, stop here, and compare the list with a colleague.",
    done: "You are an owner with your new key",
    doneIntro: "Now the forms take your key as a reader: they are opened with the sheets, one after the other.",
    rotate:
      "Was your former key stolen, or could somebody have a copy? Rotate the keys of these forms, on the Keys page of each: what is sealed from then on is closed to that copy.",
    toForms: "See your forms",
    refused: {
      ...(Object.fromEntries(
        Object.entries(listRefusals).map(([reason, refusal]) => [reason, sentenceOf(refusal)]),
      ) as Record<keyof typeof listRefusals, string>), // one for each
      foreign:
        "These sheets are right, but they are not those of this organization's recovery key: it was replaced, or belongs to another one. Bring the sheets of the present one.",
      reads_only: "This recovery key can't make an owner: it only reads. Open what is exported with the opener.",
      no_list: "This organization has no list of members yet, so there is nothing to recover.",
      not_vouched:
        "The list of members that the server shows has never been signed with this recovery key, so that this browser can't tell whether it is the right one. Use a browser in which somebody has opened a form before, or the opener.",
    },
  },
};
