/** A word or phrase that a native engineer would not use, and what to write instead. */
export interface WordRule {
  /** In lower case; alternatives of one phrase stand in one rule. Matched as whole words, in prose and inside names. */
  readonly avoid: readonly string[];
  readonly use: string;
  /** Phrases around it that are plain English, or names that never change. */
  readonly unless?: readonly string[];
}

export const wordRules: readonly WordRule[] = [
  { avoid: ["fault", "faults", "faulty"], use: "error, issue, fieldErrors, invalid" },
  { avoid: ["journey", "journeys"], use: "round trip" },
  { avoid: ["execute together", "commit together"], use: "pipeline" },
  { avoid: ["hold forms", "compile stay"], use: "lockForm, and what the lock is for" },
  { avoid: ["take rows"], use: "select for update skip locked" },
  { avoid: ["basis", "basis of"], use: "settings snapshot" },
  { avoid: ["delivery turn", "delivery turns"], use: "send run" },
  { avoid: ["lane", "lanes"], use: "per-host limits" },
  { avoid: ["wake up", "wake ups", "wakeup", "wakeups"], use: "notification" },
  { avoid: ["exchange", "exchanges", "exchanged"], use: "settleAndClaim, sendRequest" },
  { avoid: ["judge", "judged", "judges", "judging"], use: "classify" },
  { avoid: ["blame", "blamed", "blames", "forgive", "forgiven", "forgives"], use: "markInvalid, clearInvalid" },
  { avoid: ["library problem", "library request"], use: "better-auth-error, better-auth-request" },
  {
    avoid: ["mails", "mail refusal", "mail refusals"],
    use: "emails, email_opt_out",
    // Metrics, and actions of the audit log.
    unless: ["mails waiting", "mails oldest", "mails turned on", "mails turned off"],
  },
  {
    avoid: ["holder", "holders", "key uses"],
    use: "principal, last-used",
    unless: ["account holder", "account holders"],
  },
  { avoid: ["told"], use: "notified" },
  { avoid: ["anew"], use: "again" },
  { avoid: ["beside"], use: "alongside, next to, in addition to" },
  {
    avoid: ["behind"],
    use: "after",
    unless: [
      "behind a proxy",
      "behind the proxy",
      "behind proxies",
      "behind a load balancer",
      "behind caddy",
      "behind nginx",
      "behind a licence",
      "left behind",
      "leave behind",
      "leaves behind",
    ],
  },
  { avoid: ["whoever"], use: "anyone who" },
  { avoid: ["at hand"], use: "available" },
  { avoid: ["as it is", "as they are"], use: "unchanged", unless: ["as it is read", "as they are read"] },
  { avoid: ["the way of", "way of one"], use: "path of, how … travels" },
  { avoid: ["goes on", "go on", "went on", "gone on", "going on"], use: "continue, resume" },
  { avoid: ["stands in", "stand in", "stood in"], use: "is in", unless: ["stands in for", "stand in for"] },
  { avoid: ["is none", "are none"], use: "is not a …", unless: ["there is none", "there are none"] },
  { avoid: ["as the system"], use: "System" },
  { avoid: ["there is no such page"], use: "Page not found" },
  { avoid: ["says behind its language"], use: "has an annotation after its language" },
  { avoid: ["only who has this", "not who runs the server"], use: "only someone with, the server's operator" },
  { avoid: ["thirty times"], use: "crash tests: what is done, and what may not be lost" },
  { avoid: ["each such way"], use: "is called a" },
  { avoid: ["stand in no environment"], use: "keeps them out of the process environment" },
  { avoid: ["columns instead of rows"], use: "column arrays" },
];

/** A form that no list of words finds. */
export interface PatternRule {
  readonly pattern: RegExp;
  readonly use: string;
  readonly sample: string;
  /** The paths that it is for; all without it. The titles of tests that a document cites are left out. */
  readonly in?: RegExp;
}

/** Every document but the change log and the results of measurements, which are kept as they were written. */
const documents = /^(?!CHANGELOG|bench\/).*\.md$/;

export const patternRules: readonly PatternRule[] = [
  {
    pattern: /(?:\/\*\*?|\/\/) What (?!['’]s\b)/,
    use: "the noun first: “Tombstone of a deleted submission”",
    sample: "/** What is left of a deleted submission. */",
  },
  {
    pattern: /(?:\/\*\*?|\/\/) (?:Of|From when|From (?:now|then|here) on)\b/,
    use: "the noun or the verb first: “The owner's form”, “Stops …”",
    sample: "/** Of a form that was deleted. */",
  },
  {
    pattern: /\bis(?:Disturbed|Missed|Cautious|ClockBelieved)\b/,
    use: "wakeRequested, contended, degraded, isClockTrusted",
    sample: "isClockBelieved",
  },
  {
    pattern: /\b(?:test|it|describe)\(\s*["`](?:nor|and|but|or|so|also|then|he|she|it|its|they)\b/,
    use: "a title that stands alone",
    sample: 'test("nor does he keep that browser from entering the code", async () => {});',
  },
  {
    // With 0.2.0 there are earlier versions to care for, and this rule goes.
    pattern:
      /\b[Oo]lder process(?:es)?\b|\bprocess(?:es)? of (?:an older version|the version before)\b|\b(?:account|session|entry|email|link)s? of an older version\b|\bfrom before this was kept\b|\bat the upgrade\b/,
    use: "nothing: there is no data and no process of an earlier version (docs/decisions/0036-one-baseline.md)",
    sample: "Null for a session of an older version.",
  },
  { pattern: /\b[Ee]-mails?\b/, use: "email", sample: "The account's e-mail address." },
  { pattern: /(?:^|\n)(?:<{7}|>{7}) /, use: "the lines of one side: a merge was not finished", sample: "<<<<<<< HEAD" },
  {
    pattern:
      /\b(?:[Ww]hom|(?:for|by|of|to|from|with|than|that|but) who (?:is|has|was|can|knows|asks|comes|sees|reads|gets|made|runs|does|may|owns|wants|set|signs|writes|had|holds|takes|loses))\b/,
    use: "anyone who, somebody who is named in, the server's operator",
    sample: "Each entry is signed by somebody whom the entry before names.",
    in: documents,
  },
  {
    // A question and a heading may begin so.
    pattern:
      /[.:;|] \*{0,2}Who (?:is|has|was|can|knows|asks|comes|sees|loses|gets|takes|reads|does|signs|holds)\b(?![^.|]*\?)/,
    use: "anyone who, a person without",
    sample: "The link works once. Who has no account signs up.",
    in: documents,
  },
  {
    pattern:
      /\b(?:once more|any more(?! than)|no more(?= does\b)|is no \w+ any more|or else|[Mm]eanwhile|[Ff]rom (?:then|now) on)\b/,
    use: "again, no longer, otherwise, afterwards; or leave it out",
    sample: "The key can't be brought back any more.",
    in: documents,
  },
  {
    pattern: /\bby (?:itself|themselves)\b/,
    use: "automatically, on its own, without …",
    sample: "The service recovers by itself.",
    in: documents,
  },
  {
    pattern: /\b(?:[Tt]here (?:is|are) none|nothing of (?:it|them)|that which|such a one|an own)\b/,
    use: "no …, none of it, the one that, its own",
    sample: "The page says so, and uses nothing of it.",
    in: documents,
  },
];

/** Places where a word stays, each with its reason. A place where the word is gone must leave the list. */
export const exceptions: readonly {
  readonly path: string;
  readonly words: readonly string[];
  readonly reason: string;
}[] = [
  { path: "tests/words/", words: ["*"], reason: "the list itself" },
  { path: "clients/python/", words: ["is none"], reason: "an operator and a value of Python" },
  { path: "tests/faults/", words: ["faults"], reason: "fault injection is the field's own word" },
  { path: "scripts/test-passes.ts", words: ["faults"], reason: "names the folder tests/faults" },
  { path: "docs/attacks.md", words: ["faults"], reason: "names the folder tests/faults" },
  { path: "docs/threat-model.md", words: ["faults"], reason: "names the folder tests/faults" },
  { path: "tests/postgres/run-service-tests.ts", words: ["faults"], reason: "names the folder tests/faults" },
  { path: "packages/dashboard/src/", words: ["basis"], reason: "a class of Tailwind" },
  {
    path: "packages/texts/src/en/dashboard/audit-log.ts",
    words: ["mails"],
    reason: "a kind of actions of the audit log",
  },
  { path: "scripts/documentation/style/", words: ["basis"], reason: "a property of CSS" },
  { path: "packages/pii/src/field-words.ts", words: ["holder"], reason: "a word that names a field" },
  { path: "packages/pii/src/fields.test.ts", words: ["holder"], reason: "a word that names a field" },
  { path: "packages/pii/src/fields.test.ts", words: ["e-mail", "E-mail"], reason: "labels of other people's forms" },
  { path: "tests/dashboard/headings.test.ts", words: ["e-mail", "E-mail"], reason: "names of visitors' fields" },
  {
    path: "packages/server/src/database/background-steps",
    words: ["process of the version before"],
    reason: "what a later migration has to care for",
  },
  { path: "docs/architecture.md", words: ["processes of the version before"], reason: "the same" },
  { path: "docs/decisions/0036", words: ["process of an older version"], reason: "says what is gone" },
  {
    path: "docs/codes.md",
    words: ["whom", "meanwhile", "nothing of it", "any more"],
    reason: "sentences of the API, as programs know them",
  },
  {
    path: "packages/wire/src/testing/",
    words: ["at hand", "behind", "beside"],
    reason: "names of published test vectors",
  },
];
