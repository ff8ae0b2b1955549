import assert from "node:assert/strict";
import { test } from "node:test";
import { languages } from "@sealpost/texts";
import { membersMax } from "../submissions/submission.ts";
import { entriesMax, readFormEntries } from "./form-entries.ts";
import { type HtmlForm, parseHtmlForm, resolveNext } from "./html-form.ts";
import { pageOfProblem, writePage } from "./html-form-pages.ts";

/** A form that must be taken. */
function parse(entries: Iterable<readonly [string, unknown]>): HtmlForm {
  const form = parseHtmlForm(entries);
  if (typeof form === "string") assert.fail(form);
  return form;
}

test("answers keep their order, repeated names and name[] become lists, control fields and captcha tokens are gone", () => {
  const form = parse([
    ["b", "1"],
    ["a", ""],
    ["topics", "x"],
    ["topics", "y"],
    ["list[]", "only"],
    ["_subject", "hello"],
    ["_gotcha", ""],
    ["_next", "/thanks"],
    ["g-recaptcha-response", "token"],
    ["altcha", "token"],
    ["__proto__", "p"],
    ["constructor", "c"],
  ]);
  assert.equal(
    JSON.stringify(form.fields),
    '{"b":"1","a":"","topics":["x","y"],"list":["only"],"__proto__":"p","constructor":"c"}',
  );
  assert.equal(form.next, "/thanks");
});

test("a name that is ours gets one dollar more, as the embed gives it, and every other stays the visitor's", () => {
  const names = ["$sealpost", "$$sealpost[]", "$price", "a$sealpost", "sealpost"];
  assert.deepEqual(parse(names.map((name) => [name, "1"])).fields, {
    ...{ $$sealpost: "1", $$$sealpost: ["1"], $price: "1", a$sealpost: "1", sealpost: "1" },
  });
});

test("a form all of whose answers would be left out is refused, and one that sends none is taken", () => {
  const texts = ["_name", "_message[]", "_", "_subject", "__proto"];
  for (const name of texts) {
    assert.equal(parseHtmlForm([[name, "please help me"]]), "no_answers", name);
    assert.equal(
      parseHtmlForm([
        ["_gotcha", ""],
        [name, "please help me"],
        ["_next", "/thanks"],
      ]),
      "no_answers",
      name,
    );
    assert.deepEqual(
      parse([
        [name, "please help me"],
        ["a", ""],
      ]).fields,
      { a: "" },
      name,
    );
    assert.deepEqual(parse([[name, ""]]).fields, {}, name);
  }
  const button = ["_next", "_charset_", "h-captcha-response", "altcha"];
  assert.deepEqual(parse(button.map((name) => [name, "/thanks"])).fields, {});
});

test("a filled honeypot refuses the form, whatever else it has; an empty one does not", () => {
  for (const others of [[], [["a", "1"]], [["_name", "1"]]] as const)
    for (const name of ["_gotcha", "_gotcha[]"]) {
      assert.equal(parseHtmlForm([...others, [name, ""], [name, "x"]]), "trapped");
      assert.notEqual(parseHtmlForm([...others, [name, ""]]), "trapped");
    }
});

test("a chosen file refuses the form; an empty file input does not", () => {
  assert.equal(parseHtmlForm([["photo", new File(["x"], "a.png")]]), "file");
  assert.equal(parseHtmlForm([["photo", new File(["x"], "")]]), "file");
  assert.deepEqual(parse([["photo", new File([], "")]]).fields, {});
});

test("parsing ends at the member limit, however many entries a stranger sends", () => {
  const names: readonly (readonly [kind: string, name: (index: number) => string, read: number])[] = [
    ["one name", () => "a", 1000],
    ["one list", () => "a[]", 1000],
    ["a name of its own for each", (index) => `n${index}`, 1001],
  ];
  for (const [kind, name, expected] of names) {
    let read = 0;
    function* endless(): Generator<readonly [string, string]> {
      for (;;) yield [name(read++), "x"];
    }
    assert.equal(parseHtmlForm(endless()), "too_many", kind);
    assert.equal(read, expected, kind);
  }
  const atLimit = parse(Array.from({ length: 999 }, () => ["a", "x"] as const));
  assert.equal((atLimit.fields.a as string[]).length, 999);
});

test("a posted body with more entries than a form may have is refused before any of them is decoded", async (t) => {
  const calls = t.mock.method(Buffer.prototype, "toString").mock;
  const countDecoded = () =>
    calls.calls.filter((call: { arguments: readonly unknown[] }) => call.arguments[0] === "utf8").length;
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n';
  const encodings = [
    ["application/x-www-form-urlencoded", (count: number) => Array(count).fill("a=x").join("&")],
    ["multipart/form-data; boundary=b", (count: number) => `${part.repeat(count)}--b--\r\n`],
  ] as const;
  for (const [type, encode] of encodings) {
    assert.equal(await readFormEntries(Buffer.from(encode(entriesMax + 2)), type), undefined, type);
    assert.equal(countDecoded(), 0, type);
    const most = await readFormEntries(Buffer.from(encode(membersMax)), type);
    assert.equal([...(most ?? [])].length, membersMax, type);
    assert.ok(countDecoded() >= membersMax, "a control");
    calls.resetCalls();
  }
});

const page = "https://example.com";
const allowed = ["*", "https://other.example", "https://*.example.org"];

test("a redirect leads to the page's own origin, or to one that the form names", () => {
  assert.equal(resolveNext("/thanks?a=b#c", page, allowed), "https://example.com/thanks?a=b#c");
  assert.equal(resolveNext("https://example.com/x", page, allowed), "https://example.com/x");
  assert.equal(resolveNext("https://other.example/x", page, allowed), "https://other.example/x");
  assert.equal(resolveNext("https://a.example.org/x", page, allowed), "https://a.example.org/x");
  assert.equal(resolveNext("https://other.example/x", undefined, allowed), "https://other.example/x");
});

test("a redirect to anywhere else becomes the thank-you page", () => {
  const hostile = [
    undefined,
    "",
    "thanks.html",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https://evil.example",
    "https://example.com@evil.example/",
    "https://user@example.com/",
    "https://example.com.evil.example/",
    "https://evilexample.org/",
    "http://other.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.com/",
    "/a\r\nSet-Cookie: x=1",
    " /a",
    `/${"a".repeat(2048)}`,
  ];
  for (const next of hostile) assert.equal(resolveNext(next, page, allowed), undefined, String(next));
  assert.equal(resolveNext("/thanks", undefined, allowed), undefined, "a path without an origin");
  assert.equal(resolveNext("/thanks", "null", allowed), undefined, "a path on an opaque origin");
  assert.equal(resolveNext("https://anywhere.example/", page, ["*"]), undefined, "* opens no other");
});

test("a page says that the service is away, and does not claim that nothing was stored", async () => {
  const { htmlForms } = await languages[0].load.served();
  const page = writePage(pageOfProblem({ reason: "database_unavailable", status: 503 }), htmlForms);
  assert.match(page.title, /not available/);
  assert.doesNotMatch(page.text, /Nothing was stored/);
});
