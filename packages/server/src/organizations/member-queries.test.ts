import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const sources = `${import.meta.dirname}/..`;

/** The number of queries in a file that also find members who have yet to prove their address, and the reason. */
const ofAll: Readonly<Record<string, readonly [number, string]>> = {
  "accounts/operator-store.ts": [
    2,
    "memberships that are changed with the person's rights; whether anybody else is left",
  ],
  "accounts/open-session-store.ts": [1, "a membership that waits is the session's, and gives it no role"],
  "account-life/account-deletion-store.ts": [1, "counts all members, and as owners only the proven ones"],
  "account-life/person-store.ts": [1, "whether the organization with the person's id is shared"],
  "api-keys/api-key-store.ts": [1, "counts keys, which nobody makes who waits"],
  "backup/restored-access-store.ts": [2, "names everybody whom a restore brings back"],
  "database/membership.ts": [2, "the organization of a session"],
  "operators/instance-store.ts": [3, "names and numbers for the operator; as owners only the proven ones"],
  "organizations/member-change-store.ts": [
    1,
    "which organizations an undone move locks: it may change what waits, too",
  ],
  "organizations/member-store.ts": [4, "members as owners see them, each with what they wait for; room for members"],
  "organizations/organization-store.ts": [1, "counts all members, and as owners only the proven ones"],
  "organizations/signed-head-store.ts": [1, "locks the row that a head goes with"],
  "quotas/usage-store.ts": [1, "the name of somebody who is a member"],
};

test("a query that asks who is an owner or another member asks for the proof of their address, or has its reason", () => {
  const query = /(?:selectFrom|innerJoin|leftJoin)\(\s*"member(?: as \w+)?"|\b(?:from|join) member\b/g;
  const found: Record<string, number> = {};
  for (const file of globSync("**/*.ts", { cwd: sources, exclude: ["**/*.test.ts", "**/testing/**"] })) {
    const text = readFileSync(`${sources}/${file}`, "utf8");
    for (const { index, 0: opening } of text.matchAll(query)) {
      const alias = /member as (\w+)/.exec(text.slice(index, index + 60))?.[1] ?? "member";
      const statement = text.slice(index + opening.length, text.indexOf(";", index));
      const isAsked = new RegExp(
        `where\\(isProven\\("${alias}"\\)\\)|and \\$\\{isProven\\("${alias}"\\)\\}(?: limit 1)?\\)`,
      ).test(statement);
      if (!isAsked) found[file] = (found[file] ?? 0) + 1;
    }
  }
  const expected = Object.fromEntries(Object.entries(ofAll).map(([file, [count]]) => [file, count]));
  assert.deepEqual(found, expected);
});
