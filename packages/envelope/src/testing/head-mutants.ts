import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make who checks signed heads; vectors/signed-heads.json. */
export const headMutants = [
  ...mutantsOf("signed-head.ts", [
    [
      "any format is taken",
      "head: of a format to come",
      'check(format === headFormat, "malformed");\n  return {\n    format,',
      "return {\n    format: format as typeof headFormat,",
    ],
    [
      "heads of any organization are taken",
      "head: of another organization",
      'check(content.organizationId === organizationId, "other_organization");',
      "",
    ],
    [
      "the organization is looked at last",
      "head: of another organization, by somebody else",
      'check(content.organizationId === organizationId, "other_organization");',
      "",
      "  return content.list;",
      '  check(content.organizationId === organizationId, "other_organization");\n  return content.list;',
    ],
    [
      "signatures are not checked",
      "head: by another member, in the name of this one",
      "await verifyLine(headFormat, line, signature, signingKey);",
      "",
    ],
    [
      "what was signed for a list is taken",
      "head: signed as an entry of a list",
      "await verifyLine(headFormat, line, signature, signingKey);",
      'await verifyLine(headFormat, line, signature, signingKey).catch(() => verifyLine("sealpost-list/1", line, signature, signingKey));',
    ],
    [
      "what was signed for a device is taken",
      "head: as a signature of a device's heads",
      "await verifyLine(headFormat, line, signature, signingKey);",
      'await verifyLine(headFormat, line, signature, signingKey).catch(() => verifyLine("sealpost-device-heads/1", line, signature, signingKey));',
    ],
    ["what is critical is ignored", "head: with a critical extension", "checkCritical(content);", ""],
    [
      "what is critical is looked at first",
      "head: with a critical extension, by another member",
      "  check(content.organizationId",
      "  checkCritical(content);\n  check(content.organizationId",
    ],
    ["any time is taken", "head: signed on 30 February", "parseTime(writtenAt)", "String(writtenAt)"],
    ["any id is taken", "head: by an id of another form", "signedBy: parseId(signedBy)", "signedBy: String(signedBy)"],
  ]),
  ...mutantsOf("text.ts", [
    [
      "unknown members are ignored",
      "head: with a member that nobody knows",
      "parseContentLine(line, parse)",
      "parse(JSON.parse(line))",
    ],
    ["white space is ignored", "head: with white space", "parseContentLine(line, parse)", "parse(JSON.parse(line))"],
    [
      "numbers begin with 0",
      "head: of entry 0",
      "Number.isSafeInteger(value) && Number(value) >= 1",
      "Number.isSafeInteger(value)",
    ],
    ["shorter hashes are taken", "head: a hash of 31 bytes", "{42}[AEIMQUYcgkosw048]", "{42}[AEIMQUYcgkosw048]?"],
  ]),
  ...mutantsOf("signature.ts", [
    [
      "a third line is ignored",
      "head: three lines",
      'check(end === "" && more.length === 0, "malformed");',
      'check(end === "", "malformed");',
    ],
    [
      "the last line feed may be missing",
      "head: without its last line feed",
      'check(end === "" && more.length === 0, "malformed");',
      'check(!end && more.length === 0, "malformed");',
    ],
  ]),
  ...mutantsOf(
    "signed-head.ts",
    [
      [
        "an id is compared with the one that a service names",
        "head: under another id of the person",
        "await verifyLine(headFormat, line, signature, signingKey);",
        'check(content.signedBy === "acc_01jd8z0000e8m9a4v5c6d7e8f9", "not_signed");\n  await verifyLine(headFormat, line, signature, signingKey);',
      ],
    ],
    true,
  ),
];
