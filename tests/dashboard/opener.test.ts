import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { createKeyFile, generateHybridKeyPair } from "@sealpost/sdk";
import {
  createFileKey,
  createId,
  type Fields,
  type FileKey,
  type FormId,
  sealFile,
  sealFlat,
  sealHybrid,
  toFileField,
} from "@sealpost/wire";
import { Encrypter } from "age-encryption";
import { unzipSync } from "fflate";
import { takeKeyPair } from "../support/key-pairs.ts";
import { readWorkbook } from "../support/workbook.ts";
import { assertAccessible } from "./dashboard.ts";
import { type OpenerPages, startOpener } from "./opener-page.ts";

const [first, second] = [takeKeyPair(), takeKeyPair()];
const formId = createId("form");
const day = Date.UTC(2026, 10, 22);

/** A line of the service's export. */
async function sealLine(
  fields: Fields,
  keyVersion: 1 | 2,
  at = day,
  form: FormId = formId,
  submissionId = createId("submission"),
): Promise<string> {
  const { publicKey } = keyVersion === 1 ? first : second;
  // As a page does: a newer program may seal what this one refuses.
  const payload = await sealFlat(fields, { formId: form, keyVersion, submissionId }, publicKey);
  return JSON.stringify({ id: submissionId, formId: form, payload, keyVersion, timestamp: at, receivedAt: at });
}

/** A field whose name and value turn the direction of the text around them, and never turn it back. */
const turning: Fields = { "to\u202etal\u2067": "lru\u202e\u2066 \u0007\u001b[2J" };

/** In the page: texts that may turn a direction, by whether an element of their own keeps that inside. */
function findTurningTexts(): { readonly isolated: number; readonly loose: readonly string[] } {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const loose: string[] = [];
  let isolated = 0;
  while (texts.nextNode()) {
    const { data = "", parentElement } = texts.currentNode as Text; // only these are shown to the walker
    if (!/[\u202a-\u202e\u2066-\u2069]/.test(data) || parentElement === null) continue;
    const isAlone = parentElement.textContent === data;
    if (isAlone && /isolate|plaintext/.test(getComputedStyle(parentElement).unicodeBidi)) isolated++;
    else loose.push(data);
  }
  return { isolated, loose };
}

describe("the opener, a page from one file", () => {
  let opener: OpenerPages;

  before(async () => {
    opener = await startOpener();
    for (const [index, { privateKey }] of [first, second].entries()) {
      const key = await createKeyFile({ formId, formName: "Contact", keyVersion: index + 1, createdAt: 1, privateKey });
      opener.write(`v${index + 1}.key.json`, JSON.stringify(key));
    }
  });
  after(() => opener.close());
  afterEach(() => {
    assert.deepEqual([opener.requests, opener.complaints], [[], []]);
  });

  test("an export and a key file open on this device alone, across key versions, and are searched and saved", async () => {
    const lines = await Promise.all([
      sealLine({ name: "Zoë", message: "first\nid: another" }, 1, day),
      sealLine({ name: "Bob", message: "<img src=x onerror=alert(1)>" }, 2, day + 1000),
    ]);
    opener.write("export.ndjson", `${lines.join("\n")}\n`);
    const page = await opener.open();
    await assertAccessible(page, "empty opener");
    await opener.choose(page, "Choose key file", "v1.key.json", "v2.key.json");
    await page.getByText("2 keys are ready").waitFor();
    await opener.choose(page, "Choose files", "export.ndjson");
    await page.getByText("2 submissions").waitFor();
    await page.getByRole("row").filter({ hasText: "Zoë" }).waitFor();
    await assertAccessible(page, "opened list");
    await page.getByLabel("Search in opened submissions").fill("zoe");
    await page.getByText("1 of 2 submissions").waitFor();
    await page.getByLabel("Search in opened submissions").fill("");
    await page.getByRole("row").filter({ hasText: "Bob" }).getByRole("button").click();
    await page.getByRole("region", { name: "Submission" }).getByText("<img src=x onerror=alert(1)>").waitFor();
    await page.goBack();
    await page.getByRole("region", { name: "Submission" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Export" }).click();
    for (const format of ["CSV", "Excel (XLSX)", "ZIP"]) {
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: format }).click();
      const download = await downloading;
      assert.match(download.suggestedFilename(), /^sealpost-contact-\d{4}-\d{2}-\d{2}\.(csv|xlsx|zip)$/);
      const bytes = readFileSync(await download.path());
      if (format === "CSV") assert.match(bytes.toString(), /"Zoë","first\nid: another"/);
      else if (format !== "ZIP") {
        const [sheet] = readWorkbook(bytes);
        const messages = sheet?.rows.map((row) => row.get(5)?.value);
        assert.deepEqual(messages, ["message", "<img src=x onerror=alert(1)>", "first\nid: another"]);
      } else {
        const entries = unzipSync(bytes);
        assert.deepEqual(Object.keys(entries), [
          "submissions.csv",
          "submissions.json",
          "submissions/1-2026-11-22.txt",
          "submissions/2-2026-11-22.txt",
        ]);
        const texts = Object.values(entries).map((entry) => new TextDecoder().decode(entry));
        assert.match(texts[0] ?? "", /"Zoë"/);
        assert.equal(JSON.parse(texts[1] ?? "").length, 2);
        assert.match(texts[3] ?? "", /\n {2}message\n {4}first\n {4}id: another\n/);
      }
    }
  });

  test("rows that no key fits, that were changed, or were never sealed say so, and a key added later opens the rest", async () => {
    const changed = JSON.parse(await sealLine({ name: "changed" }, 1));
    changed.payload.data = `${changed.payload.data.slice(0, -8)}AAAAAAA=`;
    const plain = { encrypted: false, version: "plain1", fields: { name: "in the clear" } };
    const lines = [
      '{"cut',
      await sealLine({ name: "first" }, 1),
      await sealLine({ name: "second" }, 2),
      JSON.stringify(changed),
      JSON.stringify({ ...changed, id: createId("submission"), payload: plain }),
      JSON.stringify({ ...changed, id: createId("submission"), receivedAt: 1e300 }),
    ];
    opener.write("mixed.ndjson", lines.join("\n"));
    const page = await opener.open({ viewport: { width: 390, height: 844 } });
    await opener.choose(page, "Choose files", "mixed.ndjson");
    await page.getByText("4 submissions of 1 form").waitFor();
    await page.getByText("2 lines are not a submission").waitFor();
    await opener.choose(page, "Choose key file", "v1.key.json");
    await page.getByText("2 submissions could not be opened").waitFor();
    await page.getByRole("row").filter({ hasText: "in the clear" }).getByText("Not sealed").waitFor();
    await page.getByRole("row").filter({ hasText: "No key for this version" }).getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: "Add a key" }).click();
    await opener.choose(page, "Choose key file", "v2.key.json");
    await page.getByRole("row").filter({ hasText: "second" }).waitFor();
    await page.getByText("1 submission could not be opened").waitFor();
    await assertAccessible(page, "opened list on a phone");
  });

  test("answers of the API and bodies of webhooks open too, of several forms, each with its key", async () => {
    const otherForm = createId("form");
    const ours = JSON.parse(await sealLine({ name: "listed" }, 1));
    const theirs = JSON.parse(await sealLine({ name: "delivered" }, 2, day, otherForm));
    const { formId: id, ...submission } = theirs;
    const body = { event: "submission.created", timestamp: day, form: { id, name: "Other" }, submission };
    opener.write("list.json", JSON.stringify({ submissions: [ours], total: 1, nextCursor: null }, null, 2));
    opener.write("webhook.json", JSON.stringify(body));
    const otherKey = {
      formId: otherForm,
      formName: "Other",
      keyVersion: 2,
      createdAt: 1,
      privateKey: second.privateKey,
    };
    opener.write("other.key.json", JSON.stringify(await createKeyFile(otherKey)));
    const page = await opener.open();
    await opener.choose(page, "Choose files", "list.json", "webhook.json");
    await page.getByText("2 submissions of 2 forms").waitFor();
    await opener.choose(page, "Choose key file", "v1.key.json", "other.key.json");
    await page.getByRole("row").filter({ hasText: "listed" }).waitFor();
    await page.getByLabel("Form").selectOption({ label: "Other (1)" });
    await page.getByRole("row").filter({ hasText: "delivered" }).waitFor();
    await page.getByRole("button", { name: "Forget everything" }).click();
    await page.getByText("1. Sealed submissions").waitFor();
    assert.equal(await page.getByText("delivered").count(), 0);
    opener.requests.length = 0; // the page itself, from the disk
  });

  test("sp2 opens with a key file that has a passphrase, and that replaces its RSA half", async () => {
    const hybrid = await generateHybridKeyPair();
    const submissionId = createId("submission");
    const payload = await sealHybrid({ name: "of sp2" }, { formId, keyVersion: 1, submissionId }, hybrid.publicKey);
    const row = { id: submissionId, formId, payload, keyVersion: 1, timestamp: day, receivedAt: day };
    opener.write("both.ndjson", `${JSON.stringify(row)}\n${await sealLine({ name: "of sp1" }, 1)}\n`);
    const about = { formId, formName: "Contact", keyVersion: 1, createdAt: 1 };
    const whole = { ...about, privateKey: first.privateKey, hybridPrivateKey: hybrid.privateKey };
    const encrypter = new Encrypter();
    encrypter.setPassphrase("correct horse");
    encrypter.setScryptWorkFactor(10);
    opener.write("whole.key.json.age", await encrypter.encrypt(JSON.stringify(await createKeyFile(whole))));
    const page = await opener.open();
    await opener.choose(page, "Choose files", "both.ndjson");
    await opener.choose(page, "Choose key file", "v1.key.json");
    await page.getByRole("row").filter({ hasText: "of sp1" }).waitFor();
    await page.getByText("1 submission could not be opened").waitFor();
    await page.getByRole("button", { name: "Add another key" }).click();
    await opener.choose(page, "Choose key file", "whole.key.json.age");
    await page.getByLabel("Passphrase", { exact: true }).fill("wrong horse");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("This passphrase does not open the file").waitFor();
    await page.getByLabel("Passphrase", { exact: true }).fill("correct horse");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("row").filter({ hasText: "of sp2" }).waitFor();
  });

  test("keys that do not say what they belong to are tried for every form and version", async () => {
    const otherForm = createId("form");
    opener.write(
      "unlabelled.ndjson",
      `${await sealLine({ name: "ours" }, 1)}\n${await sealLine({ name: "theirs" }, 2, day, otherForm)}\n`,
    );
    // As the dashboard writes it before there is a form, and as a recovery sheet gives it.
    const early = await createKeyFile({ formName: "Ours", keyVersion: 2, createdAt: 1, privateKey: first.privateKey });
    opener.write("early.key.json", JSON.stringify(early));
    opener.write("bare.jwk", JSON.stringify(second.privateKey));
    const page = await opener.open();
    await opener.choose(page, "Choose files", "unlabelled.ndjson");
    await opener.choose(page, "Choose key file", "early.key.json", "bare.jwk");
    await page.getByRole("row").filter({ hasText: "ours" }).waitFor();
    await page.getByLabel("Form").selectOption({ label: `${otherForm} (1)` });
    await page.getByRole("row").filter({ hasText: "theirs" }).waitFor();
  });

  test("two submissions with one id are named, and the page is emptied when it is left", async () => {
    const [line, other] = [await sealLine({ name: "first" }, 1), await sealLine({ name: "shadow" }, 1)];
    const shadow = JSON.stringify({ ...JSON.parse(other), id: JSON.parse(line).id });
    opener.write("twice.ndjson", [line, line, shadow].join("\n"));
    const page = await opener.open();
    await opener.choose(page, "Choose key file", "v1.key.json");
    await opener.choose(page, "Choose files", "twice.ndjson");
    await page.getByText("1 submission of 1 form").waitFor();
    await page.getByText("1 submission has the id of another one").waitFor();
    await page.getByRole("row").filter({ hasText: "first" }).waitFor();
    // Those that nobody sealed, too: the same twice is no difference.
    const plain = (name: string) =>
      JSON.stringify({ ...JSON.parse(line), payload: { encrypted: false, version: "plain1", fields: { name } } });
    opener.write("plain.ndjson", [plain("one"), plain("one"), plain("other")].join("\n"));
    const fresh = await opener.open();
    await opener.choose(fresh, "Choose files", "plain.ndjson");
    await fresh.getByText("1 submission of 1 form").waitFor();
    await fresh.getByText("1 submission has the id of another one").waitFor();
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    assert.equal(await page.locator("#root").innerText(), "");
  });

  test("a sealed file whose submission names it opens, whole or not at all, and neither its name nor a field turns other text round", async () => {
    const bytes = new Uint8Array(200_000).map((_, index) => index % 251);
    const submissionId = createId("submission", day);
    const fileKey: FileKey = {
      formId,
      submissionId,
      fileId: createId("file"),
      key: createFileKey(),
      size: bytes.length,
    };
    const sealed = await new Response(new Blob([bytes]).stream().pipeThrough(sealFile(fileKey))).bytes();
    opener.write("sealed.bin", sealed);
    opener.write("cut.bin", sealed.subarray(0, 65_552 * 2));
    const attached = toFileField(fileKey, { name: "../re\u202eport.pdf", type: "application/pdf" });
    const later = { $file: { format: "spf9", name: "later.pdf" } };
    opener.write(
      "file.ndjson",
      await sealLine({ name: "with a file", report: attached, later, ...turning }, 1, day, formId, submissionId),
    );
    const page = await opener.open();
    await opener.choose(page, "Choose key file", "v1.key.json");
    await opener.choose(page, "Choose files", "file.ndjson");
    await page.getByRole("row").filter({ hasText: "with a file" }).getByRole("button").click();
    await page.getByRole("region", { name: "Submission" }).getByText("lru").waitFor();
    const { isolated, loose } = await page.evaluate(findTurningTexts);
    assert.deepEqual(loose, []);
    assert.ok(isolated >= 4, `${isolated}: name and value, in the list and in the submission`);
    await page.getByText("A newer program sealed the file “later.pdf”").waitFor();
    const label = "Choose the sealed file of _report.pdf";
    await opener.choose(page, label, "cut.bin");
    await page.getByText("This file could not be opened").waitFor();
    await assertAccessible(page, "a file that could not be opened");
    const downloading = page.waitForEvent("download");
    await opener.choose(page, label, "sealed.bin");
    const download = await downloading;
    assert.equal(download.suggestedFilename(), "_report.pdf");
    assert.deepEqual(new Uint8Array(readFileSync(await download.path())), bytes);
    await page.getByText("Opened, whole and unchanged").waitFor();
    assert.equal(await page.getByText("This file could not be opened").count(), 0);
  });

  test("on a phone a file, and a key, that were chosen by mistake are taken away again", async () => {
    opener.write("wrong.ndjson", `${await sealLine({ name: "Wrong" }, 1, day, createId("form"))}\n`);
    opener.write("right.ndjson", `${await sealLine({ name: "Right" }, 1)}\n`);
    const page = await opener.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const chosen = page.getByRole("list", { name: "Chosen files" }).getByRole("listitem");
    await opener.choose(page, "Choose files", "wrong.ndjson", "right.ndjson");
    await page.getByText("2 submissions").waitFor();
    await page.getByRole("button", { name: "Remove: wrong.ndjson" }).tap();
    await page.getByText("1 submission", { exact: false }).first().waitFor();
    assert.equal(await chosen.count(), 1);
    await assertAccessible(page, "a chosen file");
    await page.getByRole("button", { name: "Remove: right.ndjson" }).tap();
    await chosen.first().waitFor({ state: "detached" });
    await opener.choose(page, "Choose key file", "v1.key.json");
    await page.getByText("1 key is ready").waitFor();
    await page.getByRole("button", { name: "Remove these keys" }).tap();
    await page.getByText("1 key is ready").waitFor({ state: "detached" });
    await opener.choose(page, "Choose key file", "v1.key.json");
    await opener.choose(page, "Choose files", "right.ndjson");
    await page.getByRole("row").filter({ hasText: "Right" }).waitFor();
  });

  test("a file without submissions, and one that is no key, are refused with a sentence", async () => {
    opener.write("other.txt", "Dear Ada,\nnothing of this is JSON.\n");
    const page = await opener.open();
    await opener.choose(page, "Choose files", "other.txt");
    await page.getByRole("alert").getByText("There are no sealed submissions in it").waitFor();
    await opener.choose(page, "Choose key file", "other.txt");
    await page.getByRole("alert").getByText("This is not a key").waitFor();
  });

  test("the opener's policy refuses to fetch, and to load pictures, scripts and workers", async (t) => {
    const received: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      received.push(url);
      response.end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const page = await opener.open();
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    const outcomes = await page.evaluate(async (url) => {
      const attempt = (work: () => unknown) =>
        (async () => work())().then(
          () => "done",
          () => "refused",
        );
      const load = (element: HTMLImageElement | HTMLScriptElement, source: string) =>
        new Promise((resolve, reject) => {
          Object.assign(element, { onload: resolve, onerror: reject });
          element.src = source;
          document.body.append(element);
        });
      navigator.sendBeacon(`${url}/beacon`);
      return Promise.all([
        attempt(() => fetch(`${url}/fetch`, { mode: "no-cors" })),
        attempt(() => load(new Image(), `${url}/picture`)),
        attempt(() => load(document.createElement("script"), `${url}/script`)),
        attempt(() => new Worker(`${url}/worker`)),
        attempt(() => document.body.insertAdjacentHTML("beforeend", "<b>markup</b>")),
      ]);
    }, address);
    assert.deepEqual(outcomes, ["refused", "refused", "refused", "refused", "refused"]);
    assert.deepEqual(received, []);
    // The attempts of this test, and the browser's word on each.
    assert.ok(opener.complaints.length >= 4);
    opener.complaints.length = 0;
    opener.requests.length = 0;
  });
});
