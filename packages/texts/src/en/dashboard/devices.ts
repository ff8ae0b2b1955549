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
    scannedHint: "It is the one in front of you: the code is that of its request.",
    give: "Give the key",
    giving: "Sealing and sending…",
    differs: "The codes differ",
    doneTitle: "Your key is given",
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
