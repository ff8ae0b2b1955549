import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { compareNames } from "../../packages/dashboard/src/envelopes/form-names.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  playServer,
  toMember,
  writeEntry,
  writeEnvelope,
} from "../dashboard/played-envelopes.ts";

/** A form that its envelope calls Contact, of Ada; and Bo, who reads nothing yet. */
async function setUp() {
  const [ada, bo] = await Promise.all(["Ada", "Bo"].map(makePerson));
  if (!ada || !bo) return assert.fail();
  const server = playServer();
  server.list.push(await writeEntry("", ada, { change: "add", member: toMember(ada) }));
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(bo, "reader") }));
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const parts = { formId, formName: "Contact", readerIds: [ada.id], keys: [key] };
  server.envelopes.set(1, [await writeEnvelope(server.list.join(""), ada, parts)]);
  const browser = openBrowser(server, ada);
  const names = async (name: string) => {
    const opened = await openForm(browser, formId);
    assert.ok(opened.kind === "opened", opened.kind);
    return compareNames(opened, { id: formId, name });
  };
  return { bo, server, formId, browser, names, revisions: () => server.envelopes.get(1)?.length };
}

// Row B1 of the findings on 6a710908, shown by names.test.ts.
test("B1: forms that were chosen by names which the server swapped are sealed for nobody", async () => {
  const { bo, formId, browser, names, revisions } = await setUp();
  const chosenAs = (name: string) => ({ add: [bo.id], remove: [], chosenAs: new Map([[formId as string, name]]) });
  const [refused] = await changeReaders(browser, [formId], chosenAs("Hotline"));
  assert.deepEqual(refused, { formId, kind: "failed", failure: { kind: "name", signed: "Contact" } });
  assert.equal(revisions(), 1, "nothing was sealed");
  // Nobody stays a reader because the server calls a form something else.
  const [swept] = await changeReaders(browser, [formId], { ...chosenAs("Hotline"), add: [] });
  assert.equal(swept?.kind, "unchanged");
  const [changed] = await changeReaders(browser, [formId], chosenAs("Contact"));
  assert.equal(changed?.kind, "changed");
  assert.equal((await names("Contact"))?.isSame, true);
});

test("the name in the envelope stays until somebody takes another one over, by a revision", async () => {
  const { formId, browser, names, revisions } = await setUp();
  assert.deepEqual(await names("Hotline"), { signed: "Contact", served: "Hotline", isSame: false });
  const change = { add: [], remove: [], formName: "Hotline" };
  assert.equal((await changeReaders(browser, [formId], change))[0]?.kind, "changed");
  assert.deepEqual(await names("Hotline"), { signed: "Hotline", served: "Hotline", isSame: true });
  assert.equal((await changeReaders(browser, [formId], change))[0]?.kind, "unchanged");
  assert.equal(revisions(), 2);
  // As a writer would write it: what a name can't have is no other name.
  assert.equal((await names("Hot\u202eline"))?.isSame, true);
});

/** The acts of SPECIFICATION.md section 25 that are about a form, by what does them in the dashboard. */
const acts: Readonly<Record<string, RegExp>> = {
  "sealing for somebody": /<SweepProgress\b/,
  "bringing keys in": /\bimportKeys\(context/,
  "taking the envelope away": /\benvelopes\.remove\(/,
  rotating: /\buseRotation\(|\brotateForm\(context/,
  "bringing back": /\bbringBack\(context/,
  "signing a key log": /\bsignCurrentKey\(context/,
  "giving a key log up": /\bgiveUpKeyLog\(/,
  deleting: /\bforms\.delete\(/,
  "handing over": /\bforms\.handOver\(/,
};

const shows = /<FormNames\b|\bformNames\.signed\(|\bchosenAs\b|\botherName\(/;

/** Where no name is shown, and why. */
const nameless: Readonly<Record<string, string>> = {
  "readers/bring-keys.tsx": "keys are compared with those that the person has; the section around it shows the name",
  "readers/take-out.tsx": "takes somebody out of all forms",
  "readers/look-through.tsx": "accepts keys and takes people out, in all forms",
  "recovery/sweep-all.tsx": "seals all forms for the organization's recovery key",
  "your-key/carry-over.tsx": "seals all forms for the person's own key",
};

test("in the dashboard each act on a form that can't be undone shows the name that is signed", () => {
  const folder = join(import.meta.dirname, "../../packages/dashboard/src");
  const files = globSync("**/*.tsx", { cwd: folder }).map((path) => ({
    path,
    source: readFileSync(join(folder, path), "utf8"),
  }));
  const silent = new Set<string>();
  for (const [act, does] of Object.entries(acts)) {
    const doing = files.filter(({ source }) => does.test(source));
    assert.notEqual(doing.length, 0, act);
    for (const { path, source } of doing) if (!shows.test(source)) silent.add(path);
  }
  assert.deepEqual([...silent].sort(), Object.keys(nameless).sort());
});
