export const handOver = {
  title: "Hand the form over",
  intro: "To another organization that you own, with everything in it. Pages that have the form need no change.",
  needsOrganization:
    "A form can go to another organization that you own as well. Make one on the page of members, or have an owner there invite you as an owner.",
  held: "It stays in this organization while its legal hold lasts. Once an owner has lifted the hold, it can go.",
  guideLink: "How that works",
  button: "Hand over",
  question: (name: string) => `Hand “${name}” over?`,
  target: "To which organization",
  unnamed: "Organization without a name",
  webhook: (host: string) => `What becomes of its webhook to ${host}`,
  webhookMissing: "Choose what becomes of the webhook.",
  webhookChoices: {
    new: {
      title: "Keep the address, with a new secret",
      hint: "The receiver needs the new secret within 24 hours; until then both are valid.",
    },
    kept: {
      title: "Keep the address and the secret",
      hint: "Owners of this organization still know the secret. The webhook page says so until you rotate it.",
    },
    remove: {
      title: "Remove the address",
      hint: "Deliveries that still wait fail. You can send them again from the log once there is an address.",
    },
  },
  effects: [
    "Its submissions, keys and settings go along, the websites too. The form keeps its id, so pages need no change.",
    "Members of this organization, and API keys made here, do not reach it any more. You find it after you switch.",
    "Key files that people have still open what was sealed up to now. Rotate the keys there if they are not to read on.",
  ],
};
