import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { agents, openActor } from "../support/envelope-actors.ts";

// While a manager reads a form, they begin an envelope for versions that nobody has made yet, and the service shows it to one colleague alone. Then they are
// taken out of the form, which that colleague sees: the next rotation of theirs is not for the manager.

let [ada, nia, mo]: readonly PlayedPerson[] = [];
let first: Awaited<ReturnType<typeof newFormKey>>;
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, nia, mo] = await Promise.all([makePerson("Ada"), makePerson("Nia"), makePerson("Mo")]);
  [first, rotated] = await Promise.all([newFormKey(32), newFormKey(33)]);
});

for (const [index, firstVersion] of [33, 65, 2_147_483_617].entries())
  for (const hasKey of [true, false])
    test(`a manager who was taken out does not come back by an envelope of version ${firstVersion} that they have begun ${hasKey ? "with a key" : "without one"}`, async () => {
      assert.ok(ada && nia && mo);
      const agent = agents[index % agents.length] ?? assert.fail();
      const server = playServer();
      const browser = openBrowser(server, ada);
      await findOrFoundList(browser);
      for (const person of [nia, mo])
        server.list.push(
          await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, "manager") }),
        );
      const formId = createId("form");
      server.keys.push({ version: 32, fingerprint: first.key.fingerprint });
      const known = await loadCheckedList(browser);
      await importKeys(browser, known, formId, [first.key], [], "Vote");
      await changeReaders(browser, [formId], { add: [nia.id, mo.id], remove: [] });

      const { list } = known;
      const { file } = await sealEnvelope({
        ...{ list, formId, firstVersion, signer: await toSigner(mo), standing: { own: mo.key, confirmed: [] } },
        readerIds: [ada.id, nia.id, mo.id],
        keys: hasKey ? [{ ...rotated.key, version: firstVersion }] : [],
      });
      const heads = createMemoryStore();
      await createHeads(heads).advanceList(organizationId, undefined, list.head);
      const nias = await openActor(agent, server, nia, rotated, heads);
      server.envelopes.set(firstVersion, [file]);
      assert.deepEqual((await nias.open(formId)).refused, [], "it stops nothing");
      server.envelopes.delete(firstVersion);

      await changeReaders(browser, [formId], { add: [], remove: [mo.id] });
      assert.deepEqual((await nias.open(formId)).refused, []);
      assert.equal(await nias.rotate(formId), "rotated");
      const revisions = server.envelopes.get(33) ?? assert.fail();
      const expected = { list, formId, firstVersion: 33, revision: revisions.length };
      const opened = await openEnvelope(revisions.at(-1) ?? assert.fail(), ada.key.identity, expected);
      assert.ok(!(opened instanceof RefusalError), "the owner opens it");
      assert.deepEqual(opened.content.readers.map(({ id }) => id).toSorted(), [ada.id, nia.id].toSorted());
      assert.deepEqual([...(await nias.open(formId)).keys.keys()], [32, 33]);
    });
