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
    "seen?.isAhead === true && before?.revision === head.revision",
    "false",
  ],
  [
    "what was once ahead of its time is so for ever",
    "a key that was seen ahead of its time is in the next revision, and listed",
    " && before?.revision === head.revision",
    "",
  ],
  [
    "what nobody could say anything of is taken for ahead of its time",
    "a key that was seen where the list could not be read",
    "seen?.isAhead === true",
    "seen?.isPublished === false",
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
    "key.version === version && key.fingerprint === fingerprint);\n}\n\n/** Whether the log may",
    "key.version === version);\n}\n\n/** Whether the log may",
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
