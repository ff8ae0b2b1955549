import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make about keys that are not published yet; planted-cases.ts. */
export const plantedMutants = mutantsOf("planted-keys.ts", [
  [
    "keys ahead of their time are carried on",
    "keys above those that are listed",
    "!isKnown(key) && key.version > newest",
    "false",
  ],
  [
    "one key ahead of its time is carried on",
    "keys above those that are listed",
    "!isKnown(key) && key.version > newest",
    "!isKnown(key) && key.version > newest + 1",
  ],
  [
    "what the service denies is left out",
    "a key that the service denies, below one that it lists",
    "!isKnown(key) && key.version > newest",
    "!isKnown(key)",
  ],
  [
    "what was seen as published is left out",
    "keys that were seen as published, and that the service denies",
    "key.isPublished || isListedIn(published, key)",
    "isListedIn(published, key)",
  ],
  [
    "without a list everything is ahead of its time",
    "the list may not be read",
    "if (published === undefined || published.length === 0) return [];",
    "if (published === undefined) return keys.map(({ version }) => version);",
  ],
  [
    "an empty list denies everything",
    "the list is empty, which no form's is",
    "published === undefined || published.length === 0",
    "published === undefined",
  ],
  [
    "any key of a listed version is listed",
    "another key of the version is listed",
    "listed.version === version && listed.fingerprint === fingerprint",
    "listed.version === version",
  ],
  [
    "the list alone makes a key of somebody's the form's",
    "a key that was seen ahead of its time is listed by now",
    "seen.isAhead === true && !isProving",
    "false",
  ],
  [
    "what was once ahead of its time is so for ever",
    "a key that was seen ahead of its time is in the next revision, and listed",
    "before?.revision !== head.revision && !isByFormer",
    "false && !isByFormer",
  ],
  [
    "the service makes it the form's in the revision that was seen",
    "a key that was seen ahead of its time is listed by now",
    "before?.revision !== head.revision && !isByFormer",
    "!isByFormer",
  ],
  [
    "a former signer proves what was ahead of its time",
    "a key that was seen ahead of its time is in the next revision, by somebody who writes no longer",
    "head.revision && !isByFormer && !isOwn",
    "head.revision && !isOwn",
  ],
  [
    "the person here proves what was ahead of its time",
    "a key that was seen ahead of its time is in the next revision, by the person here",
    " && !isByFormer && !isOwn",
    " && !isByFormer",
  ],
  [
    "an answer proves the keys of a former signer",
    "a first sight by somebody who writes no longer",
    "seen === undefined ? isByFormer :",
    "seen === undefined ? false :",
  ],
  [
    "the person here proves no key of their own",
    "a key that the head lacks, in the next revision of the person here",
    "seen === undefined ? isByFormer :",
    "seen === undefined ? isByFormer || isOwn :",
  ],
  [
    "a former signer takes away what was seen",
    "a key that was seen, in the next revision of somebody who writes no longer",
    "seen.isAhead === true && !isProving",
    "!isProving",
  ],
  [
    "older revisions are not asked",
    "a first sight by somebody who writes no longer, where others have had a key",
    " || older.some((one) => isSameWholeKey(one, key))",
    "",
  ],
  [
    "any older revision proves every key",
    "a first sight by somebody who writes no longer, where others have had a key",
    "older.some((one) => isSameWholeKey(one, key))",
    "older.length > 0",
  ],
  [
    "older revisions prove any hybrid key",
    "a first sight by somebody who writes no longer, where others have had the keys with another seed or hybrid key",
    "return isSameRsaKey(one, other) && one.hybridFingerprint === other.hybridFingerprint;",
    "return isSameRsaKey(one, other);",
  ],
  [
    "older revisions prove any seed",
    "a first sight by somebody who writes no longer, where others have had the keys with another seed or hybrid key",
    "return isSameRsaKey(one, other) && one",
    "return one.fingerprint === other.fingerprint && one",
  ],
  [
    "owners do not speak for keys in the log",
    "a key that was seen ahead of its time, and an owner has signed for",
    "const isBacked = isSignedBy(log, key, owners) ||",
    "const isBacked =",
  ],
  [
    "anybody speaks for keys in the log",
    "a key that was seen ahead of its time, and nobody has signed for who is an owner now",
    " && signers.has(signedBy)",
    "",
  ],
  [
    "an owner speaks for any key of the version",
    "a key that was seen ahead of its time, and an owner has signed for another of its version",
    "key.version === version && key.fingerprint === fingerprint && signers",
    "key.version === version && signers",
  ],
  [
    "what nobody could say anything of is taken for ahead of its time",
    "a key that was seen where the list could not be read",
    "seen.isAhead === true && !isProving",
    "seen.isPublished === false",
  ],
  [
    "any hybrid key is remembered",
    "a hybrid key that the list does not have",
    "return listed.hybridFingerprint === hybridFingerprint;",
    "return true;",
  ],
  [
    "no hybrid key is remembered",
    "a hybrid key that the list has by now",
    "return listed.hybridFingerprint === hybridFingerprint;",
    "return false;",
  ],
  [
    "a hybrid key that the list does not have hides the key next to it",
    "a hybrid key that the list does not have",
    "(key.isPublished || listed.length > 0) &&",
    "(key.isPublished || listed.some((one) => hasHybridOf(key, one))) &&",
  ],
  [
    "what the log names is left out where the service denies it",
    "a key that the log names, and the service denies",
    " || isNamedIn(log, key);",
    ";",
  ],
  [
    "any key of a version that the log names is named",
    "a key of which the log names another, and which the service denies",
    "key.version === version && key.fingerprint === fingerprint)?.key",
    "key.version === version)?.key",
  ],
  ["the log is not asked", "a key above the newest of the key log", 'if (log === "none") return true;', "return true;"],
  [
    "the log has to name every key",
    "a key below the newest of the key log, which does not name it",
    "log.entries.every(({ key }) => key.version !== version || key.fingerprint === fingerprint)",
    "log.entries.some(({ key }) => key.version === version && key.fingerprint === fingerprint)",
  ],
  [
    "the log is asked for its newest version alone",
    "another key than the log names",
    "return log.entries.every(({ key }) => key.version !== version || key.fingerprint === fingerprint);",
    "return true;",
  ],
  [
    "a log that nobody shows says nothing",
    "nobody shows the key log",
    'if (log === "none") return true;\n  if (log === "unshown" || version',
    'if (log === "none" || log === "unshown") return true;\n  if (version',
  ],
  [
    "what was seen as published has to be in the log",
    "a key above the log that was seen as published",
    "if (seen?.isPublished) return key;",
    "",
  ],
  [
    "the list alone says which hybrid keys are the form's",
    "a hybrid key that the log names, and the list lacks",
    "=== null ? loggedHybrid : key.hybridFingerprint",
    "=== null ? key.hybridFingerprint : key.hybridFingerprint",
  ],
  [
    "the log adds hybrid keys, and takes none away",
    "a hybrid key that the list names, and the log names another",
    "isLoggedHybrid ? own.hybridFingerprint : null",
    "isLoggedHybrid ? own.hybridFingerprint : key.hybridFingerprint",
  ],
  [
    "an entry without a hybrid key says nothing about it",
    "a hybrid key that the list names, and the log names none",
    "own.hybridFingerprint === named.hybridFingerprint;",
    "[null, own.hybridFingerprint].includes(named.hybridFingerprint);",
  ],
  [
    "a log denies what it does not name",
    "a hybrid key of a version that the log does not name",
    ' || (named === undefined && log !== "unshown")',
    "",
  ],
  [
    "a hybrid key that was remembered goes",
    "a hybrid key that was remembered before the log named another",
    "(seen?.hybridFingerprint ?? null) === null ?",
    "true ?",
  ],
  [
    "a hybrid key that was seen before its version was published stays",
    "a hybrid key that was seen before its version was published",
    "one.isPublished && isSameRsaKey(one, key)",
    "isSameRsaKey(one, key)",
  ],
  [
    "a service that hides the log makes a hybrid key the form's",
    "a hybrid key that was not remembered, where nobody shows the log any longer",
    'named === undefined && log !== "unshown"',
    "named === undefined",
  ],
  [
    "no seed is compared with the log",
    "another seed than the log names",
    "|| isLoggedSeed(own, named) ?",
    "|| named !== undefined ?",
  ],
  [
    "an entry without a reply key denies the seed",
    "a seed of which the log says nothing",
    "named.replyKey === null || ",
    "",
  ],
  [
    "a seed that was remembered goes",
    "a seed that was remembered before the log named another",
    "(seen?.seedHash ?? null) !== null || ",
    "",
  ],
  [
    "a seed that was not remembered is, in the next revision",
    "a seed that was not remembered stays so in the next revision",
    "(seen?.seedHash ?? null) !== null ||",
    "seen !== undefined ||",
  ],
  [
    "a seed that was not remembered is never",
    "the right seed, where another one was not remembered",
    "(seen?.seedHash ?? null) !== null || isLoggedSeed(own, named) ?",
    "seen?.seedHash !== null && isLoggedSeed(own, named) ?",
  ],
  [
    "what is not published is settled by the log",
    "another seed than the log names, above what is published",
    "!key.isPublished || own === undefined",
    "own === undefined",
  ],
  [
    "nobody sees that there is another hybrid key",
    "a hybrid key that the list names, and the log names another",
    "(key.seedHash === null || hasOtherHybrid(key))",
    "key.seedHash === null",
  ],
  [
    "nobody sees that there is another seed",
    "another seed than the log names",
    "(key.seedHash === null || hasOtherHybrid(key))",
    "hasOtherHybrid(key)",
  ],
  [
    "what the list alone lacks is said of the log",
    "a hybrid key that the list does not have",
    "isNamedIn(log, key) &&\n",
    "\n",
  ],
]);

/** Mistakes about what the first revision of an envelope that is seen has to have; planted-cases.ts. */
export const namedMutants = mutantsOf("planted-keys.ts", [
  [
    "what its writer has seen in the log may be missing",
    "the newest that its writer has seen is missing",
    "(number <= keyLog.number || key.version < newest)",
    "key.version < newest",
  ],
  [
    "an older entry is enough",
    "none below the newest, of an older entry",
    "(number <= keyLog.number || key.version < newest)",
    "number <= keyLog.number",
  ],
  ["all of the log has to be there", "made since", "(number <= keyLog.number || key.version < newest) && ", ""],
  [
    "versions that the log does not name are above those that it names",
    "above the newest that the log names, with one that it does not name above that",
    "const newest = own.reduce((highest, { key }) => (isHeld(key) ? Math.max(highest, key.version) : highest), 0);",
    "const newest = keys.reduce((highest, { version }) => Math.max(highest, version), 0);",
  ],
  [
    "any key of a version is the one that the log names",
    "another key than the log names",
    "keys.some((key) => key.version === version && key.fingerprint === fingerprint);",
    "keys.some((key) => key.version === version);",
  ],
  [
    "every envelope has all versions",
    "of another envelope",
    "log.entries.filter(({ key }) => firstVersionOf(key.version) === firstVersion)",
    "log.entries",
  ],
]);

/** The same about what the log denies of what is remembered. */
export const deniedMutants = mutantsOf("planted-keys.ts", [
  [
    "what was never published is asked about",
    "a key that was never published",
    "!key.isPublished || named === undefined || own",
    "named === undefined || own",
  ],
  [
    "any key of the version in the revision has the log's value",
    "another key of the version in the revision",
    " || own?.fingerprint !== fingerprint ||",
    " || own === undefined ||",
  ],
  [
    "a manager's own log is a reason",
    "its entry is the writer's own",
    "!isByOwner && log.entries.every(({ key, signedBy }) => key.version !== version || writerKeys.has(signedBy))",
    "false",
  ],
  [
    "any entry of the log speaks for the key",
    "its entry is the writer's own",
    "key.version !== version || writerKeys.has(signedBy));",
    "writerKeys.has(signedBy));",
  ],
  [
    "one entry of the writer's own is enough not to ask",
    "two entries name it, of which one is the writer's own",
    "log.entries.every(({ key, signedBy }) => key.version !== version || writerKeys.has(signedBy));",
    "log.entries.some(({ key, signedBy }) => key.version === version && writerKeys.has(signedBy));",
  ],
  ["an owner's own log is no reason", "its entry is the writer's own, and of an owner", "!isByOwner && log", "log"],
  [
    "a hybrid key that is not remembered is denied",
    "nothing is remembered",
    "hybridFingerprint !== null &&\n      named.hybridFingerprint !== hybridFingerprint",
    "named.hybridFingerprint !== hybridFingerprint",
  ],
  [
    "the seed that the log names is denied",
    "what is remembered",
    "seedHash !== null && hash !== seedHash &&",
    "seedHash !== null &&",
  ],
  [
    "a hybrid key gives way to any",
    "another hybrid key in the revision than the log names",
    " &&\n      named.hybridFingerprint === own.hybridFingerprint;",
    ";",
  ],
  [
    "a seed gives way to any",
    "another seed in the revision than the log names",
    "named.replyKey !== null && named.replyKey === own.replyKey",
    "named.replyKey !== null",
  ],
  [
    "an entry without a reply key denies the seed",
    "a seed of which the log says nothing",
    "named.replyKey !== null && named.replyKey === own.replyKey",
    "[null, own.replyKey].includes(named.replyKey)",
  ],
  [
    "a seed that is not remembered is denied",
    "nothing is remembered",
    "seedHash !== null && hash !== seedHash",
    "hash !== seedHash",
  ],
]);

/** The same about hybrid keys of the list that a first sight has to have. */
export const askedMutants = mutantsOf("planted-keys.ts", [
  [
    "the list alone decides",
    "the log names another",
    "if (published?.some(isOther) !== true) return published;",
    "return published;",
  ],
  [
    "no hybrid key of a logged version is asked for",
    "list and log name it",
    "return named !== undefined && named.hybridFingerprint !== (key.hybridFingerprint ?? null);",
    "return named !== undefined;",
  ],
  [
    "an entry without a hybrid key says nothing about that of the list",
    "the log names none",
    "named !== undefined && named.hybridFingerprint !== (key.hybridFingerprint ?? null)",
    "named !== undefined && ![null, key.hybridFingerprint].includes(named.hybridFingerprint)",
  ],
  [
    "a log that does not name the version decides",
    "the log does not name the version",
    "return named !== undefined && named.hybridFingerprint !== (key",
    'return log !== "none" && (named?.hybridFingerprint ?? null) !== (key',
  ],
]);
