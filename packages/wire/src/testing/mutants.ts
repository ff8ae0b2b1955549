// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text

import { type Mutant, mutantsOf } from "../../../../tests/support/mutants.ts";
import { committedMutants } from "./committed-mutants.ts";

/** Mistakes that somebody could make in a verifier or an opener; mutants.node.test.ts makes each of them and shows it. */

const signatureFile = "webhook-signature.ts";
const digits = "/^[1-9][0-9]{0,11}$/";
const inTime = "Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds";
const split = 'signature\n    .split(" ", 32)';
const emptyId = 'id === "" || ';
const decoded = "decodeBase64(value.slice(3))";
const signedBody = "signatures, signedContent(id, timestamp, body)";
const compared = "crypto.subtle.verify(hmac, key, signature, content)";
const wellFormed = 'all.every((one) => /^v1,[A-Za-z0-9+/]{43}=$/.test(one)) ? value : ""';

/** The headers of Standard Webhooks; vectors/webhook-verification.json. */
export const standardMutants: readonly Mutant[] = [
  ...mutantsOf(signatureFile, [
    ["no time is checked", "301 seconds old", inTime, "true"],
    ["a window of a year", "half a year old", "toleranceSeconds = 300", "toleranceSeconds = 31_536_000"],
    ["a window of an hour", "an hour old", "toleranceSeconds = 300", "toleranceSeconds = 3600"],
    ["a window of no time", "one second old", "toleranceSeconds = 300", "toleranceSeconds = 0"],
    ["a window of a second less", "300 seconds old", "toleranceSeconds = 300", "toleranceSeconds = 299"],
    ["a window of a second more", "301 seconds old", "toleranceSeconds = 300", "toleranceSeconds = 301"],
    ["a window without its end", "300 seconds ahead", inTime, inTime.replace("<=", "<")],
    ["only the past is checked", "301 seconds ahead", inTime, inTime.replace("Math.abs", "")],
    ["only the future is checked", "301 seconds old", inTime, inTime.replace("Math.abs", "-")],
    ["the future is refused", "one second ahead", inTime, `now / 1000 >= Number(timestamp) && ${inTime}`],
    [
      "a late request is called unsigned",
      "an hour old",
      '"valid" : "timestamp_out_of_tolerance"',
      '"valid" : "invalid_signature"',
    ],
    [
      "the time is checked first",
      "late and not signed",
      `  if (${emptyId}`,
      `  if (!(${inTime})) return "timestamp_out_of_tolerance";\n  if (${emptyId}`,
    ],
    ["a sign is taken", "signed: timestamp with a plus sign", digits, "/^[+-]?[1-9][0-9]{0,11}$/"],
    [
      "every number is taken",
      "signed: timestamp with an exponent",
      `!${digits}.test(timestamp)`,
      "Number.isNaN(Number(timestamp))",
    ],
    ["what begins with digits is taken", "signed: timestamp with a fraction", digits, "/^[1-9][0-9]{0,11}/"],
    [
      "blanks before it are taken",
      "signed: timestamp after a space",
      `${digits}.test(timestamp)`,
      `${digits}.test(timestamp.trimStart())`,
    ],
    ["a line break after it is accepted", "signed: timestamp before a line break", digits, "/^[1-9][0-9]{0,11}\\n?$/"],
    ["leading zeros are taken", "signed: timestamp with a leading zero", digits, "/^[0-9]{1,12}$/"],
    ["zero is taken", "signed: timestamp zero", digits, "/^(0|[1-9][0-9]{0,11})$/"],
    ["13 digits are taken", "signed: timestamp of 13 digits", digits, "/^[1-9][0-9]*$/"],
    ["only ten digits are taken", "signed: timestamp of 12 digits", digits, "/^[1-9][0-9]{0,9}$/"],
    [
      "digits of every script are taken",
      "signed: timestamp in Arabic digits",
      digits,
      "/^\\p{Nd}{1,12}$/u",
      "Number(timestamp))",
      "Number(timestamp.replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))))",
    ],
    ["an empty id is taken", "signed: id empty", emptyId, ""],
    ["a dot in the id is taken", "signed: id with a dot", 'id.includes(".") || ', ""],
    ["only our own ids are taken", "signed: id of another sender", 'id === ""', '!id.startsWith("dlv_")'],
    ["only the first signature is looked at", "signatures: bad, good", split, split.replace("32", "1")],
    ["only the last signature is looked at", "signatures: good, bad", split, split.replace(", 32)", ").slice(-1)")],
    [
      "all signatures must be alike",
      "signatures: good, bad",
      split,
      `${split}.map((value, _, all) => (all.every((one) => one === value) ? value : ""))`,
    ],
    [
      "a malformed signature spoils the rest",
      "signatures: another version, malformed ones, good",
      split,
      `${split}.map((value, _, all) => (${wellFormed}))`,
    ],
    ["all signatures are looked at", "signatures: 33 values, the last one good", split, split.replace(", 32", "")],
    ["one signature fewer is looked at", "signatures: 32 values, the last one good", split, split.replace("32", "31")],
    [
      "a comma separates too",
      "signatures: a comma between",
      split,
      split.replace(".split", '.replaceAll(",v1", " v1").split'),
    ],
    ["a tab separates too", "signatures: a tab between", split, split.replace('" "', "/\\s/")],
    [
      "every version is taken",
      "signatures: right, under another version",
      'value.startsWith("v1,")',
      'value.startsWith("v")',
    ],
    [
      "the version is taken in capitals",
      "signatures: right, under the version in capitals",
      'value.startsWith("v1,")',
      'value.toLowerCase().startsWith("v1,")',
    ],
    [
      "hexadecimal digits are taken",
      "signatures: as hexadecimal digits",
      decoded,
      `(value.length === 67 ? decodeHex(value.slice(3)) : ${decoded})`,
    ],
    [
      "missing padding is mended",
      "signatures: right, without padding",
      decoded,
      'decodeBase64(value.slice(3).padEnd(44, "="))',
    ],
    [
      "the beginning of a signature is enough",
      "signatures: the first 24 characters",
      "value?.length === 32",
      "value !== undefined",
      compared,
      "crypto.subtle.sign(hmac, key, content).then((right) => signature.every((byte, index) => byte === new Uint8Array(right)[index]))",
    ],
    [
      "more than the signature is taken",
      "signatures: a byte more",
      "value?.length === 32",
      "value !== undefined",
      compared,
      compared.replace("signature,", "signature.slice(0, 32),"),
    ],
    [
      "quotes are dropped",
      "signatures: right, in quotes",
      split,
      split.replace(".split", '.replaceAll(\'"\', "").split'),
    ],
    [
      "a signature of the body alone is taken",
      "signed: the body alone",
      `verifyAny(keys, ${signedBody})`,
      `verifyAny(keys, ${signedBody}).then((isRight) => isRight || verifyAny(keys, signatures, body))`,
    ],
    [
      "a key that is the secret's text is taken",
      "signed: under the text of the secret",
      "const keys = secrets.map(secretBytes)",
      "const keys = secrets.flatMap((text) => [secretBytes(text), new TextEncoder().encode(text)])",
    ],
    [
      "the body is parsed and written again",
      "body of another kind",
      signedBody,
      signedBody.replace(
        "body",
        "new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body))))",
      ),
    ],
    [
      "the body is trimmed",
      "body of another kind",
      signedBody,
      signedBody.replace("body", "new TextEncoder().encode(new TextDecoder().decode(body).trim())"),
    ],
    ["an empty body is refused", "body empty", emptyId, `${emptyId}body.length === 0 || `],
  ]),
  ...mutantsOf(
    signatureFile,
    [
      ["the id is not covered", "at its moment", "`${id}.${timestamp}.`", "`${timestamp}.`"],
      ["the timestamp is not covered", "at its moment", "`${id}.${timestamp}.`", "`${id}.`"],
      [
        "the secret is not decoded",
        "at its moment",
        "const keys = secrets.map(secretBytes)",
        "const keys = secrets.map((text) => new TextEncoder().encode(text))",
      ],
    ],
    true,
  ),
];

const header = "/^sha256=([0-9a-f]{64})$/";

/** `X-Service-Signature`; vectors/webhook-signatures.json, `refusedService`. */
export const serviceMutants: readonly Mutant[] = mutantsOf(signatureFile, [
  ["capital digits are taken", "digits in capitals", header, `${header}i`],
  ["any prefix is taken, or none", "no prefix", header, "/^(?:\\w+=)?([0-9a-f]{64})$/"],
  ["more digits are taken", "65 digits", header, "/^sha256=([0-9a-f]{64})/"],
  ["blanks before it are taken", "after a space", header, "/^\\s*sha256=([0-9a-f]{64})$/"],
  ["a line break after it is accepted", "before a line break", header, "/^sha256=([0-9a-f]{64})\\s*$/"],
  ["a list is taken", "two values joined by a comma", header, "/^sha256=([0-9a-f]{64})(?:$|,)/"],
  [
    "fewer digits are enough",
    "first 8 digits",
    header,
    "/^sha256=([0-9a-f]+)$/",
    compared,
    "crypto.subtle.sign(hmac, key, content).then((right) => signature.every((byte, index) => byte === new Uint8Array(right)[index]))",
  ],
]);

const parsed = "JSON.parse(json)";
const anObject = 'typeof value === "object" && value !== null && !Array.isArray(value)';
const fitting = '"decapsulationKey" in key === (hybrid !== undefined)';
const openedKey = "return openWithHybrid(kem, privateKey, bound, key);";
const orHybrid = (info: string) =>
  openedKey.replace(";", `.catch(() => openWithHybrid(kem, privateKey, ${info}, key));`);
const wrongVersion = "sealed.payload.version !== sealedVersion";
const deciphered = "decipher(contentKey, iv, data, bound);";
const ofVersion = "labelled.length > 0 ? labelled : candidates.filter((key) => key.keyVersion === undefined)";
const isBase64 = "if (text.length % 4 !== 0";
const decryptedKey = "new Uint8Array(await crypto.subtle.decrypt(rsaAlgorithm, privateKey, key))";

function orElse(way: string): string {
  const tried = decryptedKey.replace("await ", "").slice("new Uint8Array(".length, -1);
  return `new Uint8Array(await ${tried}.catch(() => ((key, bytes) => ${way})(KeyObject.from(privateKey), key)))`;
}

function mended(pattern: RegExp, by: string): readonly [string, string] {
  return [parsed, `JSON.parse(json.replace(${pattern}, ${JSON.stringify(by)}))`];
}

/** Payloads; vectors/good.json, hostile.json, foreign.json and hybrid.json. */
export const openMutants: readonly Mutant[] = [
  ...committedMutants,
  ...mutantsOf("open.ts", [
    ["every version is opened", "a format from the future", wrongVersion, "false"],
    [
      "the version's case does not matter",
      "version in upper case",
      wrongVersion,
      "sealed.payload.version.toLowerCase() !== sealedVersion",
    ],
    [
      "the version is trimmed",
      "version before a space",
      wrongVersion,
      "sealed.payload.version.trim() !== sealedVersion",
    ],
    [
      "the key is missed before the version",
      "unknown version, and no key at hand",
      wrongVersion,
      `${wrongVersion} && keys.length > 0`,
    ],
    [
      "a member more is refused",
      "a member more in the payload",
      `  if (${wrongVersion}`,
      `  if (Object.keys(sealed.payload).length > 5) throw new Error("malformed");\n  if (${wrongVersion}`,
    ],
    [
      "the expected fingerprint is not looked at",
      "the key is chosen by its fingerprint, against a wrong label",
      "if (expectedFingerprint !== undefined)",
      'if (expectedFingerprint === "")',
    ],
    [
      "without the expected key the others are tried",
      "no key with the expected fingerprint",
      "if (expectedFingerprint !== undefined)",
      "if (keys.some((key) => key.fingerprint === expectedFingerprint))",
    ],
    [
      "keys of other forms are tried",
      "only the key of another form",
      "key.formId === undefined || key.formId === formId",
      "true",
    ],
    [
      "keys of other versions are tried",
      "only the key of another version",
      ofVersion,
      "labelled.length > 0 ? labelled : candidates",
    ],
    [
      "unlabelled keys are tried in addition to labelled ones",
      "a key of this version that does not fit, beside an unlabelled one that would",
      ofVersion,
      "[...labelled, ...candidates.filter((key) => key.keyVersion === undefined)]",
    ],
    [
      "only the first key is tried",
      "several keys without a label, the last one fits",
      "of candidates)",
      "of candidates.slice(0, 1))",
    ],
    ["the iv may have any length", "iv of 16 bytes, used as such", "iv?.length !== 12", "iv === undefined"],
    [
      "missing additional data is taken",
      "additional data missing",
      deciphered,
      "decipher(contentKey, iv, data, bound).catch(() => decipher(contentKey, iv, data));",
    ],
    [
      "sp2 is unknown",
      "hybrid: one field",
      "sealed.payload.version === hybridVersion ? (kem ?? findNativeKem()) : undefined",
      "undefined",
    ],
    [
      "the case of sp2 does not matter",
      "hybrid: version in upper case",
      "sealed.payload.version === hybridVersion ?",
      "sealed.payload.version.toLowerCase() === hybridVersion ?",
    ],
    ["keys of the other kind are counted", "hybrid: only the RSA key of this version", fitting, "true"],
    [
      "hybrid keys are taken for sp1 too",
      "hybrid: called sp1, without an RSA key",
      fitting,
      `(hybrid === undefined || ${fitting})`,
    ],
    [
      "RSA keys are taken for sp2 too",
      "sp1, called sp2, without a hybrid key",
      fitting,
      `(hybrid !== undefined || ${fitting})`,
    ],
    [
      "labels of keys of the other kind count",
      "hybrid: an RSA key has the version's label, the hybrid key has none",
      "const candidates = findOpeningKeys(fitting, sealed, expectedFingerprint);",
      `const candidates = findOpeningKeys(keys, sealed, expectedFingerprint).filter((key) => ${fitting});`,
    ],
    [
      "what binds the content key is that of sp1",
      "hybrid: one field",
      "kem === undefined ? sealedVersion : hybridVersion",
      "sealedVersion",
    ],
    ["malformed UTF-8 is mended", "plaintext not UTF-8", "fatal: true, ", ""],
    ["surrogates in UTF-8 are mended", "plaintext a UTF-8 surrogate", "fatal: true, ", ""],
    ["a byte order mark is dropped", "plaintext with a byte order mark", "ignoreBOM: true", "ignoreBOM: false"],
    ["NaN is taken", "plaintext with NaN", ...mended(/NaN/, "null")],
    ["Infinity is taken", "plaintext with Infinity", ...mended(/-?Infinity/, "null")],
    ["leading zeros are taken", "plaintext with a number that begins with zero", ...mended(/:0+(?=\d)/, ":")],
    ["a point at the end is taken", "plaintext with a number that ends with its point", ...mended(/(\d)\.}/, "$1}")],
    ["a plus sign is taken", "plaintext with a plus sign", ...mended(/:\+/, ":")],
    ["hexadecimal numbers are taken", "plaintext with a hexadecimal number", ...mended(/0x/, "")],
    ["comments are taken", "plaintext with a comment", ...mended(/\/\*.*?\*\//, "")],
    ["a comma too much is taken", "plaintext with a comma too much", ...mended(/,}/, "}")],
    ["single quotes are taken", "plaintext with single quotes", ...mended(/'/g, '"')],
    ["names without quotes are taken", "plaintext with a name without quotes", ...mended(/{(\w+):/, '{"$1":')],
    [
      "control characters in texts are taken",
      "plaintext with a control character in a string",
      ...mended(/(\w)\t(\w)/, "$1 $2"),
    ],
    ["unknown escapes are taken", "plaintext with an unknown escape", ...mended(/\\x/, "")],
    ["zero bytes after it are dropped", "plaintext padded with zeros", ...mended(/\0+ *$/, "")],
    [
      "white space of Unicode is dropped",
      "plaintext with a no-break space behind it",
      parsed,
      "JSON.parse(json.trim())",
    ],
    ["what follows the value is left alone", "plaintext JSON and more", ...mended(/}{.*/, "}")],
    [
      "of a repeated name the first value counts",
      "a name twice: the last value counts",
      ...mended(/("a":)("\w*"),"a":"\w*"/, "$1$2"),
    ],
    ["a repeated name is refused", "a name twice: the last value counts", ...mended(/("\w+":).*\1.*/, "")],
    ["the padded size is checked", "plaintext padded to another size", ...mended(/^(?=.{1025,2047}$).*/s, "")],
    [
      "padding of other white space is refused",
      "plaintext padded with tabs and line breaks",
      ...mended(/[\t\r\n]$/, "x"),
    ],
    ["padding is asked for", "plaintext without padding", ...mended(/}$/, "")],
    ["white space before it is refused", "plaintext after white space", ...mended(/^\s/, "x")],
    ["white space inside is refused", "plaintext with white space inside", ...mended(/{ "/, "x")],
    ["escapes of ordinary letters are refused", "everything written as escapes", ...mended(/\\u006/, "x")],
    ["Unicode is normalized", "letters in several forms of Unicode", parsed, 'JSON.parse(json.normalize("NFC"))'],
    ["line breaks are changed", "Unicode", ...mended(/\\r\\n/, "\\n")],
    [
      "names that objects have are lost",
      "names that objects already have",
      parsed,
      `((from: object) => { const to = {}; for (const name in from) to[name] = from[name]; return to; })(${parsed})`,
    ],
    ["an array is taken", "plaintext an array", anObject, 'typeof value === "object" && value !== null'],
    ["null is taken", "plaintext null", parsed, `(${parsed} ?? {})`],
    ["a text is taken", "plaintext a string", anObject, "value !== null && !Array.isArray(value)"],
    ["nesting has no bound", "nested 65 levels deep", "if (isTooDeep(json))", "if (false)"],
    [
      "nesting is counted after parsing",
      "nested 71 levels deep where a later member replaces it",
      "if (isTooDeep(json))",
      "if (isTooDeep(JSON.stringify(JSON.parse(json))))",
    ],
    [
      "numbers are those of the language",
      "numbers that a double can't hold",
      "if (!hasOtherNumbers(json))",
      "if (true)",
    ],
    ["an answer called $sealpost is ours", "an answer called $sealpost, a text", "isObject(sealpost) ?", "true ?"],
    [
      "a list called $sealpost is ours",
      "an answer called $sealpost, a list",
      "isObject(sealpost) ?",
      'typeof sealpost === "object" && sealpost !== null ?',
    ],
    ["$sealpost is an answer", "$sealpost as an object is ours", "isObject(sealpost) ?", "false ?"],
    [
      "every name that begins with $sealpost is ours",
      "other names that begin with a dollar sign",
      parsed,
      `(({ $sealpost2, ...rest }: any) => rest)(${parsed})`,
    ],
  ]),
  ...mutantsOf("exact-json.ts", [
    [
      "large whole numbers alone are kept",
      "numbers that languages write otherwise",
      "String(Number(token)) !== token",
      "!Number.isSafeInteger(Number(token))",
    ],
    [
      "infinite numbers alone are kept",
      "numbers that a double can't hold",
      "String(Number(token)) !== token",
      "!Number.isFinite(Number(token))",
    ],
    [
      "the first of two numbers counts",
      "a number whose name comes twice",
      "fromEntries(members)",
      "fromEntries(members.reverse())",
    ],
  ]),
  ...mutantsOf("aes-gcm.ts", [
    [
      "a tag of 12 bytes is taken",
      "tag of 12 bytes",
      "aes, sealed),",
      'aes, sealed).catch(() => crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData, tagLength: 96 }, aes, sealed)),',
    ],
  ]),
  ...mutantsOf("nesting.ts", [
    ["nesting ends a level earlier", "nested 64 levels deep", "nestingMax = 64", "nestingMax = 63"],
    ["nesting ends a level later", "nested 65 levels deep", "nestingMax = 64", "nestingMax = 65"],
    ["only objects count as levels", "nested 65 levels deep", ' || character === "["', ""],
    ["only arrays count as levels", "nested 65 levels deep, in objects", 'character === "{" || ', ""],
    ["what stands side by side counts as levels", "wide, not deep", "levels--", "levels"],
    ["brackets in texts count as levels", "brackets in a text", "inText = !inText", "inText = false"],
    [
      "an escaped quote ends a text",
      "brackets after an escaped quote",
      'character === "\\\\") at++',
      'character === "\\\\") at += 0',
    ],
    [
      "a quote after any backslash ends no text",
      "nested 71 levels deep after an escaped backslash",
      'if (inText && character === "\\\\") at++;\n    else if (character === \'"\')',
      'if (character === \'"\' && !(inText && json[at - 1] === "\\\\"))',
    ],
  ]),
  ...mutantsOf("base64.ts", [
    [
      "base64 with line breaks is taken",
      "data: base64 with a line break inside",
      isBase64,
      `text = text.replace(/\\s/g, "");\n  ${isBase64}`,
    ],
    [
      "base64 of the url alphabet is taken",
      "data: base64 in the url alphabet",
      isBase64,
      `text = text.replaceAll("-", "+").replaceAll("_", "/");\n  ${isBase64}`,
    ],
    [
      "base64 without padding is taken",
      "data: base64 without its padding",
      isBase64,
      `text = text.padEnd(Math.ceil(text.length / 4) * 4, "=");\n  ${isBase64}`,
    ],
    [
      "base64 with padding too much is taken",
      "data: base64 with padding too much",
      isBase64,
      `text = text.replace(/====$/, "");\n  ${isBase64}`,
    ],
    [
      "base64 with stray bits is taken",
      "data: base64 with stray bits in its last character",
      "if (text.slice(-4) !==",
      "if (false && text.slice(-4) !==",
    ],
  ]),
  ...mutantsOf("native-base64.ts", [
    [
      "base64 with line breaks is taken where the runtime decodes it",
      "data: base64 with a line break inside",
      "Math.ceil(bytes.length / 3) * 4 === text.length",
      "Math.ceil(bytes.length / 3) * 4 <= text.length",
    ],
    [
      "base64 with stray bits is taken where the runtime decodes it",
      "data: base64 with stray bits in its last character",
      'lastChunkHandling: "strict" }]',
      'lastChunkHandling: "loose" }]',
    ],
  ]),
  ...mutantsOf("content-key.ts", [
    ["a content key of another size is taken", "content key of 16 bytes", "missing === 0", "missing >= 0"],
    [
      "PKCS #1 v1.5 is tried as well",
      "PKCS #1 v1.5 in place of OAEP",
      decryptedKey,
      orElse("privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes)"),
    ],
    [
      "OAEP with SHA-1 is tried as well",
      "OAEP with SHA-1",
      decryptedKey,
      orElse('privateDecrypt({ key, oaepHash: "sha1" }, bytes)'),
    ],
    [
      "OAEP with a label is taken",
      "OAEP with a label",
      decryptedKey,
      orElse('privateDecrypt({ key, oaepHash: "sha256", oaepLabel: Buffer.from("sealpost") }, bytes)'),
    ],
    [
      "MGF1 with SHA-1 is tried as well",
      "OAEP with SHA-256, its MGF1 with SHA-1",
      decryptedKey,
      orElse('decodeOaep(privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, bytes), "sha1")'),
    ],
  ]),
  ...mutantsOf("content-key.ts", [
    [
      "a content key of another size is taken for sp2",
      "hybrid: content key of 16 bytes",
      "key.length !== encapsulatedBytes + contentKeyBytes + tagBytes",
      "false",
    ],
    [
      "a content key that is not bound is taken",
      "hybrid: content key not bound",
      openedKey,
      orHybrid("new Uint8Array()"),
    ],
    [
      "a content key that is bound as sp1 is taken",
      "hybrid: content key bound as sp1",
      openedKey,
      orHybrid('new TextEncoder().encode(new TextDecoder().decode(bound).replace("sp2", "sp1"))'),
    ],
  ]),
  ...mutantsOf("hpke.ts", [
    ["the suite is X25519 alone", "hybrid: suite with X25519 alone", "\\x64\\x7a", "\\x00\\x20"],
    ["the suite has HKDF-SHA512", "hybrid: suite with HKDF-SHA512", "\\x7a\\x00\\x01", "\\x7a\\x00\\x03"],
    ["the suite has AES-128", "hybrid: suite with AES-128", '\\x00\\x02"', '\\x00\\x01"'],
  ]),
  ...mutantsOf("open-hpke.ts", [
    ["the mode is that of a shared key", "hybrid: mode of a shared key", "of(0), psk", "of(1), psk"],
    ["info is left out", "hybrid: content key not bound", "infoStart, info)", "infoStart)"],
    [
      "the shared secret is no salt",
      "hybrid: one field",
      'hash: "SHA-256", salt',
      'hash: "SHA-256", salt: new Uint8Array(32)',
    ],
    [
      "the iv is that of the second message",
      "hybrid: second message",
      "  const parameters",
      "  new Uint8Array(iv)[11] ^= 1;\n  const parameters",
    ],
    [
      "HPKE is left out",
      "hybrid: the shared secret without HPKE",
      "  const parameters",
      `  const bare = await crypto.subtle.importKey("raw", salt, "AES-GCM", false, ["decrypt"]);
  if (bare) return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, bare, sealed.slice(encapsulatedBytes)));
  const parameters`,
    ],
    ["the hash of no shared key is left out", "hybrid: one field", ", pskIdHash);", ");"],
    ["lengths have one byte", "hybrid: one field", "of(0, length)", "of(length)"],
    [
      "what is bound by aad is taken too",
      "hybrid: content key bound by aad too",
      "  return new Uint8Array(await crypto.subtle.decrypt(parameters, derived, sealed.subarray(encapsulatedBytes)));",
      `  const openWith = (parameters) => crypto.subtle.decrypt(parameters, derived, sealed.slice(encapsulatedBytes));
  return new Uint8Array(await openWith(parameters).catch(() => openWith({ ...parameters, additionalData: info })));`,
    ],
  ]),
  ...mutantsOf("payload.ts", [
    [
      "ids are bound in lower case",
      "claims the submission in upper case",
      "${submissionId}`",
      "${submissionId.toLowerCase()}`",
    ],
  ]),
  ...mutantsOf(
    "payload.ts",
    [
      ["the submission's id is not bound", "one field", "\\n${submissionId}`", "`"],
      ["the key version is not bound", "one field", "\\n${keyVersion}", ""],
      ["the form is not bound", "one field", "\\n${formId}", ""],
    ],
    true,
  ),
];

/** Tools for mutants of content-key.ts: WebCrypto cannot decrypt in any wrong way. */
export const helpers = `
import { constants, createHash, KeyObject, privateDecrypt } from "node:crypto";

function decodeOaep(encoded: Uint8Array, maskHash: string): Uint8Array {
  const generate = (seed: Uint8Array, size: number) => {
    const parts = Array.from({ length: Math.ceil(size / 20) }, (_, counter) =>
      createHash(maskHash).update(seed).update(new Uint8Array([0, 0, 0, counter])).digest(),
    );
    return Buffer.concat(parts).subarray(0, size);
  };
  const mask = (bytes: Uint8Array, by: Uint8Array) => bytes.map((byte, index) => byte ^ (by[index] ?? 0));
  const [maskedSeed, masked] = [encoded.slice(1, 33), encoded.slice(33)];
  const block = mask(masked, generate(mask(maskedSeed, generate(masked, 32)), masked.length));
  return block.slice(block.indexOf(1, 32) + 1);
}
`;
