export const formKeys = {
  title: "Key versions",
  intro:
    "Compare a fingerprint with the one in your key file, or in a pinned snippet, to know that they belong together.",
  version: (version: number) => `Version ${version}`,
  current: "Current",
  unlocked: "Unlocked here",
  locked: "Locked",
  made: "Made ",
  addKey: "Unlock a version",
  addKeyIntro:
    "Submissions of several versions can be read side by side, each with its own key. Choose as many key files at once as you have.",
  lock: "Lock all versions",
  rotateTitle: "Rotate keys",
  rotateIntro: "For when a key may have been seen by somebody else, or the people who read submissions change.",
  rotateLink: "When and how",
  explainTitle: "What happens",
  explain: (current: number, isHybrid: boolean) => [
    `From now on visitors' browsers seal to version ${current + 1}. The new key opens these submissions, and only these.`,
    `Everything up to now stays sealed to version ${current} and older. Keep those keys: no new key opens old submissions.`,
    `Pages that were open during the change may still send to version ${current}. They are accepted and say so.`,
    "Anyone with an old key can still read old submissions, if they get hold of them. Delete what must not be read.",
    ...(isHybrid
      ? [
          `Version ${current} has a hybrid key, against quantum computers. A version made here has none: sealpost forms rotate --hybrid, on the command line, makes one.`,
        ]
      : []),
  ],
  pinnedTitle: "If your page names the fingerprint, change the snippet first",
  pinnedIntro:
    "Snippets of the Embed page name it unless you switched that off. With this snippet the page accepts today's key and the new one: publish it before you rotate, or the page sends nothing afterwards.",
  snippet: "Snippet with both fingerprints",
  snippetStrict: "HTML without an inline script",
  snippetReact: "React",
  step: ["Save the new key", "Prove it and rotate"],
  make: "Make the new key",
  making: "Making the new key pair in this browser…",
  overtaken: "The keys were rotated elsewhere meanwhile: cancel, and make a new key",
  finish: (version: number) => `Rotate to version ${version}`,
  done: (version: number) => `Version ${version} is now current. Keep the older keys for older submissions.`,
};
