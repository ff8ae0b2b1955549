import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createKeyPairQueue } from "../forms/make-key-pair.ts";
import { Problem } from "../problems/problem.ts";
import { createCountQueue } from "../submissions/count-received-store.ts";
import { holdTurns } from "../testing/hold-turns.ts";
import type { FairQueue } from "./fair-queue.ts";
import { createPageTurns } from "./page-turns.ts";
import { createOpenAnswer } from "./testing/open-answer.ts";

const sources = new URL("../", import.meta.url).pathname;

/** Every file that makes a line: the queue that people of one organization share, or why there are no such people. */
const lines: Readonly<Record<string, (() => FairQueue) | string>> = {
  "forms/make-key-pair.ts": createKeyPairQueue,
  "submissions/count-received-store.ts": createCountQueue,
  "organizations/verified-lists.ts": "each asker is a person",
  "organizations/list-reads.ts": "each asker is a person",
  "rate-limits/page-turns.ts": createPageQueue,
  "submissions/strip-fields.ts": "visitors ask, of whom nobody knows who they are: line-newcomers.test.ts",
  "submissions/strip-thread.ts": "visitors ask, of whom nobody knows who they are: line-newcomers.test.ts",
  "account-life/address-routes.ts": "people with a link ask, of whom nobody knows who they are: line-newcomers.test.ts",
  "oidc/provider-turns.ts":
    "people who come back from the provider ask, of whom nobody knows who they are: line-newcomers.test.ts",
  "html-forms/read-html-form.ts": "visitors ask, of whom nobody knows who they are: line-newcomers.test.ts",
  "rate-limits/password-queue.ts": "each asker is a person",
  "rate-limits/fair-queue.ts": "makes the lines of the others",
};

/** Works of one page each. */
function createPageQueue(): FairQueue {
  const turns = createPageTurns();
  return {
    async run({ accountId, personId = "" }, work, about) {
      const answer = createOpenAnswer();
      const part = typeof about === "string" ? about : about?.part;
      return turns.begin({ accountId, personId }, answer, part)(work).finally(answer.close);
    },
  };
}

test("each line that the service has is held to what follows", () => {
  const makers = globSync("**/*.ts", { cwd: sources }).filter(
    (file) =>
      !/\.test\.ts$|^testing\/|fair-line\.ts$/.test(file) &&
      /\bcreateFair(Line|Queue)\(/.test(
        readFileSync(`${sources}${file}`, "utf8").replaceAll(/export function .*/g, ""),
      ),
  );
  assert.deepEqual(makers.toSorted(), Object.keys(lines).toSorted());
});

for (const [file, create] of Object.entries(lines)) {
  if (typeof create === "string") continue;
  for (const parts of [1, 50])
    test(`one member who asks a thousand times about ${parts} forms keeps nobody else from a turn: ${file}`, async () => {
      const queue = create();
      const order: string[] = [];
      const putOff: string[] = [];
      const free = holdTurns(1, (work) => queue.run({ accountId: "clinic", personId: "reader" }, work));
      const run = (accountId: string, personId: string, part: string) =>
        queue
          .run({ accountId, personId }, async () => void order.push(personId), part)
          .catch((error) => {
            assert.ok(error instanceof Problem && error.status === 503);
            putOff.push(personId);
          });
      const all = Array.from({ length: 1000 }, (_, count) => run("clinic", "reader", `form ${count % parts}`));
      for (const person of ["owner", "manager"])
        for (let count = 0; count < 4; count++) all.push(run("clinic", person, "form 0"));
      all.push(run("other", "stranger", "another form"));
      await setImmediate();
      assert.deepEqual([...new Set(putOff)], ["reader"], "nobody else is refused");
      free();
      await Promise.all(all);
      const first = order.slice(0, 12);
      for (const person of ["owner", "manager"])
        assert.equal(first.filter((name) => name === person).length, 4, first.join(" "));
      assert.ok(first.includes("stranger"), first.join(" "));
      assert.ok(order.filter((name) => name === "reader").length > 0, "the reader has turns as well");
    });
}
