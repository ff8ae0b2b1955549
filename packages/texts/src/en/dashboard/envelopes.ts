import { formatNumber, formatList as listed } from "../formats.ts";
import { counted, plural } from "../plurals.ts";
import { toRanges } from "../version-ranges.ts";

export const envelopes = {
  opening: "Opening the form with your key…",
  openTitle: "Open with your key",
  openIntro: "If you read this form, your own key opens it, with every other form that you read.",
  openAction: "Open this form",
  openFailed: "The form could not be opened with your key",
  fileTitle: "Use a key file instead",
  otherKeys: (versions: readonly number[]) =>
    `The server names another key for version ${listed(versions)} than your envelope`,
  otherKeysHint:
    "What visitors send now may be readable for somebody else. Take the form off your page, and ask who runs the server. Other versions open as before.",
  otherKeysOthers:
    "What visitors send now may be readable for somebody else. Tell an owner or a manager of your organization at once. Other versions open as before.",
  otherThanLogged: (versions: readonly number[]) =>
    `Your envelope has another hybrid key or seed for version ${listed(versions)} than the form's key log names`,
  otherThanLoggedHint:
    "Somebody who can write the envelope has put it there. It is not used as the form's, and other keys open as before. If you have the key file of this version, or its recovery sheet, put the key into the envelope under Keys: the right one takes its place. Otherwise rotate the keys.",
  missing: (versions: readonly number[]) => `Your envelope has no key for version ${listed(versions)}`,
  missingHint: "A key file opens it. Under Keys it can be put into the envelope, so that it opens by itself.",
  recoveryNeeded: "Your organization wants a recovery key first",
  recoveryNeededHint: "Until there is one, no form's keys are sealed for readers. An owner makes it, on paper.",
  recoveryNeededLink: "Recovery key",
  notLasting:
    "This browser keeps nothing here, as in a private window: it would not notice if the server showed an older envelope than you have seen.",
  stranger: "You are not in this organization's list of members yet",
  strangerHint: (admitters: readonly string[]) =>
    `Ask an owner or a manager to bring you in, under Members${admitters.length === 0 ? "" : `: ${listed(admitters)}`}. They give you a link. Then this form opens with your key, if you may read it; key files work as before.`,
  named: "This browser can't tell yet whether the list of members is the right one",
  namedHint: (admitters: readonly string[]) =>
    `You may well be in it. But this browser has seen nothing that your own key has signed about it. If you still have a device on which you have used this organization, unlock your key there and open a form; then load this page again. Or take the key over from it, under “Your key”. Otherwise ask an owner or a manager to bring you in again, under Members${admitters.length === 0 ? "" : `: ${listed(admitters)}`}. They give you a link. Key files work as before.`,
  forReading: "On this device you can read, but not change anything yet",
  forReadingHint:
    "This browser has the list of members by what another device of yours has signed, and by nothing else. That could be an old one, so it reads with it, and signs and seals nothing. To change something, open the page on a device that you have used before, or take your key over from one, under “Your key”. Or ask somebody of whom you know that they are an owner or a manager to bring you in again, under Members: once you have answered their link or their six words here, this browser does everything. An owner can bring the organization's recovery sheets instead.",
  forReadingMore: "What is a list for reading?",
  needsKey: "This form opens with a key of your own",
  needsKeyHint: (admitters: readonly string[]) =>
    `Make yours first, under “Your key”. Then ask an owner or a manager to bring you in, under Members${admitters.length === 0 ? "" : `: ${listed(admitters)}`}. If you have a key file of this form, use it here.`,
  needsKeyLink: "Your key",
  noList: "This organization has no list of members yet",
  noListHint: "An owner begins it with the first form that is made with a personal key. Key files work as before.",
  formNames: {
    signed: (name: string) =>
      `The form is called “${name}”: its envelope says so, by the signature of the person who wrote it last.`,
    otherTitle: (name: string) => `This is the form “${name}”, by its envelope`,
    other: (name: string) =>
      `The server calls it “${name}”. Somebody may have renamed it; or the server shows you another form than you mean. Continue only if you mean the one in the envelope.`,
    takeOver: "Take the server's name over into the envelope",
    setBack: "Set the server's name back",
    notTaken: "The name in the envelope could not be changed: see the form's page Keys",
    locked:
      "The form's name is the server's word here. Once your personal key is open, the name that is signed is shown.",
  },
  organizationNames: {
    signed: (name: string) =>
      `This is for the organization “${name}”: its list of members says so, signed by an owner.`,
    unsigned: (name: string) =>
      `That the organization is called “${name}” is the server's word: nobody has signed it yet`,
    otherTitle: (name: string) => `This is the organization “${name}”, by its signed list of members`,
    other: (name: string) =>
      `The server calls it “${name}”. Somebody may have renamed it; or the server shows you another organization than you mean. Continue only if you mean the one in the list.`,
    sign: "Sign this name",
    takeOver: "Sign the server's name",
    setBack: "Set the server's name back",
    rename: {
      unlock: "Unlock your key: the new name is signed in the list of members, so that no server can show another one.",
      signs: "Your key signs the new name in the list of members first; then the server takes it.",
      unsigned:
        "The list of members keeps the name that is signed there, and both are shown wherever something is sealed.",
      without: "Rename without signing",
    },
  },
  ownOrganization: {
    title: "Is this the organization that you mean?",
    intro:
      "This browser has not sealed anything for it yet. Continue only if you know these people: they, and the recovery keys, get keys that are sealed here.",
    confirm: "Yes, continue",
    signed: (name: string) => `Name, by its signed list of members: “${name}”`,
    served: (name: string) => `Name, by the server: “${name}”`,
    unsigned: (name: string) => `Name, by the server alone: “${name}”`,
    id: (id: string) => `Id: ${id}`,
    members: "Its members and recovery keys, by its signed list",
    before: (names: readonly string[]) =>
      `In this browser it had another name before: ${listed(names.map((name) => `“${name}”`))}. Somebody may have renamed it, or the server has swapped the names of two organizations.`,
    alike: (id: string) => `Another organization has this name in this browser: ${id}.`,
    other: {
      title: "Stopped: another organization",
      meant: (names: readonly string[], id: string) =>
        `In this browser you work in the organization ${names.length === 0 ? id : `${listed(names.map((name) => `“${name}”`))} (${id})`}.`,
      shown: (name: string, id: string) =>
        `The server now has this page act for another one, “${name}” (${id}). Nothing was sealed or signed for it.`,
      hint: "If you have not switched organizations, do not continue: ask who runs the server. A name proves nothing, as anybody can give their organization the name of yours.",
      back: "Switch back",
      choose: "I mean this one",
    },
  },
  section: {
    title: "Envelope",
    intro:
      "The form's private keys, sealed for the people who read it. Each of them opens it with their own personal key.",
    link: "How envelopes work",
    noKey: "With a personal key this form opens without a key file, on every device of yours.",
    noKeyLink: "Your key",
    locked: "Unlock your personal key to see who reads this form.",
    none: "This form has no envelope. Its key is in the key files that were saved, and nowhere else.",
    state: (versions: readonly number[]) =>
      `${plural(versions.length, { one: "Key version", other: "Key versions" })} ${listed(versions)}`,
    revision: (revision: number) => `Revision ${revision}`,
    written: (name: string) => `written by ${name}, `,
    byFormer: "by somebody who has left, or has another key or role by now",
  },
  bring: {
    action: "Put the key into your envelope",
    title: "Put the key into your envelope",
    intro:
      "Choose the key files of this form once more: a key that is open here can't be read out. Each has to open a test value first. Then the form opens with your personal key.",
    stays:
      "The key files still open everything. Anyone who has a copy of one keeps it: delete the copies that nobody needs, or rotate the keys.",
    found: (versions: readonly number[]) =>
      `${plural(versions.length, { one: "Version", other: "Versions" })} ${listed(versions)} will be put in.`,
    currentNeeded: (version: number) => `The key of the current version ${version} is needed as well.`,
    known: "The envelope has this key already.",
    notWhole: (version: number) =>
      `This copy of version ${version} does not open what visitors seal to it now: it may lack the hybrid key. Use another copy.`,
    done: (versions: readonly number[]) =>
      `The envelope now has ${plural(versions.length, { one: "version", other: "versions" })} ${listed(versions)}, and your key has opened it.`,
    readers: (versions: readonly number[]) =>
      `Who reads with the ${plural(versions.length, { one: "key", other: "keys" })} of version ${listed(toRanges(versions))}`,
    readersHint:
      "They open everything that is sealed to it, and with the newest key all that visitors send. The server may hide the newest state of the envelope: then somebody in this list may have been taken out since. If somebody here should not read, cancel and load this page again; ask the person who rotated this form last, or an owner, who reads it; and take the others out with “Change readers” before you put the key in.",
    otherKey: (version: number) =>
      `This copy of version ${version} is not the key that the server publishes for it, that the form's key log names, or that this browser has seen: nothing was put in. Use the key file that was saved when this version was made, or its recovery sheet. If it is that one, ask who runs the server.`,
    otherSeed: {
      logged: (version: number) =>
        `This copy of version ${version} has another seed than the form's key log names, or none: visitors would refuse every answer that is signed with it, so nothing was put in. Use the key file that was saved when this version was made, or its recovery sheet.`,
      seen: (version: number) =>
        `This copy of version ${version} has another seed than this browser has seen in the form's envelope, or none: others who have seen that one would refuse the envelope, so nothing was put in. Use the key file that was saved when this version was made or when the envelope was taken away, or its recovery sheet.`,
    },
    notOpen: (firstVersion: number) =>
      `Nothing was put in: the envelope from version ${firstVersion} on does not open here, or was made meanwhile, so nobody can say who would read the key. Load this page again. If that envelope is still refused, somebody who can write it brings back what was before it; where nothing of it opens, an owner writes it without keys.`,
    changed: "The envelope was changed elsewhere meanwhile. It was loaded again: look at it, and try once more.",
    changedReaders:
      "Others would read by now than you were shown, so nothing was changed. The list above is the new one: look at it, and try once more.",
    submit: "Put it in",
  },
  otherPublished: "The server names another key for this form than the one that was just made",
  otherPublishedHint:
    "Do not use this form: what visitors send would be sealed to a key that is not yours. Ask who runs the server.",
  readBy: {
    alone: "You alone will read what is sealed here, until somebody adds other readers under Keys.",
    recovery: (names: readonly string[]) =>
      `You will read what is sealed here, and the organization's recovery key: ${listed(names)}. Somebody can add other readers under Keys.`,
  },
  create: {
    intro:
      "Its key is made in this browser and sealed for you. Your personal key opens it, here and on your other devices.",
    saveFile: "Save a key file as well",
    saveFileHint: "A second way to open this form, which needs neither your personal key nor this server.",
    unlock: "Unlock your key first",
    steps: {
      list: "Loading the list of members…",
      reserve: "Reserving an id…",
      key: "Making the form's key pair…",
      store: "Sealing the key and creating the form…",
    },
    ready: "The form is ready, and your key has opened its envelope.",
    open: "Continue to the form",
    withFile: "Make it with a key file instead",
    withKey: "With a personal key a form takes one screen, and no key file has to be kept.",
    unreadHint:
      "The form is there, and visitors can send. Save its key as a file now: it exists in this page and nowhere else.",
    leave: {
      title: "Leave without the key?",
      hint: "The key that was made here was not saved, and the server does not show its envelope: nobody could read this form.",
      leave: "Leave",
    },
  },
  givenBack: {
    title: (count: number) =>
      `The server had lost ${counted(count, { one: "entry", other: "entries" })} of the list of members, and this browser has given ${plural(count, { one: "it", other: "them" })} back`,
    hint: "It was probably restored from a backup. Everybody can continue by that list. Other things of since the backup are lost: look at the Members page for people who have to be invited again, and at the readers and keys of your forms.",
  },
  rotate: {
    changed: (version: number) =>
      `Somebody else rotated the keys to version ${version} meanwhile. It was loaded again; discard this new key, and make another if you still want to.`,
    changedEnvelope:
      "The envelope was changed elsewhere meanwhile. It was loaded again; press the button once more to rotate with the newest.",
    changedList:
      "The envelope or its readers changed after you were shown who would read, so the form was not rotated. The list above is the new one: look at it, and press the button again.",
    changedReaders:
      "The envelope or its readers changed after you were shown who would read, so the form was not rotated. Discard this new key, and make another if you still want to.",
    noKeyLogSigner:
      "This form has a key log whose next entry your key may not sign. Ask an owner or manager whose key may; where nobody is left, an owner gives the log up.",
    managers: {
      places_used:
        "Managers have used all their places in this form's key log: an owner whom it names signs a new entry, or rotates.",
      version_gap:
        "This form was rotated without an entry in its key log, and a manager signs the very next version alone: an owner whom the log names has to rotate.",
      hybrid_needed:
        "The key log names a hybrid key, and the next version by a manager needs one too. Rotate with a hybrid key, or ask an owner.",
      seed_needed:
        "The key log names a reply key, and the next version by a manager needs a seed, from which one follows. Make another key in this page, or ask an owner.",
    },
    keyLogRefused:
      "The key log that the server shows for this form is damaged or another form's. Ask who runs the server.",
  },
  remove: {
    title: "Back to key files",
    intro: "Takes the envelope away: from then on only key files open this form.",
    action: "Take the envelope away…",
    saveTitle: "1. Save the keys",
    saveIntro: "One file with a passphrase for each version.",
    save: "Save key files",
    saved: (count: number) => `${counted(count, { one: "file", other: "files" })} saved`,
    proveTitle: "2. Prove the files",
    proveAlone: "Prove the key files",
    proveAll:
      "An envelope of this form can't be used here, so nobody knows which keys are in it. Choose a key file of each version of the form's keys: each has to open a test value.",
    proveIntro: "Choose all of them, those that you have just saved or older ones. Each has to open a test value.",
    proved: (versions: readonly number[]) => `Proved: ${listed(versions)}`,
    left: (versions: readonly number[]) => `Still to prove: ${listed(versions)}`,
    submit: "Take the envelope away",
    done: "The envelope was taken away. From now on key files alone open this form.",
    restorable: "An envelope of this form was taken away. It can be put back for 30 days after ",
    restore: "Put the envelope back",
    restored: "The envelope is back.",
  },
  lookAt: {
    title: "Look at this envelope before anything follows it",
    intro:
      "This browser sees it for the first time, and the person who signed it may write it no longer: with the server's help they can have written it since, with keys and readers of their choice. It opens submissions. Until you say that it is right, nothing is sealed here for its readers.",
    signed: (name: string) => `${name} has signed it`,
    ended: {
      removed: "They were removed from the list of members",
      role: "They got a role that writes no envelopes",
      key: "They got another key",
      own: "That was with a former key of yours, which was replaced",
    },
    formName: (name: string) => `By its envelope the form is called “${name}”.`,
    keys: "Its keys",
    unproven: "nobody else vouches for it",
    unprovenHint: (versions: readonly number[]) =>
      `${plural(versions.length, { one: "Key version", other: "Key versions" })} ${listed(toRanges(versions))}: nobody who may write the envelope now had ${plural(versions.length, { one: "this key", other: "these keys" })} in an older revision, and no owner has signed for ${plural(versions.length, { one: "it", other: "them" })} in the key log. Compare the fingerprint with the snippet in your page, with a saved key file, or with a colleague's device that has opened the form before: its page Keys says which keys are open there. If nobody knows it, do not say that this is right: ask them, or an owner, to rotate the form's keys. Your answer does not prove it, either.`,
    keyLog: {
      none: "The envelope names no key log.",
      shown: "The server shows the key log that the envelope names.",
      missing: "The server does not show the key log that the envelope names.",
    },
    readers: "Who reads it",
    still: (name: string) => `${name} still writes: only the key with which this was signed was replaced.`,
    askSigner: (name: string) => `First ask ${name} whether these are the form's keys and readers.`,
    first: "First ask somebody else who reads the form, or an owner, whether these are its keys and readers.",
    otherwise:
      "If they are not, ask an owner before you bring back what was there before: this revision may be what took somebody out, and that would bring them back.",
    submit: "These are right",
    done: "This browser goes by this envelope from now on.",
    not: {
      other:
        "It was not accepted: the server shows another revision by now, or its signer or readers are not as you were shown them. Look at the present one.",
      overtaken: "There is nothing to accept: somebody who may write the envelope has written it since.",
      unknown_key_log:
        "It was not accepted, and waits: the envelope names an entry of a key log that the server does not show. Ask the person who runs the server to show it. If that does not help, ask an owner to give the log up, or to bring back what was there before: with what the owner writes nothing waits here any longer. If an owner says that they gave the log up, accept that on the page Keys of the form, under “Key log”, and press again.",
      refused: "It was not accepted.",
    },
  },
  lookAtForms: {
    pageIntro:
      "Envelopes that this browser sees for the first time, signed by somebody who may write them no longer. Each form is opened, and those that wait for your answer are listed.",
    link: "Look at all forms that wait for this",
    opening: "Forms that were opened",
    opened: (done: number, of: number) =>
      `${formatNumber(done)} of ${counted(of, { one: "form", other: "forms" })} opened.`,
    none: "No form waits for your answer in this browser.",
    title: (count: number) =>
      plural(count, {
        one: "Look at this envelope before anything follows it",
        other: `Look at these ${formatNumber(count)} envelopes before anything follows them`,
      }),
    intro:
      "This browser sees them for the first time, and who signed them may write them no longer: with the server's help, they or somebody else with their key can have written them since, with keys and readers of their choice. They open submissions. Until you say that they are right, nothing is sealed here for their readers.",
    first:
      "Forms with the same signer and readers are one group, and each group has its own button. First ask somebody else who reads the forms, or an owner, whether these are the readers. If a form is not right, open its page Keys, and bring back what was there before.",
    group: (count: number, name: string) => `${counted(count, { one: "form", other: "forms" })}, signed by ${name}`,
    differs: "Not like the other forms",
    otherSigner: "Others were signed by somebody else, or with another key.",
    more: "not like this in the other forms",
    missing: (names: readonly string[]) => `Not a reader here, and one of the other forms: ${listed(names)}.`,
    readers: (count: number) =>
      `Who reads: ${counted(count, { one: "person or program", other: "people and programs" })}`,
    forms: (count: number) => counted(count, { one: "form", other: "forms" }),
    formList: "Forms of this group",
    otherName: (name: string) => `“${name}” by its envelope`,
    written: "Signed",
    submit: (count: number) =>
      plural(count, { one: "These are right", other: `These are right: all ${formatNumber(count)} forms` }),
    notShown: "Not all of this group was on the screen yet. Look through its readers and forms, then press again.",
    answering: "Forms of which the answer was taken",
    answered: (done: number, of: number) =>
      `${formatNumber(done)} of ${counted(of, { one: "form", other: "forms" })} done.`,
    done: (count: number) =>
      plural(count, {
        one: "This browser goes by this envelope from now on.",
        other: `This browser goes by the envelopes of ${formatNumber(count)} forms from now on.`,
      }),
    settled: (count: number) => `Nothing to accept for ${counted(count, { one: "form", other: "forms" })}`,
    failed: (count: number) => `${counted(count, { one: "form", other: "forms" })} could not be opened`,
    stopped: "It was stopped before this form's turn.",
    list: "The list of members can't be used here: the page Members says why.",
  },
  forget: {
    action: "Accept it as the server shows it…",
    title: "Accept this envelope?",
    hint: "Only if you know why it is older or new: the server was restored from a backup, the form went back to key files and got another envelope, was handed over to this organization, or somebody put a key into it before they left. This browser then forgets what it has seen of this form's envelope, and takes the one that the server shows, if a member of the list signed it.",
    submit: "Accept it",
  },
  seenAgain: {
    title: "This browser sees this form for the first time again",
    hint: "When it was opened here before, the server did not say which keys the form has, so what was seen then is not remembered: the server could show an older envelope now without a word. Look at its readers under Keys. If you expected others, ask an owner, or somebody else who reads the form.",
    submit: "I have looked",
  },
  denied: {
    action: "Go by the form's key log…",
    title: "Let the key log decide?",
    intro: (versions: readonly number[]) =>
      `This browser remembers another hybrid key or seed for version ${listed(versions)} than the form's key log names. The envelope that the server shows has what the log names.`,
    signed: (name: string) => `${name} has signed it.`,
    hint: "First ask an owner, or somebody else who reads the form, whether they began this log with the form's key. This browser then forgets the hybrid key or the seed that it remembers of these versions, and nothing else. If nobody knows of it, bring back what was there before.",
    submit: "Go by the log",
  },
  forgetList: {
    action: "Accept the list as the server shows it…",
    title: "Accept this list of members?",
    hint: (number: number) =>
      `Only if you know that the server was restored from a backup. This browser has seen the list up to entry ${number}. What came after the backup is missing: members who were removed since then are back, with the key and role from then.`,
    after:
      "No key is lost. This browser takes the list if your own key has signed an entry of it, and otherwise to read alone, and asks again about members whom you had confirmed. Look through the members, remove again those who have left, and then accept each form's envelope under Keys.",
    submit: "Accept it",
  },
  bringBack: {
    action: "Bring back what you could read…",
    title: "Bring back what you could read",
    looking: "Looking for a revision that your key opens…",
    none: "The server has no revision of this envelope that your key opens and this browser may trust. A key file of the form opens it, and so may the organization's recovery key. Where somebody has begun another envelope of the form, rotate its keys: the next version takes its place. If the form's key log was given up, say so on this page first. If the server was restored from a backup, close this, and accept the envelope as the server shows it.",
    unfinished: {
      title: (tried: number) =>
        `${counted(tried, { one: "revision", other: "revisions" })} of this envelope do not open`,
      hint: "There are more. One of them may open, and have the keys that are needed: trying all of them can take some minutes.",
      tryAll: "Try all of them",
    },
    newer: (revision: number, between: number) =>
      `${between === 0 ? "One newer revision does" : `${between + 1} newer revisions do`} not count here: who wrote them has made them so, or the server. Only who opens them sees who that was; the last, revision ${revision}, was stored `,
    kept: (revision: number) =>
      `Revision ${revision} opens, and lacks keys that this browser has seen. It is continued with them.`,
    older: (revision: number, versions: readonly number[]) =>
      `Revision ${revision} opens, with key ${plural(versions.length, { one: "version", other: "versions" })} ${listed(versions)}, `,
    readers: "Who reads the next revision",
    readersHint:
      "Those who read that one and are still in the list of members with the same keys, you, and each recovery key. Somebody who was taken out of the readers since then reads again: cancel if you do not want that, or change the readers afterwards.",
    readersHintKnown:
      "Those who read that one and the newest, and are still in the list of members with the same keys; those that you have ticked; you, and each recovery key.",
    difference: {
      returning: "Who would come back",
      returningHint: (revision: number) =>
        `Revision ${revision} leaves them out: its writer may have taken them out on purpose. Tick only those of whom you know that they are to read again. The others stay out.`,
      leaving: (revision: number, names: readonly string[]) =>
        `Revision ${revision} is for them as well, and the next one is not: ${listed(names)}.`,
      leavingKeys: (revision: number, versions: readonly number[]) =>
        `The key of ${plural(versions.length, { one: "version", other: "versions" })} ${listed(versions)} in revision ${revision} will not be in the next one.`,
      returningKeys: (revision: number, versions: readonly number[]) =>
        `The key of ${plural(versions.length, { one: "version", other: "versions" })} ${listed(versions)}, which revision ${revision} does not have so, comes back.`,
    },
    missingTitle: (versions: readonly number[]) =>
      `${plural(versions.length, { one: "Key version", other: "Key versions" })} ${listed(versions)} will not be in it`,
    missing:
      "What visitors send to the newest of them you can't read. Rotate the keys right afterwards: you are asked. Somebody who has the missing keys is warned, and can put them back in the same way.",
    takenOut: {
      title: "Somebody may have taken you out on purpose",
      why: {
        not_for_them: (revision: number) => `Revision ${revision} is not for your key.`,
        unsigned: (revision: number) =>
          `What the server shows as revision ${revision} has nobody's signature: it may be another one, that took you out.`,
        by_others: (revision: number) =>
          `What the server shows as revision ${revision} is signed by somebody who may not write it by now, or did not read the form before: it may be another one, that took you out.`,
        not_shown: (revision: number) => `The server does not show revision ${revision}, which may have taken you out.`,
      },
      stored: (name: string) => `By the server's word ${name} stored it.`,
      at: "By the server's word it was stored ",
      ask: "Ask an owner first. Others who have opened that revision will refuse the one that you bring back, and on a device that sees the form for the first time you would read again.",
      ownerNeeded: (names: readonly string[]) =>
        `Only an owner who reads this form brings back here: ${listed(names)}. An owner who can open that revision puts you among the readers again, if you are to read. One who can't open it either brings back what was before it.`,
    },
    submit: "Bring it back",
    done: "Your key opens this envelope again.",
  },
  clear: {
    title: "Lose the keys of this envelope",
    intro: (revision: number) =>
      `Nothing of this envelope opens with your key, and this browser has seen none of it. As long as that is so, new devices take what is above it from owners alone. You can write its next revision without keys, as its last one, revision ${revision}, gives you none. That was stored `,
    missing:
      "What was sealed to them stays closed for everybody who has their keys neither in a key file nor in an envelope that opens. Somebody who has seen them in this envelope is warned, and can put them back.",
    submit: "Lose the keys",
    done: "This envelope opens again, without keys. The next key version that has its place in it is put there when you rotate.",
  },
};
