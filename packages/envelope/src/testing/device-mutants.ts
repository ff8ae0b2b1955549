// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text
import { mutantsOf } from "../../../../tests/support/mutants.ts";

const noProof = "return isWhole && proof === null;";
const provenOf = "{ requestId, personId, commitment, recipient, signingKey, nonce }";
const left = (member: string) => provenOf.replace(`${member}, `, "");
const line = 'return lineOf("proof", ';

/** Mistakes that a new device could make with a challenge; vectors/devices.json. */
export const challengeMutants = mutantsOf("device.ts", [
  [
    "a missing proof is right",
    "scanned and no proof",
    'const bytes = decodeBase64Url(proof ?? "?");',
    "if (proof === null) return true;\n  const bytes = decodeBase64Url(proof);",
  ],
  ["a proof that nobody asked for is taken", "not scanned, with a proof", noProof, "return isWhole;"],
  ["an empty proof counts as missing", "not scanned, with an empty proof", noProof, "return isWhole && !proof;"],
  [
    "proofs of the draft before are taken",
    "a proof as in the draft before",
    "return bytes !== undefined && crypto",
    'const key = await importSecret(secret);\n  const old = new TextEncoder().encode(`sealpost-device/1\\nproof\\n${provenLine(request, challenge).split("\\n")[1]}`);\n  if (bytes !== undefined && (await crypto.subtle.verify("HMAC", key, bytes, old))) return true;\n  return bytes !== undefined && crypto',
  ],
  ["nonces are not looked at", "not scanned, with a nonce of no bytes", " && is16Bytes(challenge.nonce);", ";"],
  ["signing keys are not looked at", "a signing key of 31 bytes", " && is32Bytes(challenge.signingKey)", ""],
  ["any recipient is taken", "a recipient of X25519", "isRecipient(challenge.recipient) && ", ""],
]).concat(
  mutantsOf(
    "device.ts",
    ["requestId", "personId", "commitment"].map(
      (member) => [`${member} is not proven`, "scanned", `${line}${provenOf}`, `${line}${left(member)}`] as const,
    ),
    true,
  ),
);

const request = 'check(content.commitment === commitment && content.personId === personId, "other_key");';
const signature = "await verifyLine(headsFormat, line, signature, signingKey);";

/** Mistakes that a new device could make with heads; vectors/devices.json. */
export const deviceHeadsMutants = mutantsOf("device-heads.ts", [
  [
    "a key is published and ahead of its time",
    "heads: a published key that was ahead of its time",
    "check(!(isPublished && isAhead) && ",
    "check(",
  ],
  [
    "a key is unproven that is not published",
    "heads: an unproven key that is not published",
    " && (isPublished || !isUnproven)",
    "",
  ],
  [
    "every key has a seed",
    "heads: a key whose seed is not remembered",
    "key.seedHash === null ? null : parse32Bytes(key.seedHash)",
    "parse32Bytes(key.seedHash)",
  ],
  ["heads of any handover are taken", "heads: of an earlier handover", "content.commitment === commitment && ", ""],
  ["heads of any person are taken", "heads: for another person", " && content.personId === personId", ""],
  [
    "the signature is looked at first",
    "heads: of an earlier handover, by somebody else",
    `${request}\n  ${signature}`,
    `${signature}\n  ${request}`,
  ],
  ["signatures are not checked", "heads: by somebody else", signature, ""],
  [
    "what was signed for a list is taken",
    "heads: signed as the head of a list",
    signature,
    signature.replace(";", '.catch(() => verifyLine("sealpost-head/1", line, signature, signingKey));'),
  ],
  ["what is critical is ignored", "heads: a critical extension", "  checkCritical(content);\n", ""],
  [
    "what is critical is looked at first",
    "heads: a critical extension, by somebody else",
    `  ${request}`,
    `  checkCritical(content);\n  ${request}`,
  ],
  ["items in any order are taken", "heads: lists in another order", 'check(isAscending, "malformed");', ""],
  ["an item counts twice", "heads: a list twice", "item) < 0)", "item) <= 0)"],
  [
    "a version counts twice",
    "heads: two for the same version",
    "compareForms(one, other) || one.firstVersion - other.firstVersion",
    "compareForms(one, other) || -1",
  ],
  ["names are not looked at", "heads: a form's name of two lines", "parseName(formName)", "String(formName)"],
  ["any role is confirmed", "heads: a role that nobody has", "role: parseRole(role)", "role: role as never"],
  [
    "any number of an entry is taken",
    "heads: a member confirmed by no entry",
    "entry: parseCount(entry, entryNumberMax)",
    "entry: Number(entry)",
  ],
  [
    "confirmed members need a signing key",
    "heads: a confirmed program",
    "signingKey: signingKey === null ? null : parse32Bytes(signingKey)",
    "signingKey: parse32Bytes(signingKey)",
  ],
  [
    "somebody is in one organization",
    "heads: a member of two organizations",
    "compareLists(one, other) || compareIds(one, other)",
    "compareIds(one, other)",
  ],
  [
    "an organization has one confirmed member",
    "heads: 257 confirmed members",
    "compareLists(one, other) || compareIds(one, other)",
    "compareLists(one, other)",
  ],
  [
    "one envelope of a form is enough",
    "heads: two envelopes of a form",
    "compareForms(one, other) || one.firstVersion - other.firstVersion",
    "compareForms(one, other)",
  ],
  ["versions in any order are taken", "heads: versions in another order", "one.version - other.version", "-1"],
  [
    "a key is needed",
    "heads: an envelope without keys",
    "parseAscending(keys, keysMax",
    "parseAscending(parseArray(keys, keysMax), keysMax",
  ],
  ["lists are as many as in a draft before", "heads: 65 lists", "lists, deviceHeadsMax", "lists, 64"],
  [
    "members are as many as in a draft before",
    "heads: 257 confirmed members",
    "confirmed, deviceHeadsMax",
    "confirmed, 256",
  ],
  [
    "what is left out is not looked at",
    "heads: with nothing said of what is left out",
    "leftOut: parseLeftOut(parseObject(leftOut))",
    "leftOut: leftOut as LeftOutHeads",
  ],
  [
    "nothing may be left out",
    "heads: with some left out",
    "return value === 0 ? 0 : parseCount(value, leftOutMax);",
    'check(value === 0, "malformed");\n  return 0;',
  ],
  [
    "any number may be left out",
    "heads: with less than nothing left out",
    "return value === 0 ? 0 : parseCount(value, leftOutMax);",
    "return Number(value);",
  ],
  ["any format is taken", "heads: a format to come", "/^sealpost-device-heads\\/1$/", "/./"],
  ["times are not looked at", "heads: a day that no calendar has", "parseTime(writtenAt)", "String(writtenAt)"],
  ["any id is taken", "heads: an id of another form", "personId: parseId(personId)", "personId: String(personId)"],
]);
