import * as read from "./readers.ts";

export interface Source {
  readonly repository: string;
  /** What the figures in bench/RESULTS.md were measured with. */
  readonly commit: string;
  readonly language?: "en" | "de" | "fr" | "es";
  readonly read: (folder: string) => read.LabelledText[];
}

/** Sentences and test lists that name what is in them. */
export const labelledSources: readonly Source[] = [
  {
    repository: "microsoft/presidio-research",
    commit: "7622dec1e5f7d25dc60b57c28c39f4c4af197018",
    read: read.readPresidioResearch,
  },
  {
    repository: "microsoft/presidio",
    commit: "0aa9f8e44275cb52c00fbbebe19168e934e1f076",
    read: read.readPresidioTests,
  },
  { repository: "DataFog/datafog-python", commit: "b34c04c0f93700799366dee0dbd014e3965c921e", read: read.readDatafog },
  { repository: "solvvy/redact-pii", commit: "392a69a8d82de020731dcc10ef830e55fcb7e68d", read: read.readRedactPii },
  { repository: "LeapBeyond/scrubadub", commit: "53772cbef417da290d25c95373031f786ab3b5c6", read: read.readScrubadub },
  {
    repository: "madisonmay/CommonRegex",
    commit: "2425abdb79c8992b8b655c27e1fb195cc54457ab",
    read: read.readCommonRegex,
  },
  {
    repository: "validatorjs/validator.js",
    commit: "cdb7dafc281d14125b924969bf3ee5bc482ec169",
    read: read.readValidatorTests,
  },
  {
    repository: "google/libphonenumber",
    commit: "f7e3e88c92b905c8d6edb81f336dbe25edc05b52",
    read: read.readLibphonenumber,
  },
];

/** Mobile numbers without a word around them, each in a form of its own country. */
export const phoneSource: Source = {
  repository: "validatorjs/validator.js",
  commit: "cdb7dafc281d14125b924969bf3ee5bc482ec169",
  read: read.readValidatorPhones,
};

const treebanks = [
  ["UD_English-EWT", "en", "15d613d8447b3478787d4c278730a1e48a945efb"],
  ["UD_English-GUM", "en", "afb41ee9bca57991125814fa04d96a0e61470c8b"],
  ["UD_German-GSD", "de", "297fcf350481058d0737a27f0f8fd03b2eadd67a"],
  ["UD_German-PUD", "de", "ff80846ae60a0a70fc4d6251ef73e6a483a620ee"],
  ["UD_French-GSD", "fr", "830e2782304af08b3cc1c9250475343e04274d81"],
  ["UD_French-Sequoia", "fr", "f5b049600c89d2cf15ebbec860f75d703884d32b"],
  ["UD_French-PUD", "fr", "c245786cfb3020d43bcfc96215ae531a1b07bcbc"],
  ["UD_Spanish-GSD", "es", "57c045644664e5c1e169263cc4e3b95e40c078ba"],
  ["UD_Spanish-PUD", "es", "818a82b8628c9cbec78750c7e83ccba34b9ce22b"],
] as const;

/** Mails, reviews, answers, blogs, news, encyclopaedias: what is personal in them we labelled ourselves (labels.json). */
export const proseSources: readonly Source[] = treebanks.map(([name, language, commit]) => ({
  repository: `UniversalDependencies/${name}`,
  commit,
  language,
  read: read.readTreebank,
}));

/** Pages of sign-ups, checkouts and sign-ins as they were on the web, each field with what it asks for in `data-manual-scoring`. */
export const pageSource = {
  repository: "duckduckgo/duckduckgo-autofill",
  commit: "af4a88bda37c6f8cde71c0a47d4e67bc42cfb7ed",
} as const;
