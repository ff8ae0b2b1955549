import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import {
  createListEntry,
  type FormKey,
  formatNames,
  generatePersonalKey,
  generateSheet,
  importSigningKey,
  type NameText,
  type NewMember,
  type PersonalKey,
  RefusalError,
  sealEnvelope,
  sealKeyCopy,
  splitIdentity,
  toFormKey,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { generateHybridKeyPair } from "@sealpost/sdk";
import {
  type Binding,
  createId,
  decodeBase64,
  type FormId,
  type HybridKeyPair,
  type KeyPair,
  type Payload,
  seal,
  sealHybrid,
} from "@sealpost/wire";
import type { Page } from "playwright-core";
import { envelopes, keyCopies } from "../../packages/envelope/src/testing/conformance.ts";
import { formId as vectorForm } from "../../packages/envelope/src/testing/envelope-maker.ts";
import { findPersonalKey } from "../../packages/envelope/src/testing/people.ts";
import { hybridVectorKeys, vectorKeys } from "../../packages/wire/src/testing/vector-keys.ts";
import { drawCode } from "../support/browser-devices.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { assertAccessible } from "./dashboard.ts";
import { type OpenerPages, startOpener } from "./opener-page.ts";

/** An envelope of Ada's for herself and her organization's recovery key, of the first revision. */
async function sealForAda(
  ada: PersonalKey,
  formId: FormId,
  keys: readonly FormKey[],
  paper: { readonly recipient: string },
): Promise<Uint8Array> {
  const [organizationId, id] = [createId("account"), createId("account")];
  const { recipient, signingKey } = ada;
  const members: readonly NewMember[] = [
    { id, name: "Ada", role: "owner", recipient, signingKey },
    { id: createId("account"), name: "Paper", role: "recovery", recipient: paper.recipient, signingKey: null },
  ];
  const signer = { id, signingKey: await importSigningKey(ada.signingSeed) };
  let text = "";
  const lines: NameText[] = [];
  let list: VerifiedList | undefined;
  for (const member of members) {
    const { entry, names: added } = await createListEntry(list, organizationId, { change: "add", member }, signer);
    text += entry;
    lines.push(...added);
    const [bytes, names] = [text, formatNames(organizationId, lines)].map((one) => new TextEncoder().encode(one));
    assert.ok(bytes);
    const verified = await verifyList(bytes, { organizationId, trust: { signingKey }, names });
    if (verified instanceof RefusalError) throw verified;
    list = verified;
  }
  assert.ok(list);
  return (await sealEnvelope({ list, signer, formId, readerIds: [id], keys })).file;
}

function createFormKey(version: number, { privateKey }: KeyPair, hybrid?: HybridKeyPair): Promise<FormKey> {
  return toFormKey(version, privateKey, hybrid?.privateKey);
}

/** A line of the service's export. */
async function createRow(binding: Omit<Binding, "submissionId">, sealRow: (binding: Binding) => Promise<Payload>) {
  const submissionId = createId("submission");
  const payload = await sealRow({ ...binding, submissionId });
  return JSON.stringify({ id: submissionId, ...binding, payload, timestamp: 1, receivedAt: 1 });
}

const bytesOf = (base64: string | undefined) => decodeBase64(base64 ?? "") ?? new Uint8Array();
const envelopeVector = (name: string) =>
  bytesOf(envelopes.find((vector) => vector.name === `envelope: ${name}`)?.envelope);
const copyVector = (name: string) => bytesOf(keyCopies.find((vector) => vector.name === `copy: ${name}`)?.copy);

describe("the opener takes envelopes, and what opens them", () => {
  let opener: OpenerPages;
  before(async () => {
    opener = await startOpener();
  });
  after(() => opener.close());
  afterEach(() => {
    assert.deepEqual([opener.requests, opener.complaints], [[], []]);
  });

  const choose = (page: Page, ...names: readonly string[]) => opener.choose(page, "Choose key file", ...names);

  /** `again` where a refused text is still in its field; what was taken has gone with it. */
  async function type(page: Page, text: string, again = false): Promise<void> {
    if (!again) await page.getByRole("button", { name: "Paste or type the key instead" }).click();
    await page.getByLabel("Private key").fill(text);
    await page.getByRole("button", { name: "Use this key" }).click();
  }

  test("a typed sheet opens the copy of a personal key, and that an envelope with the keys of all versions, in any order", async () => {
    const formId = createId("form");
    const [ada, stranger] = [await generatePersonalKey(), await generatePersonalKey()];
    const [sheet, foreign] = [await generateSheet("personal"), await generateSheet("organization")];
    const [first, second, hybrid] = [takeKeyPair(), takeKeyPair(), await generateHybridKeyPair()];
    const keys = [await createFormKey(1, first), await createFormKey(2, second, hybrid)];
    opener.write("contact.envelope.age", await sealForAda(ada, formId, keys, foreign));
    opener.write("ada.copy.age", await sealKeyCopy(ada, { recipient: sheet.recipient }));
    opener.write("stranger.copy.age", await sealKeyCopy(stranger, { recipient: stranger.recipient }));
    const rows = [
      await createRow({ formId, keyVersion: 1 }, (binding) => seal({ name: "of sp1" }, binding, first.publicKey)),
      await createRow({ formId, keyVersion: 2 }, (binding) =>
        sealHybrid({ name: "of sp2" }, binding, hybrid.publicKey),
      ),
    ];
    opener.write("sealed.ndjson", rows.join("\n"));

    const page = await opener.open({ viewport: { width: 390, height: 844 } });
    await opener.choose(page, "Choose files", "sealed.ndjson");
    await choose(page, "contact.envelope.age");
    await page.getByText("contact.envelope.age: This envelope needs the personal key of one of its readers").waitFor();
    await choose(page, "ada.copy.age", "stranger.copy.age", "ada.copy.age");
    await page.getByText("3 files wait for what opens them").waitFor();
    await page.getByText("ada.copy.age: A copy of a personal key needs the recovery sheet").waitFor();
    const other = await generateSheet("organization");
    await type(page, other.code);
    await page.getByText("ada.copy.age: Nothing that was brought so far opens this.").waitFor();
    const wrong = sheet.lines.map((line, index) => (index === 1 ? other.lines[1] : line)).join("\n");
    await type(page, wrong);
    await page.getByText("Line 2 of the recovery sheet is wrong or missing").waitFor();
    await assertAccessible(page, "what waits in the opener");
    await type(page, sheet.lines.join("\n").toLowerCase(), true);
    for (const name of ["of sp1", "of sp2"]) await page.getByRole("row").filter({ hasText: name }).waitFor();
    await page.getByText("1 envelope is open, and nobody checked here who wrote it").waitFor();
    await page.getByText("What it says of itself, and what that is worth").click();
    await page
      .getByText(
        /It says that acc_\w{26} wrote it on .*, as revision 1, for these readers: acc_\w{26} and acc_\w{26}\./,
      )
      .waitFor();
    await page.getByText(`${formId}, key versions 1 and 2`).waitFor();
    await page.getByText("stranger.copy.age: Nothing that was brought so far opens this.").waitFor();
    await page.getByText("1 file waits for what opens it").waitFor();
    await assertAccessible(page, "an envelope that nobody checked");
  });

  test("two of three sheets of the recovery key open an envelope, one after the other; others of another set, twice the same and wrong ones open nothing", async () => {
    const formId = createId("form");
    const [ada, paper, pair] = [await generatePersonalKey(), await generateSheet("organization"), takeKeyPair()];
    const keys = [await createFormKey(1, pair)];
    opener.write("split.envelope.age", await sealForAda(ada, formId, keys, paper));
    opener.write(
      "split.ndjson",
      await createRow({ formId, keyVersion: 1 }, (binding) => seal({ name: "of paper" }, binding, pair.publicKey)),
    );
    const [first, , third] = await splitIdentity(paper.identity, 2, 3);
    const [, again] = await splitIdentity(paper.identity, 2, 3);
    const [foreign] = await splitIdentity((await generateSheet("organization")).identity, 3, 5);
    assert.ok(first && third && again && foreign);
    const page = await opener.open({ viewport: { width: 390, height: 844 } });
    await opener.choose(page, "Choose files", "split.ndjson");
    await choose(page, "split.envelope.age");
    await type(page, foreign.code);
    await page.getByText("Of 5 recovery sheets, sheet 1 is here: 2 more are needed.").waitFor();
    const wrong = first.lines.with(4, foreign.lines[3] ?? "");
    await type(page, wrong.join("\n"));
    await page.getByText("Line 5 of the recovery sheet is wrong or missing").waitFor();
    await type(page, first.lines.join("\n"), true);
    await page.getByText("Of 3 recovery sheets, sheet 1 is here: one more is needed.").waitFor();
    await type(page, first.lines.join(" "));
    await page.getByText("Of 3 recovery sheets, sheet 1 is here: one more is needed.").waitFor();
    await assertAccessible(page, "sheets that wait in the opener");
    await type(page, again.code);
    await page.getByText("These recovery sheets make no key together").waitFor();
    await type(page, first.lines.join("\n"));
    await page.getByText("Of 3 recovery sheets, sheet 1 is here: one more is needed.").waitFor();
    // As photos: of nothing, and of the sheet.
    opener.write("screen.png", await page.screenshot());
    await choose(page, "screen.png");
    await page.getByText("No code was found in this picture").waitFor();
    await assertAccessible(page, "a photo without a code in the opener");
    opener.write("sheet.png", await drawCode(page, third.code));
    await choose(page, "sheet.png");
    await page.getByRole("row").filter({ hasText: "of paper" }).waitFor();
  });

  test("what is typed while a file is read, or while its passphrase is asked for, stays in its field", async () => {
    const [sheet, ada] = [await generateSheet("personal"), await generatePersonalKey()];
    opener.write("late.copy.age", await sealKeyCopy(ada, { recipient: sheet.recipient }));
    opener.write("protected.copy.age", copyVector("a passphrase, typed in another way"));
    const page = await opener.open();
    await page.evaluate(() => {
      const read = Blob.prototype.arrayBuffer;
      const released = new Promise((resolve) => document.addEventListener("test:release", resolve));
      Blob.prototype.arrayBuffer = async function () {
        await released;
        return read.call(this);
      };
    });
    await choose(page, "late.copy.age");
    await page.getByRole("button", { name: "Paste or type the key instead" }).click();
    const field = page.getByLabel("Private key");
    await field.fill("half of a sheet");
    await page.evaluate(() => document.dispatchEvent(new Event("test:release")));
    await page.getByText("1 file waits for what opens it").waitFor();
    assert.equal(await field.inputValue(), "half of a sheet");
    await choose(page, "protected.copy.age");
    await page.getByLabel("Passphrase").waitFor();
    assert.equal(await field.isVisible(), false);
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await field.inputValue(), "half of a sheet");
  });

  test("damaged, foreign and hostile envelopes and copies have a sentence each, and a passphrase opens a copy", async () => {
    const reader = await findPersonalKey("reader");
    const files = {
      "cut.age": envelopeVector("one byte less"),
      "hidden.age": envelopeVector("a hidden recipient"),
      "swapped.age": envelopeVector("a private key under another's fingerprint"),
      "he\u202eader.age": envelopeVector("cut within the header"),
      "slow.age": copyVector("a work factor of 30"),
      "passkey.age": `age-encryption.org/v1\n-> age-encryption.org/fido2prf ${"A".repeat(22)}\n${"A".repeat(43)}\n--- ${"A".repeat(43)}\nmore`,
      "good.age": envelopeVector("one key version"),
      "hybrid.age": envelopeVector("readers with hybrid keys"),
      "copy.age": copyVector("a passphrase, typed in another way"),
      "identity.txt": `# created: 2026-11-23\n${reader.identity}\n`,
    };
    for (const [name, content] of Object.entries(files)) opener.write(name, content);
    const { publicKey } = hybridVectorKeys["hybrid first"];
    const binding = { formId: vectorForm, keyVersion: 1 };
    const rows = [
      await createRow(binding, (whole) => seal({ name: "of sp1" }, whole, vectorKeys.small.publicKey)),
      await createRow(binding, (whole) => sealHybrid({ name: "of sp2" }, whole, publicKey)),
    ];
    opener.write("vectors.ndjson", rows.join("\n"));

    const page = await opener.open();
    const refused = page.getByRole("alert");
    await choose(page, "cut.age", "hidden.age", "swapped.age", "he\u202eader.age", "slow.age", "passkey.age");
    await page.getByText("3 files wait for what opens them").waitFor();
    await refused.getByText("header.age: This age file is damaged or cut").waitFor();
    await refused.getByText("slow.age: To try a passphrase on this file takes minutes").waitFor();
    await refused.getByText("passkey.age: This copy of a personal key opens with a passkey").waitFor();
    await choose(page, "identity.txt");
    await page.getByText("1 personal key or recovery sheet is ready").waitFor();
    await refused.getByText("cut.age: It is damaged or cut").waitFor();
    await refused.getByText("hidden.age: This envelope was sealed for more or fewer").waitFor();
    await refused.getByText("swapped.age: A private key in this envelope is not the one").waitFor();
    assert.equal(await page.getByText("wait for what opens").count(), 0);
    await type(page, "SEALPOST-SHEET/1:DEVICE:AAAA");
    await page.getByText("of a kind that this page does not know").waitFor();
    await type(page, "Dear Ada", true);
    await page.getByText("This is not a key. Choose a key file").waitFor();
    await choose(page, "good.age");
    await page.getByText("1 key is ready").waitFor();
    await opener.choose(page, "Choose files", "vectors.ndjson");
    await page.getByRole("row").filter({ hasText: "of sp1" }).waitFor();
    await page.getByText("1 submission could not be opened").waitFor();
    await page.getByRole("button", { name: "Add another key" }).click();
    await choose(page, "copy.age", "hybrid.age");
    await page.getByLabel("Passphrase", { exact: true }).fill("grüne insel läuft 7 mal");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("row").filter({ hasText: "of sp2" }).waitFor();
    await page.getByText("2 envelopes are open").waitFor();
  });
});
