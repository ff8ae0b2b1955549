import { formatList as listed } from "../formats.ts";
import { counted, plural } from "../plurals.ts";

const askOperator = "Ask who runs the server. Pages that name the key log send nothing that does not fit it.";

export const keyLog = {
  title: "Key log",
  intro:
    "A public list of this form's keys, each signed by somebody whom the one before names. A page that names an entry accepts every key that continues it, so a rotation needs no new snippet.",
  link: "How key logs work",
  none: "This form has no key log. Pages name its key by the fingerprint, and need a new snippet with each rotation.",
  signersToBe:
    "Your key signs its entries, and those of the owners and managers in the list of members, and of its recovery keys. Managers sign rotations alone.",
  lockedForm: "Unlock the form's newest key first, above: you sign that it is yours.",
  begin: "Begin a key log",
  begun: "The key log has begun. The snippets on the page Embed name it now.",
  noKey: "Signing an entry needs a personal key: make one under Your key.",
  locked: "Unlock your personal key, above, to sign an entry.",
  state: (entry: number, version: number) => `Entry ${entry}, key version ${version}`,
  written: "written ",
  pin: "Newest entry, for the option keyLog",
  strangers: (count: number) =>
    `${counted(count, { one: "key", other: "keys" })} that may sign the next entry ${plural(count, { one: "is", other: "are" })} of nobody whom this browser knows in this role`,
  strangersHint:
    "Anyone who has such a key can continue this log with a key of their own, and pages that name this entry would send to that: so no snippet names it. If you know them, unlock your personal key above, or bring them into the list of members. If not, sign a new entry without them, or give the log up and begin another; then revoke the API keys that nobody needs.",
  strangersLabel: "Keys that nobody here vouches for",
  incomplete: (count: number) =>
    `The newest entry leaves out ${counted(count, { one: "owner, or recovery key, of", other: "owners, or recovery keys, of" })} the list of members`,
  incompleteHint:
    "Somebody may have wanted them out: so no snippet names this entry. An owner whom it names signs a new entry, or an owner gives the log up.",
  signers: (owners: readonly string[], managers: readonly string[], others: number) =>
    [
      ...(owners.length === 0 ? [] : [`Sign every entry, and say who else signs: ${listed(owners)}.`]),
      ...(managers.length === 0 ? [] : [`Sign rotations: ${listed(managers)}.`]),
      ...(others === 0
        ? []
        : [`${counted(others, { one: "key that may sign is", other: "keys that may sign are" })} in no list here.`]),
    ].join(" "),
  managerSigns:
    "Your key signs the rotations of this form. Who signs is changed by an owner whom the newest entry names.",
  snippets: "The snippet is on the page Embed.",
  outdated: (names: readonly string[], others: number) =>
    `${listed([...names, ...(others === 0 ? [] : [counted(others, { one: "other key", other: "other keys" })])])} may sign the next entry, and ${plural(names.length + others, { one: "has", other: "have" })} no such role in the list of members by now`,
  outdatedHint:
    "An owner takes them out: a new entry names the owners and managers that the list of members has now. Then renew the snippets of your pages.",
  missing: (names: readonly string[]) => `${listed(names)} can't sign the next entry yet`,
  missingHint:
    "They are owners or managers in the list of members, or its recovery keys, and the newest entry does not name them so.",
  renew: "Sign a new entry",
  renewed: (entry: number) =>
    `Entry ${entry} names who may sign now. Renew the snippet of every page that names an earlier entry: somebody who was taken out could still continue the log for such a page, together with a server that lies.`,
  failed: "The key log could not be changed",
  notSigner:
    "The newest entry does not name your key in a role that may do this. Ask an owner whom it names; where nobody is left, an owner gives the log up.",
  notHeld:
    "The newest key in this log is not open here, so nothing says that the log is the form's: the server could have made it up. It is neither signed nor named by a snippet. Unlock the form's keys; if its newest key is not among them, rotate the form, or give the log up.",
  refused: {
    hidden:
      "The server shows no key log for this form, and this browser has seen one, or the form's envelope names one",
    old: "The server shows an older key log than this browser has seen, or than the form's envelope names",
    forked: "The server shows another key log than this browser has seen, or than the form's envelope names",
    not_signed: "An entry of this form's key log is not signed by somebody who may",
    other_form: "The server shows the key log of another form",
    malformed: "This form's key log is damaged",
    broken_chain: "Entries of this form's key log are missing or in another order",
    not_allowed: "An entry of this form's key log says more than its signer may",
    unknown_extension: "This form's key log was continued by a newer program, in a way that this page does not know",
  },
  refusedHint: askOperator,
  nothingChanged:
    "Nothing was changed. Ask who runs the server; if an owner says that they gave the log up, accept that under Keys first.",
  moved:
    "The server shows this form in another organization than this browser has seen it in, whose owners and managers would sign for it. Ask who runs the server. Where you know that it was handed over, accept that above first.",
  otherKey: "The server names another key for this form than the newest entry of its key log",
  otherKeyHint: `No snippet is made with it. ${askOperator}`,
  accept: "The log was given up: accept that…",
  acceptTitle: "Accept another key log?",
  acceptIntro:
    "Only if an owner of your organization says that they gave the log up. This browser then forgets the log that it has seen, and goes by the one that the server shows now. Pages that name it need a new snippet.",
  acceptSubmit: "Accept",
  giveUp: "Give the key log up…",
  giveUpTitle: "Give the key log up?",
  giveUpIntro:
    "Every page that names it sends nothing from then on, until it has another snippet. It is meant for a log whose next entry nobody can sign any more.",
  giveUpSubmit: "Give it up",
  givenUp: "The key log was given up. Put another snippet on every page that names it.",
  givenUpNamed:
    "Other devices do not know yet that it was given up: managers can't rotate this form before an owner has done so.",
  rotateLocked:
    "This form has a key log: unlock your personal key, which signs the entry of the new key. Then pages that name the log need nothing new.",
  rotateIntro:
    "Your personal key signs the new key's entry in the key log. Pages that name the log need no new snippet.",
  notNamed: "The snippet names the fingerprint, and not the key log",
  notNamedHint: (count: number) =>
    `${counted(count, { one: "key", other: "keys" })} that may sign the log's next entry ${plural(count, { one: "is", other: "are" })} of nobody whom this browser knows in this role. Unlock your personal key there, or see who they are:`,
  incompleteShort:
    "The log's newest entry leaves out an owner, or a recovery key, of the list of members. See who signs:",
  notNamedLink: "Keys of this form",
  unchecked: "It could not be checked who may sign the key log, so the snippet does not name it",
  embed: "Accept whatever key continues the key log",
  embedHint:
    "A rotation then needs no new snippet. The page loads a somewhat larger script, which checks the signatures.",
  embedReact: "In a bundle, import @sealpost/embed/key-log once.",
} as const;
