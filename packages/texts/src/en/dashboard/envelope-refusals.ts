export interface RefusalText {
  readonly title: string;
  readonly hint: string;
  /** The hint for people who may not rotate keys. */
  readonly hintOthers?: string;
}

const askOperator =
  "Change nothing for now, and ask the person who runs the server. If you have key files, they open everything as before.";
const reload =
  "Load the page again. If it stays like this, ask the person who runs the server. If you have key files, they open everything as before.";

const update =
  "Load the page again: it may be older than the program that wrote this. If it stays like this, ask the person who runs the server to update it.";

/** Why a list of members was not accepted, and what to do. Nothing was sealed to anybody in it. */
export const listRefusals = {
  malformed: { title: "The list of members that the server shows is damaged", hint: reload },
  not_signed: {
    title: "An entry in the list of members was not signed by anybody who may do that",
    hint: `Somebody may have changed a member's key. ${askOperator}`,
  },
  not_allowed: {
    title: "An entry in the list of members was made by somebody who may not make it",
    hint: askOperator,
  },
  forked: {
    title: "The server shows another list of members than you have seen before",
    hint: `This browser, or another device of yours, has seen it. Only new entries may be added to it, and here earlier ones are different. After a restored backup that happens where somebody adds to the list before a browser has given back what was lost. ${askOperator}`,
  },
  other_organization: { title: "The server shows the list of members of another organization", hint: reload },
  broken_chain: {
    title: "Entries of the list of members are missing or in another order",
    hint: askOperator,
  },
  old_list: {
    title: "The server shows an older list of members than you have seen before",
    hint: `This browser, or another device of yours, has seen a newer one. Somebody who was removed may be in it. If the server was restored from a backup, that is why: a browser that has the newer entries, and belongs to an owner, gives them back once it is opened. ${askOperator}`,
  },
  not_vouched: {
    title: "Nothing in the list of members is signed with your key",
    hint: "Ask an owner or a manager to bring you in, on their Members page. If you have key files, they open everything as before.",
  },
  unknown_extension: {
    title: "The list of members was continued by a newer program, in a way that this page does not know",
    hint: update,
  },
  hidden_list: {
    title: "The server shows no list of members, but you have seen one before",
    hint: `If the server was restored from a backup, that is why: an owner's browser that has seen the list gives it back once it is opened. ${askOperator}`,
  },
  wrong_head: {
    title: "The server shows something else than your other devices have signed about the list of members",
    hint: `This browser has seen no list yet, and takes none by that. Open the page on a device that you have used before, or ask an owner or a manager to bring you in again, on their Members page. ${askOperator}`,
  },
  lost_list: {
    title: "The server took the list of members, but does not show it",
    hint: "Nothing was sealed, and nothing is lost. Try again; if it stays like this, ask the person who runs the server.",
  },
  own_key_differs: {
    title: "The list of members has another key under your name",
    hint: "If you have made a new key, ask an owner or a manager to bring you in again, on their Members page. If you have not, ask them who changed it.",
  },
};

/** Why a link that brings somebody in, or its answer, was not accepted, and what to do. Nobody was given anything. */
export const admissionRefusals = {
  ended: { title: "This link has ended", hint: "It works for 7 days. Ask for a new one." },
  used: {
    title: "This link was used, or is no longer needed",
    hint: "Since it was made, the list of members has changed for this person; or somebody was taken out of it, or has a lesser role, who could come back with a link for an address. If the person is not in it with their present key, make a new link.",
  },
  wrong_link: {
    title: "This link is not complete, or is for something else than the server shows",
    hint: "Copy all of it, and open it again. If that does not help, ask the person who sent it for a new one.",
  },
  wrong_words: {
    title: "These are not the six words of an invitation that is for you",
    hint: "Compare each word with the other screen, also how it is written. If they are the same there, ask for new ones: somebody may have made others in the meantime.",
  },
  slow_clock: {
    title: "The clock of this device is slow, or that of the device on which the link was made was fast",
    hint: "The link ends more than 7 days from now by this clock. Set both clocks and try again, or ask for a new link.",
  },
  wrong_answer: {
    title: "The answer was not made with your link",
    hint: "Somebody else may have given it, or the server changed it. Nobody was brought in. Ask the person by phone whether they have opened the link, and make a new one.",
  },
} satisfies Readonly<Record<string, RefusalText>>;

/** Why an envelope was not opened, and what to do. None of its keys is used. */
export const envelopeRefusals = {
  ...listRefusals,
  ...admissionRefusals,
  malformed: { title: "The envelope that the server shows is damaged", hint: reload },
  not_signed: {
    title: "The envelope was not signed by anybody in the list of members",
    hint: `Its keys are not used. ${askOperator}`,
  },
  not_allowed: {
    title: "The envelope was written by a member who may not write it",
    hint: `Its keys are not used. ${askOperator}`,
  },
  forked: {
    title: "The server shows another envelope than this browser has seen",
    hint: `Only a newer one that continues it may take its place, and this one does not continue it. ${askOperator}`,
  },
  old_list: {
    title: "The envelope was written with an older list of members than the one before it",
    hint: askOperator,
  },
  not_a_reader: {
    title: "This form's envelope is not for your key",
    hint: "You are not among its readers. Ask an owner or a manager who reads this form to add you. If you have a key file of it, that opens everything as before.",
  },
  other_form: {
    title: "The server shows the envelope of another form, or of other key versions",
    hint: reload,
  },
  unknown_list: {
    title: "The envelope was written with a list of members that the server does not show",
    hint: reload,
  },
  name_missing: {
    title: "The name of somebody for whom this would be sealed is missing",
    hint: "The service does not show the name that was signed for them, or shows another one. Nothing was sealed. Load the page again; if it stays, an owner gives them a name again, or ask the person who runs the server.",
  },
  wrong_readers: {
    title: "The readers of the envelope are not those in the list of members",
    hint: `Somebody may be a reader whom nobody added. ${askOperator}`,
  },
  old_revision: {
    title: "The server shows an older envelope than this browser has seen",
    hint: `If the server was restored from a backup, that is why. ${askOperator}`,
  },
  wrong_revision: {
    title: "The envelope has another number than the server says",
    hint: `Its keys are not used. ${askOperator}`,
  },
  other_previous: {
    title: "The envelope follows another one than this browser has seen",
    hint: "What came before it could not be used here, and may have taken its writer out of the readers. Nothing is sealed for its readers until an owner changes the readers, or you bring back what you could read.",
  },
  taken_out: {
    title: "You may not write this form's envelope, although you can open it",
    hint: "You are not among those who read the form when it was last sealed, or an entry of the list of members has taken you out since, and you were let in again. Nobody would accept what you seal. Ask an owner, or a manager who reads the form, to make you a reader again, under Keys.",
  },
  unconfirmed: {
    title: "Nobody vouches for the key of one of the readers any longer",
    hint: "The person who brought them in has left. Ask them for their key, and confirm it on the Members page, or remove it there; then try again. Nothing was sealed.",
  },
  unknown_key_log: {
    title: "The form's keys name an entry of a key log that the server does not show",
    hint: "They open submissions as before, and nothing is changed after them. The person who wrote them made the entry up, or the server hides it: ask both. If an owner says that they gave the log up, accept that under Keys. If it was made up, bring back what was before it.",
  },
  old_key_log: {
    title: "The envelope was written with an older key log than the one before it, or with none",
    hint: askOperator,
  },
  wrong_key: {
    title: "A key in the envelope is not the one that it is said to be",
    hint: `None of its keys is used. ${askOperator}`,
  },
  key_missing: {
    title: "The envelope lacks a key of the form",
    hint: `Its other keys open submissions, and nothing follows it. Bring back what was there before, here or where the form was opened before; key files open what this envelope would not. ${askOperator}`,
  },
  hidden_envelope: {
    title: "The server shows no envelope, but this browser has seen one",
    hint: "Somebody may have taken the form back to key files: the audit log says so. If nobody did, ask the person who runs the server. If you have key files, they open everything as before.",
  },
  former_writer: {
    title: "Somebody who may no longer write the envelope has written it last",
    hint: "They have left, or have another key or role by now, and have chosen keys or readers that this browser has not seen. On the page Keys of the form, look at these, ask the person named there, and say whether they are right; nothing is sealed here until then. If a key in it is theirs, what visitors send now may be readable for them: take the form off your page, and rotate its keys.",
    hintOthers:
      "They have left, or have another key or role by now, and have chosen keys or readers that this browser has not seen. Ask an owner or a manager of your organization to look at it.",
  },
  moved_form: {
    title: "The server shows this form in another organization than this browser has seen it in",
    hint: "Put no key into it here: other people read in this organization. If the form was handed over, accept it under Keys. If nobody did that, ask the person who runs the server.",
  },
  unknown_extension: {
    title: "The envelope was written by a newer program, in a way that this page does not know",
    hint: update,
  },
  lost_envelope: {
    title: "The server took the envelope, but does not show it",
    hint: "Save the key as a file now. Visitors can send already, and the file opens everything.",
  },
  wrong_secret: { title: "This does not open the key", hint: reload },
  other_key: { title: "This is another key than the one known as yours", hint: reload },
};
