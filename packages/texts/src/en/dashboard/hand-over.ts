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
  effects: [
    "Its submissions, keys, webhook and settings go along. The form keeps its id, so pages need no change.",
    "Members of this organization, and API keys made here, do not reach it any more. You find it after you switch.",
    "Key files that people have still open what was sealed up to now. Rotate the keys there if they are not to read on.",
  ],
};
