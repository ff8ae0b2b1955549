import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { isEveryWay, isWhole, sampleEvery } from "../../../tests/support/sample.ts";
import { shareBrowser } from "../../../tests/support/shared-browser.ts";
import { browserFolder } from "../build.ts";
import { endHung, launchTestBrowser, scriptTag } from "../testing/browser.ts";
import { type BuiltIn, listBuiltIns, record, replace, replacements, wordsOf } from "../testing/built-ins.ts";
import { type FramedPage, type Outcome, startFrames } from "../testing/frames.ts";
import { startService } from "../testing/service.ts";

// Pages that replace what the browser gives them: old libraries, polyfills, a map called Map. Not to keep out an attacker of the page,
// whose scripts can read what is typed, but so that nothing breaks in silence.

const [browser, service] = await Promise.all([shareBrowser(launchTestBrowser), startService()]);
const frames = await startFrames(browser, service);
after(async () => {
  await frames.close();
  await service.close();
  await browser.close();
});

const typed = "what-was-typed";
const fields = { a: `${typed} é😀 "\\`, b: ["1", "2"] };
const form = `<form><input name="a" value="${fields.a.replace('"', "&quot;")}"><input name="b[]" value="1"><input name="b[]" value="2"><button>Send</button></form>`;

/** `first` and `last`: scripts of the page around the snippet. */
function framed(name: string, first: string, last: string): FramedPage {
  const script = (text: string) => `<script>${text}</script>`;
  const snippet = (endpoint: string) =>
    `${scriptTag(service)}${script(`Sealpost.init("${service.formId}", { endpoint: "${endpoint}" })`)}`;
  return { name, html: (endpoint) => [script(first), form, snippet(endpoint), script(last)].join("") };
}

/** Built-ins that the script both names and calls while it sends a form; replacing any other changes nothing. */
async function listCalled(): Promise<readonly BuiltIn[]> {
  const script = await readFile(`${browserFolder}/${service.manifest.scripts.sealpost.file}`, "utf8");
  const named = await listBuiltIns(frames.page, wordsOf(script));
  const [recorded] = await frames.press([framed("nothing is replaced", record(named), "")], typed);
  assert.equal(recorded && (await findWrong(recorded)), undefined, "the control");
  assert.equal(recorded?.state, "sent");
  return [...new Set([...named.filter((name) => /^[A-Z]\w*$/.test(name)), ...frames.called])];
}

/** Nothing is wrong where what is opened is what the browser would send, or the visitor reads that it was not sent. */
async function findWrong({ state, said, posts, plain }: Outcome): Promise<string | undefined> {
  if (plain.length > 0) return `in plain: ${plain[0]}`;
  let stored = 0;
  for (const post of posts) {
    if (/^(.)\1{7}/.test(JSON.parse(post).payload.iv)) return "sealed without randomness";
    try {
      for (const opened of await service.opened((body) => body === post)) {
        assert.deepEqual(opened, fields);
        stored++;
      }
    } catch (error) {
      return `stored, and ${error}`;
    }
  }
  if (stored > 0) return undefined;
  if (state === "sent" || said.includes("Thank you")) return "thanks for nothing";
  return /Not sent|No connection|No answer|not accepted/.test(said) ? undefined : `${state}: ${said}`;
}

test("a page that has replaced a function of the browser, before the embed or after it, gets what it would, or a refusal that is seen", async () => {
  const called = await listCalled();
  assert.ok(called.length > 80, `${called.length}`);
  const cases = called.flatMap((builtIn) =>
    Object.keys(replacements).flatMap((kind) => {
      const script = replace(builtIn, kind as keyof typeof replacements); // its own names
      const attempt = `try { ${script} } catch {}`;
      return [framed(`${builtIn} ${kind}, before`, attempt, ""), framed(`${builtIn} ${kind}, after`, "", attempt)];
    }),
  );
  // Before the embed or after it: each in turn, for each function and each of its replacements.
  const isInTurn = (index: number) => (index & 1) === (((index >> 1) + (index >> 3)) & 1);
  const chosen = isWhole && !isEveryWay ? cases.filter((_, index) => isInTurn(index)) : sampleEvery(cases, 13);
  const wrong: string[] = [];
  for (let start = 0; start < chosen.length; start += 40) {
    service.reset();
    const pages = chosen.slice(start, start + 40);
    const running = () => `one of ${pages.map(({ name }) => name).join("; ")}`;
    const outcomes = await endHung(frames.page, frames.press(pages, typed), running).catch((error) => {
      // One that never ends may take the others along by its memory first.
      throw new Error(running(), { cause: error });
    });
    for (const outcome of outcomes) {
      const found = await findWrong(outcome);
      if (found !== undefined) wrong.push(`${outcome.name}: ${found}`);
    }
  }
  assert.deepEqual(wrong, []);
});
