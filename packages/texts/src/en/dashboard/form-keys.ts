import { formatList as listed } from "../formats.ts";
import { plural } from "../plurals.ts";
import { toRanges } from "../version-ranges.ts";
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
  /** A past time: it has ended. */
  ends: (isPast: boolean) => (isPast ? "Takes nothing more since " : "Takes submissions until "),
  end: {
    title: "End older versions",
    intro:
      "So that anyone who has an old key can't read what arrives from now on, whatever an old page or program seals to it.",
    label: (older: number) =>
      plural(older, { one: "Version 1 takes submissions", other: `Versions 1 to ${older} take submissions` }),
    hint: "A page that is still open then seals to the newest key by itself, or asks the visitor to reload. Nothing that was stored is touched. A version that has ended stays so, unless you let all of them take submissions again.",
    rotationLabel: (current: number) => `Version ${current} and older take submissions`,
    rotationHint:
      "An end keeps what arrives later from anyone who has an old key. Leave it open if pages name the old fingerprint for now.",
    choices: {
      now: "no longer",
      day: "for one more day",
      week: "for 7 more days",
      month: "for 30 more days",
      never: "without end",
    },
    save: "Save",
    states: {
      all: "Older versions have an end: see the versions above.",
      some: "Some older versions have no end: see the versions above.",
      none: "Now all versions take submissions, without end.",
    },
    saved: (hasEnd: boolean) => (hasEnd ? "Saved: see the versions above." : "Saved: all versions take submissions."),
  },
  rotateTitle: "Rotate keys",
  rotateIntro: "For when a key may have been seen by somebody else, or the people who read submissions change.",
  rotateLink: "When and how",
  explainTitle: "What happens",
  explain: (current: number, isInEnvelope: boolean) => [
    `Once you rotate, visitors' browsers seal to version ${current + 1}. The new key opens these submissions, and only these.`,
    `Everything up to now stays sealed to version ${current} and older. ${isInEnvelope ? "The envelope keeps those keys that it has; keep the files of all others" : "Keep those keys"}: no new key opens old submissions.`,
    `Pages that were open during the change may still send to version ${current}. They are accepted and say so.`,
    "Anyone with an old key can still read old submissions, if they get hold of them. Delete what must not be read.",
  ],
  hybridDropped: (current: number) => `Version ${current} has a hybrid key, and the new one will have none`,
  hybridDroppedHint: "What is sealed to the new version is not protected against quantum computers.",
  hybridReceiver: "The webhook's receiver must know hybrid keys",
  hybridReceiverHint:
    "This form has had no hybrid key so far. Update the receiver before you switch it on: one that does not know hybrid keys gets submissions that it can't open.",
  hybridReceiverLink: "What opens it",
  hybridLabel: "Hybrid",
  pinnedTitle: "If your page names the fingerprint, change the snippet first",
  pinnedIntro:
    "Snippets of the Embed page name it unless you switched that off. With this snippet the page accepts today's key and the new one: publish all of it, its script included, before you rotate, or the page sends nothing afterwards.",
  loggedIntro:
    "Pages that name the form's key log accept the new key by themselves. A page that still names a fingerprint sends nothing after you rotate: give it the snippet of the Embed page first, which names the log.",
  snippet: "Snippet with both fingerprints",
  snippetStrict: "HTML without an inline script",
  snippetReact: "React",
  envelopeIntro:
    "The new key is put into the form's envelope in the same step: its readers open it with their own keys.",
  envelopeLocked: "This form has an envelope. Unlock your personal key above to rotate with it.",
  envelopeUnread:
    "Rotating waits for the form's envelope, which does not open here, or which you have yet to look at. The section “Envelope” of this page says what there is to do.",
  envelopeUnreadLink: "Go to the envelope",
  envelopeFile: "Save the new key as a file as well",
  envelopeStep: "Rotate with the envelope",
  step: ["Save the new key", "Prove it and rotate"],
  make: "Make the new key",
  making: "Making the new key pair in this browser…",
  versionsUsedUp:
    "The server names a key version from 1,000 on, and a form has at most 1,000 key pairs. Nothing was changed: make a new form, or ask the person who runs the server.",
  farVersion: {
    title: (newest: number, known: number) =>
      `The server says that this form is at key version ${newest}, and the newest that is known here is ${known}`,
    hint: "A server could make a version up, and versions never fall: a form has at most 1,000. Ask the person who runs the server, or those who rotate this form. If the form was rotated that often, say so; the new key is the version after.",
    logged:
      "The form's key log has no entry near it either. Nothing was changed: ask the person who runs the server. If it is right, an owner first gives the key log up.",
    confirm: (newest: number) => `Version ${newest} is right`,
  },
  bringFirst:
    "Nothing was changed: what was in an envelope of this form can be brought back, or could not be looked at to the end. Do that first, under Envelope above.",
  lostKeys: {
    title: (versions: readonly number[]) =>
      versions.length === 0
        ? "The keys in an envelope would be lost"
        : `The ${plural(versions.length, { one: "key", other: "keys" })} of version ${listed(toRanges(versions))} would be left behind`,
    hint: "The new key has its place in an envelope of which no revision opens with your key. Its next revision would have the new key alone.",
    begunAhead:
      "The new key has its place in an envelope with keys that open here, of versions that the server does not list: somebody has begun it ahead of its time, or the server denies them. Its next revision would have the new key alone.",
    newer: (versions: readonly number[]) =>
      `This form already has version ${listed(toRanges(versions))}, and what the server shows of its envelope opens only older ones. Either the newest key was made with a key file, or the server hides the newest state of the envelope: then somebody in the list below may have been taken out in the meantime, and would read again.`,
    closed:
      "What visitors have sealed to these versions stays closed for everybody who has their keys neither in a key file nor in a revision that opens. Revisions that came with a new key, and the newest that each person has stored, stay as long as the form; others for 90 days after the next one.",
    readers: "What visitors send after the rotation is read by:",
    writers: (names: readonly string[]) => `Its revisions were stored by ${listed(names)}, by the server's word.`,
    first:
      "First ask the others who read or write this form to open it on the devices on which they have used it, and to bring back what they could read. The organization's recovery key, or a key file, may open it too.",
    begunFirst:
      "First ask those who write this form whether they have rotated it to one of these versions: then ask the person who runs the server to list it again.",
    newerFirst:
      "First load this page again, and ask the person who rotated this form last, or an owner, who reads it. If the newest key is in a key file, put it into the envelope, under Envelope above.",
    confirm: "Rotate for these people, without these keys",
  },
  overtaken: "The keys were rotated elsewhere meanwhile: cancel, and make a new key",
  discard: "Discard the new key",
  leave: {
    title: "Discard the new key?",
    hint: "The key that was made here will be forgotten, and visitors keep sealing to the current version. If a page already names the new fingerprint alone, it refuses every other key.",
    leave: "Discard it",
  },
  leaveUnsure: {
    title: "Discard the new key?",
    hint: "The keys may be rotated already: then visitors seal to this one. Keep what you saved of it, and look at the current version on this page again.",
    leave: "Discard it",
  },
  finish: (version: number) => `Rotate to version ${version}`,
  done: (version: number, isInEnvelope: boolean) =>
    `Version ${version} is now current. ${isInEnvelope ? "Older submissions open as before." : "Keep the older keys for older submissions."}`,
  doneLogged: "Pages that name the form's key log need nothing new.",
  donePinned:
    "A page that names the fingerprint and does not have the snippet with both sends nothing from now on. Publish it now, or the new snippet of the Embed page.",
};
