import { admissionRefusals, type RefusalText } from "./envelope-refusals.ts";

const callInviter =
  "Do not send your key. Call the person who invited you, ask whether they made this link, and have them make a new one.";
const otherList: RefusalText = {
  title: "The server shows other members than the link was made with",
  hint: `Somebody may be between you and your organization. ${callInviter}`,
};
const newLink = "Make a new link for this person. If it stays like this, ask the person who runs the server.";

/** Why a link or words do not bring somebody in, for the one who was invited. Nothing was sent, and nothing is remembered. */
export const joinRefusals = {
  ...admissionRefusals,
  malformed: {
    title: "What the server shows for this link is damaged",
    hint: "Open the link again. If it stays like this, ask the person who invited you for a new one.",
  },
  other_organization: {
    title: "The server shows another organization than the link was made for",
    hint: callInviter,
  },
  not_signed: {
    title: "This invitation is not signed by anybody who may invite here",
    hint: callInviter,
  },
  not_allowed: {
    title: "The person who made this link may not bring you in with this role",
    hint: "Ask an owner of the organization for a new link.",
  },
  ended: {
    title: "This link has ended",
    hint: "It worked for 7 days. Ask the person who invited you for a new one. Your account and your key stay.",
  },
  used: {
    title: "This link was used, or the members have changed since it was made",
    hint: "Look whether you can read your forms by now. If not, ask the person who invited you for a new link.",
  },
  unknown_extension: {
    title: "This link was made by a newer program, in a way that this page does not know",
    hint: "Load the page again. If it stays like this, ask the person who invited you to have the server updated.",
  },
  unknown_list: otherList,
  forked: otherList,
  old_list: otherList,
  broken_chain: otherList,
  not_vouched: otherList,
};

/** Why an answer does not bring somebody in, or no link is made, for the owner or manager. Nobody was brought in. */
export const answerRefusals = {
  ...admissionRefusals,
  malformed: {
    title: "The link or its answer is damaged",
    hint: newLink,
  },
  other_organization: {
    title: "This link was made for another organization",
    hint: newLink,
  },
  unknown_list: {
    title: "This link was made with other members than the server shows",
    hint: newLink,
  },
  not_signed: {
    title: "Whose link this is, is no longer in the list of members with the key they had",
    hint: "Make a new link for this person yourself.",
  },
  unknown_extension: {
    title: "This link was made or answered by a newer program, in a way that this page does not know",
    hint: "Load the page again. If it stays like this, ask the person who runs the server to update it.",
  },
  not_allowed: {
    title: "The list of members does not allow this",
    hint: "Owners bring in everybody, managers only readers, developers and auditors, and nobody a new key of their own. Ask an owner to bring them in, or to make a new link.",
  },
};
