import { decodeBase64, encodeBase64 } from "@sealpost/wire";
import { Encrypter, identityToRecipient } from "age-encryption";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { encryptTo } from "../age-file.ts";
import type { Bytes } from "../age-header.ts";
import { formatPersonalKey, type PublicHalves, sealKeyCopy } from "../key-copy.ts";
import type { PersonalKey } from "../personal-key.ts";
import { toSheet } from "../recovery-sheet.ts";
import type { CopyReason } from "../refusal.ts";
import { curveIdentityOf, findPersonalKey, type KeyName } from "./people.ts";

/** One entry of vectors/key-copies.json. */
export interface KeyCopyVector {
  readonly name: string;
  /** Base64. */
  readonly copy: string;
  /** Opens it, where it is the right one. */
  readonly secret: { readonly passphrase: string } | { readonly identity: string };
  readonly expected?: PublicHalves;
  readonly outcome: "opened" | CopyReason;
  /** For vectors that open: a name of personal-keys.json. */
  readonly key?: KeyName;
  /** For vectors that open and have some: what is put into other copies unchanged. */
  readonly extensions?: PersonalKey["extensions"];
}

const owner = "hybrid owner";
const passphrase = "grüne insel läuft 7 mal";
const decomposed = "  gru\u0308ne  insel\tla\u0308uft 7 mal ";

/** vectors/key-copies.json; what is the same in `existing` but for what age draws stays. */
export async function keyCopyVectors(existing: readonly KeyCopyVector[]): Promise<readonly KeyCopyVector[]> {
  const kept = new Map(existing.map((vector) => [vector.name, vector]));
  const vectors: KeyCopyVector[] = [];
  const add = async (
    { name, ...vector }: Omit<KeyCopyVector, "copy">,
    make: () => Promise<Bytes> | Bytes,
  ): Promise<Bytes> => {
    const { copy, ...before } = kept.get(`copy: ${name}`) ?? { copy: undefined };
    const next = { name: `copy: ${name}`, ...vector };
    const isSame = copy !== undefined && JSON.stringify(before) === JSON.stringify(next);
    const bytes = isSame ? (decodeBase64(copy) ?? new Uint8Array()) : await make();
    const { name: title, ...rest } = next;
    vectors.push({ name: title, copy: encodeBase64(bytes), ...rest });
    return bytes;
  };
  await addOpened(add);
  await addRefused(add);
  return vectors;
}

type Add = (vector: Omit<KeyCopyVector, "copy">, make: () => Promise<Bytes> | Bytes) => Promise<Bytes>;

async function addOpened(add: Add): Promise<void> {
  const { key, sheet, sheetSecret, halves, now } = await known();
  const opened = { outcome: "opened", key: owner } as const;
  const forSheet = () => sealKeyCopy(key, { recipient: sheet.recipient }, now);
  await add({ name: "a sheet", secret: sheetSecret, ...opened }, forSheet);
  await add({ name: "the key that is expected", secret: sheetSecret, expected: halves, ...opened }, forSheet);
  await add({ name: "a passphrase, typed in another way", secret: { passphrase: decomposed }, ...opened }, () =>
    sealKeyCopy(key, { passphrase }, now),
  );
  const other = await findPersonalKey("hybrid reader");
  const extensions = { color: "blue", "org.example.place": { list: [1, true, null] } };
  await add({ name: "extensions that nobody knows", secret: sheetSecret, ...opened, extensions }, () =>
    sealKeyCopy({ ...key, extensions }, { recipient: sheet.recipient }, now),
  );
  const most = { filling: "x".repeat(1024 - '{"filling":""}[]'.length) };
  await add(
    { name: "as many bytes of extensions as there may be", secret: sheetSecret, ...opened, extensions: most },
    () => sealKeyCopy({ ...key, extensions: most }, { recipient: sheet.recipient }, now),
  );
  const refused = { secret: sheetSecret, outcome: "other_key" } as const;
  const { recipient, signingKey } = other;
  await add({ name: "another recipient than expected", expected: { ...halves, recipient }, ...refused }, forSheet);
  await add({ name: "another signing key than expected", expected: { ...halves, signingKey }, ...refused }, forSheet);
  const secret = { identity: other.identity };
  await add({ name: "another sheet", secret, outcome: "wrong_secret" }, forSheet);
}

async function addRefused(add: Add): Promise<void> {
  const { key, sheet, sheetSecret, now } = await known();
  const malformed = "malformed" as const;
  const file = await sealKeyCopy(key, { recipient: sheet.recipient }, now);
  const refuse = (name: string, make: () => Promise<Bytes> | Bytes, secret: KeyCopyVector["secret"] = sheetSecret) =>
    add({ name, secret, outcome: malformed }, make);
  const withText = (text: string) => () => encryptTo([sheet.recipient], text);
  const text = formatPersonalKey(key, now);
  const changed = (from: string | RegExp, to: string) => withText(text.replace(from, to));

  await refuse("cut", () => file.slice(0, -1));
  await refuse("one bit of the end changed", () => withBit(file, file.length - 1));
  await refuse("a header that was changed", () => withBit(file, headerEnd(file) + 6));
  await refuse("two recipients", async () =>
    encryptTo([sheet.recipient, (await findPersonalKey("hybrid reader")).recipient], text),
  );
  const curve = await curveIdentityOf(owner);
  await refuse("a recipient of X25519", async () => encryptToCurve(curve, text), { identity: curve });
  for (const factor of ["17", "19", "30", "018"])
    await refuse(`a work factor of ${factor}`, () => passphraseHeader(factor), { passphrase });
  await refuse("for a sheet, opened with a passphrase", () => file, { passphrase });
  await refuse("for a passphrase, opened with a sheet", () => passphraseHeader("18"));
  await refuse("more than 4,096 bytes", withText(`${text}${" ".repeat(4096)}`));
  await refuse("another format", changed("key/1", "key/2"));
  await refuse("a member more", changed('"critical":[]}', '"critical":[],"more":1}'));
  await refuse("a member twice", changed('"critical":[]}', '"critical":[],"critical":[]}'));
  await refuse("two members in the other order", changed(/("signingSeed":"[^"]*"),("seed":"[^"]*")/, "$2,$1"));
  await refuse(
    "an id of the person",
    changed('"signingSeed"', `"personId":"acc_01hk153x00e5rbcwg8rxcnh8w1","signingSeed"`),
  );
  await refuse("no seed", changed(/"seed":"[^"]*",/, ""));
  await refuse("a seed of 31 bytes", changed(key.seed, key.seed.slice(0, -1)));
  await refuse("a seed with another last bit", changed(key.seed, `${key.seed.slice(0, -1)}${unusedBit(key.seed)}`));
  await refuse("null as the seed", changed(/"seed":"[^"]*"/, '"seed":null'));
  await refuse("no extensions", changed('"extensions":{},', ""));
  await refuse("nothing critical", changed(',"critical":[]', ""));
  await refuse("the copy of the draft before", changed(/"seed":"[^"]*",|,"extensions":\{\},"critical":\[\]/g, ""));
  await refuse("a wrong name of an extension", changed("{}", '{"Color":1}'));
  await refuse("a byte of extensions too many", changed("{}", `{"filling":"${"x".repeat(1025 - 16)}"}`));
  await refuse("a critical name that is not there", changed("[]", '["lock"]'));
  await refuse("a letter that needs no escape, with one", changed("sealpost-", "\\u0073ealpost-"));
  const unknown = { secret: sheetSecret, outcome: "unknown_extension" } as const;
  const critical = changed('{},"critical":[]', '{"lock":1},"critical":["lock"]');
  await add({ name: "a critical extension", ...unknown }, critical);
  const strange = await findPersonalKey("hybrid reader");
  const expected = { recipient: strange.recipient, signingKey: strange.signingKey };
  await add({ name: "a critical extension in a copy of another key", expected, ...unknown }, critical);
  await refuse("a critical extension with an identity of X25519", async () =>
    encryptTo(
      [sheet.recipient],
      text.replace('{},"critical":[]', '{"lock":1},"critical":["lock"]').replace(key.identity, curve),
    ),
  );
  await refuse("white space in the comment", changed('","', '", "'));
  await refuse("a comment without its space", changed("# ", "#"));
  await refuse("a byte order mark", withText(`\ufeff${text}`));
  await refuse("a signing seed of 31 bytes", changed(key.signingSeed, key.signingSeed.slice(0, -1)));
  await refuse("a day that no calendar has", changed("11-23", "11-31"));
  await refuse("line ends of Windows", changed(/\n/g, "\r\n"));
  await refuse("no line end", changed(/\n$/, ""));
  await refuse("a second identity", withText(`${text}${key.identity}\n`));
  await refuse("an identity in small letters", changed(key.identity, key.identity.toLowerCase()));
  await refuse("an identity of X25519", changed(key.identity, curve));
  await refuse("nothing in it", withText(""));
}

/** Another last letter of base64url, which decodes to the same bytes for a decoder that is not strict. */
function unusedBit(text: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[letters.indexOf(text.slice(-1)) + 1] ?? "";
}

async function known() {
  const key = await findPersonalKey(owner);
  const sheet = await toSheet("personal", await derive("sheet", owner, 32));
  const { recipient, signingKey } = key;
  const sheetSecret = { identity: sheet.identity };
  return { key, sheet, sheetSecret, halves: { recipient, signingKey }, now: Date.UTC(2026, 10, 23, 8) };
}

/** A copy that nothing opens: its work factor has to be refused before anything is computed. */
function passphraseHeader(factor: string): Bytes {
  const header = `age-encryption.org/v1\n-> scrypt ${"A".repeat(22)} ${factor}\n${"A".repeat(43)}\n--- ${"A".repeat(43)}\n`;
  return new TextEncoder().encode(`${header}${"x".repeat(300)}`);
}

/** An age file for this identity of X25519. */
async function encryptToCurve(identity: string, text: string): Promise<Bytes> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  return new Uint8Array(await encrypter.encrypt(text));
}

function headerEnd(file: Bytes): number {
  return new TextDecoder("latin1").decode(file).indexOf("\n--- ");
}

/** With another last bit in one byte; in the header's authentication that is another letter. */
function withBit(file: Bytes, at: number): Bytes {
  const changed = file.slice();
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
