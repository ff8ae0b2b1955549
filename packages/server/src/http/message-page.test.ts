import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage, type Language, languages } from "@sealpost/texts";
import { makeUp } from "../../../texts/testing/made-up.ts";
import * as htmlFormPages from "../html-forms/html-form-pages.ts";
import * as unsubscribePages from "../mail/unsubscribe-routes.ts";
import { createTestService } from "../testing/test-service.ts";
import { renderMessagePage } from "./message-page.ts";
import { languageOf, readWanted } from "./request-language.ts";

const [first] = languages;
const rightToLeft: Language = { ...first, tag: "qaa", direction: "rtl" };

test("in a made-up language no page of the service has an English letter, and each says its language and direction", async () => {
  const { htmlForms, unsubscribe } = makeUp(await first.load.served());
  const names = Object.keys(htmlForms) as htmlFormPages.PageName[]; // its own keys
  const states = Object.keys(unsubscribePages.statuses) as (keyof typeof unsubscribePages.statuses)[]; // the same
  const pages = [
    ...names.map((name) => htmlFormPages.writePage(name, htmlForms)),
    ...states.flatMap((state) =>
      (["form", "storage", "organization"] as const).flatMap((about) =>
        [false, true].map((hasMore) => unsubscribePages.writePage(unsubscribe, state, about, hasMore)),
      ),
    ),
  ];
  assert.ok(pages.length > 20);
  for (const page of pages) {
    const html = renderMessagePage(rightToLeft, page);
    assert.match(html, /^<!doctype html>\n<html lang="qaa" dir="rtl">/);
    const shown = html.replace(/<style>.*<\/style>/s, "").replaceAll(/<[^>]*>/g, "");
    assert.ok(shown.trim().length > 20);
    assert.doesNotMatch(shown, /[A-Za-z]/, html);
  }
});

test("a page is in the language that the browser wants most of those that there are, and says so to caches", async (t) => {
  const wanting = (header?: string) =>
    languageOf({ headers: header === undefined ? {} : { "accept-language": header } }).tag;
  for (const header of [undefined, "", "*", "xx, yy;q=0.5", "xx;q=1,en-GB;q=0.1", ";q=,,q=2;=", "en;q=0"])
    assert.equal(wanting(header), "en", `${header}`);
  for (const [header, tag] of [
    ["de;q=0.5, pl;q=0.9", "pl"],
    ["pl;q=0, de-AT;q=0.1", "de"],
    ["xx, DE", "de"],
    ["pl, de", "pl"],
    ["a, b, c, d, e, f, g, h, de;q=0.1, pl", "pl"],
    ["a, b, c, d, e, f, g, h, i, de;q=0.1, pl", "de"],
  ] as const)
    assert.equal(chooseLanguage(readWanted(header), [{ tag: "en" }, { tag: "de" }, { tag: "pl" }]).tag, tag, header);
  const service = await createTestService(t);
  for (const path of ["/f/form_none", "/f/form_none/thanks", "/unsubscribe/x"]) {
    const headers = { accept: "text/html", "accept-language": "xx, en-GB;q=0.7" };
    const answer = await fetch(service.url + path, { headers });
    assert.match(await answer.text(), /<html lang="en" dir="ltr">/, path);
    assert.equal(answer.headers.get("content-language"), "en");
    assert.match(answer.headers.get("vary") ?? "", /accept-language/i);
  }
});
