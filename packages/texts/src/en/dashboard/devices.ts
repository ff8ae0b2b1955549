import { formatList as listed } from "../formats.ts";
import { counted } from "../plurals.ts";

/** How many of each were left out. */
type LeftOut = Readonly<Record<"lists" | "envelopes" | "keyLogs" | "confirmed" | "forms", number>>;

const count = (number: number, one: string, other: string) => (number === 0 ? [] : [counted(number, { one, other })]);

export const devices = {
  receive: {
    intro: "A device on which your key is unlocked gives it to this one.",
    start: "Ask another device",
    steps: [
      "On the other device, sign in and unlock your key.",
      "There, open “Your key” and choose “Give it to another device”.",
      "Have it scan this code. If it has no camera, choose “Compare codes” there.",
    ],
    code: "This device as a code to scan",
    waiting: "Waiting for the other device. This ends by itself after 10 minutes.",
    askTitle: "Did your other device scan this code?",
    askHint:
      "It has answered. If it has a camera and scanned the code here, say so. If you chose “Compare codes” there, compare them.",
    askScanned: "Yes, it scanned the code",
    askCompare: "No, compare codes",
    compareTitle: "Does the other device show the same code?",
    compareHint:
      "Compare all fifteen digits. If they differ, somebody is between the two devices: then the key must not be given.",
    same: "It is the same",
    differs: "It is another one",
    scannedTitle: "Your other device shows the same digits",
    scannedHint:
      "If it shows different digits, somebody else has read the code on this screen: stop here, and begin again where nobody sees it.",
    trusted: "Waiting for the key…",
    opening: "Opening…",
    ended:
      "This request has ended: another device asks by now, or the time is up. Begin again, and then on the other device.",
    wrong:
      "What came does not fit what you said of the other device. If you chose the wrong button, begin again. Otherwise somebody is between the two: tell the person who runs the server, and unlock your key in another way. Nothing was accepted.",
    otherKey:
      "The other device gave another key than the one that this browser has seen. It was not taken: if you have replaced your key, say so above.",
    newer: "The other device has a newer version of this program. Reload both pages, and begin again.",
    again: "Begin again",
  },
  handedOver: {
    label: "Your key came from another device",
    codeTitle: "Look once more: your other device shows the same digits",
    codeHint:
      "If it shows others, or says nothing of a key that was given, this key is not from it: somebody else has read the code that was on this screen. Lock the key, change nothing, and ask for it again where nobody sees the screen.",
    leftOutTitle: "Not everything that your other device has seen went along with the key",
    leftOut: ({ lists, envelopes, keyLogs, confirmed, forms }: LeftOut) =>
      `There was no room for ${listed([
        ...count(lists, "list of members", "lists of members"),
        ...count(envelopes, "envelope", "envelopes"),
        ...count(keyLogs, "key log", "key logs"),
        ...count(confirmed, "confirmed member", "confirmed members"),
        ...count(forms, "form", "forms"),
      ])}. Of these this browser has seen nothing: at the first look it takes what the server shows.`,
  },
  give: {
    section: "Another device",
    sectionIntro:
      "Gives your key to a new phone or computer of yours, on which you are signed in, without typing anything.",
    button: "Give it to another device",
    title: "Give your key to another device",
    intro:
      "On the new device, sign in, open “Your key” and choose “Another device”. It shows a code. Anyone who gets your key reads everything that you can read.",
    scan: "Scan its code",
    compare: "Compare codes",
    scanned: "That is no code of a device. On the new device, open “Your key” and choose “Another device”.",
    none: "No device of yours asks at this moment. On the new one, choose “Another device” first.",
    waiting: "Waiting for the new device…",
    compareTitle: "Does the new device show the same code?",
    compareHint:
      "Compare all fifteen digits. If they differ, somebody is between the two devices: then do not give the key, and tell the person who runs the server.",
    scannedTitle: "Give your key to the device whose code you scanned?",
    scannedHint:
      "It shows the same digits. If it shows others, somebody else has read its code: then do not give the key, and begin again where nobody sees it.",
    give: "Give the key",
    giving: "Sealing and sending…",
    differs: "The codes differ",
    doneTitle: "Your key is given",
    doneCode: "The new device shows the same digits:",
    doneHint:
      "It opens on the new device. Add a way to unlock it there, such as a passkey: the device forgets the key when it is locked. If nothing opens there, begin again on it.",
    ended: "The request has ended: the time is up, or another device asks by now. Begin again on the new device.",
    endedUnsure:
      "The request has ended. The other device may be unlocked by it, though the answer did not arrive here: look there, and begin again on it only where it is not.",
    other:
      "That code is of another device than the one that asks. Scan the code that is shown now. If it stays like this, somebody is between the two devices.",
    wrong:
      "What came is not from the device that asked: somebody is between the two. Nothing was given. Tell the person who runs the server.",
    stopped: "Nothing was given.",
    close: "Done",
  },
} as const;
