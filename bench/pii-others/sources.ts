import * as read from "./readers.ts";
import * as lists from "./test-lists.ts";

export interface Source {
  readonly repository: string;
  /** The sources of the figures in bench/RESULTS.md. */
  readonly commit: string;
  /** The licence that the repository's own file names. Nothing of the repository is copied here. */
  readonly licence?: string;
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

/** Tests of validators, redactors and secret scanners, for the types of which those above hold fewer than twenty spans in a half. */
export const listSources: readonly Source[] = [
  {
    repository: "secretlint/secretlint",
    commit: "18346ba31b8173d52060b971221ab38c1943def0",
    licence: "MIT",
    read: lists.urlsOf(
      "packages/@secretlint/secretlint-rule-basicauth/test",
      "packages/@secretlint/secretlint-rule-database-connection-string/test",
    ),
  },
  {
    repository: "trufflesecurity/trufflehog",
    commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364",
    licence: "AGPL-3.0",
    read: lists.urlsOf(
      ...["uri", "mongodb", "postgres", "redis", "ftp", "ldap", "rabbitmq", "couchbase", "jdbc"].map(
        (name) => `pkg/detectors/${name}/${name}_test.go`,
      ),
    ),
  },
  {
    repository: "Yelp/detect-secrets",
    commit: "5e141933554a0b74e7341841f318be21e895339c",
    licence: "Apache-2.0",
    read: lists.urlsOf("tests/plugins/basic_auth_test.py"),
  },
  {
    repository: "jazzband/dj-database-url",
    commit: "fd92df5cc543b331b539d4359ba02d401ec59a97",
    licence: "BSD-3-Clause",
    read: lists.urlsOf("tests/test_dj_database_url.py"),
  },
  {
    repository: "mongodb-js/devtools-shared",
    commit: "98e7f8a70d82a2287b4b69d5144f33c5cd8cf0a2",
    licence: "Apache-2.0",
    read: lists.urlsOf("packages/mongodb-redact/src/redact-connection-string.spec.ts"),
  },
  {
    repository: "microsoft/security-utilities",
    commit: "638ad20eb4d446319a31e9c0ed293d087b4ffa55",
    licence: "MIT",
    read: lists.urlsOf("src/Tests.Microsoft.Security.Utilities.Core/SecretMaskerTests.cs"),
  },
  {
    repository: "alexwhin/redactum",
    commit: "9627735df592d7a58928714286904f8c81f0ae9b",
    licence: "MIT",
    read: (folder) => [...lists.readRedactum(folder), ...lists.urlsOf("tests/categories")(folder)],
  },
  {
    repository: "PaperMtn/watchman-signatures",
    commit: "d94ab6fc162b61be8e95e2edd30bd788fc8bd5e7",
    licence: "GPL-3.0",
    read: lists.valuesOf({
      file: "signatures/compliance/itin_numbers.yaml",
      type: "US_ITIN",
      pattern: /match_cases:\n((?: +- .*\n)+)(?= +fail_cases)/g,
    }),
  },
  {
    repository: "uphold/itin-validator",
    commit: "43b8dd9bce125adb64f5acc85a2ae255c0b1da7c",
    licence: "MIT",
    read: lists.valuesOf({ file: "test/index_test.js", type: "US_ITIN", pattern: / {2}valid: \[(.*)\]/g }),
  },
  {
    repository: "hmrc/domain",
    commit: "7902b145226067d1e2d54bc31a85df96758c59cc",
    licence: "Apache-2.0",
    read: lists.valuesOf({
      file: "shared/src/test/scala/uk/gov/hmrc/domain/NinoSpec.scala",
      type: "UK_NINO",
      pattern: /validateNino\("([^"]+)"\)\s*should equal\(true\)/g,
    }),
  },
  {
    repository: "Tom-Hudson/test-nino",
    commit: "49515a96c142bf0c85c481b34d1abd431162f72c",
    licence: "MIT",
    read: lists.valuesOf({
      file: "src/validate.spec.ts",
      type: "UK_NINO",
      pattern: /it\.each\(\[([^\]]*)\]\)\('should return valid/g,
    }),
  },
  {
    repository: "koblas/stdnum-js",
    commit: "7238bba4dffe5f823721e23fd5e05c6edc4b6fc5",
    licence: "MIT",
    read: lists.valuesOf({
      file: "src/gb/nino.spec.ts",
      type: "UK_NINO",
      pattern: /(?:format|validate)\('([^']+)'\);\s+expect\(result(?:\.isValid|\)\.toEqual)/g,
    }),
  },
  {
    repository: "identique/idnumbers-npm",
    commit: "8f348df118c69211805a25fa2baacb0d9176ad5a",
    licence: "MIT",
    read: lists.valuesOf({
      file: "src/__tests__/comprehensive-validation.test.ts",
      type: "UK_NINO",
      pattern: /validateNationalId\('(?:GBR|UK)', '([^']+)'\)\.isValid\)\.toBe\(true\)/g,
    }),
  },
  {
    repository: "LeapBeyond/scrubadub",
    commit: "53772cbef417da290d25c95373031f786ab3b5c6",
    licence: "Apache-2.0",
    read: lists.readBeforeAfter("tests/test_detector_en_GB_nino.py", "{{NATIONAL_INSURANCE_NUMBER}}", "UK_NINO"),
  },
  {
    repository: "sam247/openredaction",
    commit: "8141e5e8387a8ea4e2922524b168bbd74ae6d4b0",
    licence: "MIT",
    read: lists.valuesOf(
      {
        file: "packages/core/tests/validators.test.ts",
        type: "UK_NINO",
        pattern: /validateNINO\("([^"]+)"\)\)\.toBe\(true\)/g,
      },
      {
        file: "packages/core/tests/validators.test.ts",
        type: "UK_NHS",
        pattern: /validateNHS\("([^"]+)"\)\)\.toBe\(true\)/g,
      },
    ),
  },
  {
    repository: "imliam/php-nhs-number",
    commit: "61578fe79696855ed062cdee3ee173cf11666bf4",
    licence: "MIT",
    read: lists.valuesOf({
      file: "tests/Unit/NhsNumberTest.php",
      type: "UK_NHS",
      pattern: /\$validNhsNumbers = \[([^\]]*)\]/g,
    }),
  },
  {
    repository: "rowellx68/valid-nhsnum",
    commit: "9dfad2d1fa20435169107623929d759244c5bc16",
    licence: "MIT",
    read: lists.valuesOf({
      file: "packages/valid-nhsnum/src/index.spec.ts",
      type: "UK_NHS",
      pattern: /it\.each\(\[([^\]]*)\]\)\('returns true/g,
    }),
  },
  {
    repository: "uk-fci/nhs-number",
    commit: "94d8df575eb4070955863353933f0cbe1ce12dc0",
    licence: "MIT",
    read: lists.valuesOf({
      file: "tests/test_validate.py",
      type: "UK_NHS",
      pattern: /is_valid\("([^"]+)".*\) is True/g,
    }),
  },
  {
    repository: "joelparkerhenderson/nhs-number-using-rust",
    commit: "bba18de7e23d7802d38eba612ea858b87c45fecf",
    licence: "MIT OR Apache-2.0 OR GPL-2.0 OR GPL-3.0",
    read: lists.valuesOf({
      file: "examples/bulk_processing.rs",
      type: "UK_NHS",
      pattern: /"(\d{3} \d{3} \d{4})", \/\/ valid/g,
    }),
  },
  {
    repository: "python-validators/validators",
    commit: "9bc7e82f7bf0fb3990eb287e11323fb6ca1c87cf",
    licence: "MIT",
    read: lists.valuesOf(
      ...(
        [
          ["tests/test_mac_address.py", "MAC_ADDRESS"],
          ["tests/crypto_addresses/test_btc_address.py", "CRYPTO"],
          ["tests/crypto_addresses/test_eth_address.py", "CRYPTO"],
        ] as const
      ).map(([file, type]) => ({
        ...{ file, type, pattern: /\[\n([^\]]*)\],?\n\)\ndef test_returns_true/g },
      })),
    ),
  },
  {
    repository: "pydantic/pydantic-extra-types",
    commit: "170714b724e56ba66a10090768084feebf3ee85d",
    licence: "MIT",
    read: lists.valuesOf({
      file: "tests/test_mac_address.py",
      type: "MAC_ADDRESS",
      pattern: /\(\s*'([\da-fA-F:.-]+)',\s*'[\da-fA-F:]+',\s*True/g,
    }),
  },
  {
    repository: "philterd/phileas",
    commit: "9bec2a1be4da0ffafcdf01bc35e60bc7a5b1895f",
    licence: "Apache-2.0",
    read: lists.readPhileas,
  },
  {
    repository: "bitcoinjs/bitcoinjs-lib",
    commit: "248789d25b9833ed286c9ca4b9bfd93f099fd8a3",
    licence: "MIT",
    read: lists.valuesOf({
      file: "test/fixtures/address.json",
      type: "CRYPTO",
      pattern: /"network": "(?:bitcoin|testnet)",[^{}]*?"(?:base58check|bech32)": "(\w+)",/g,
    }),
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

/** Emails, reviews, answers, blogs, news, encyclopaedias: what is personal in them we labelled ourselves (labels.json). */
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
