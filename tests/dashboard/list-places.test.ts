import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  deriveRecoveryKey,
  findPlacesLeft,
  generatePersonalKey,
  generateSheet,
  type ListHead,
  placesMax,
} from "@sealpost/envelope";
import { formatTime, noExtensions } from "@sealpost/wire";
import { Explained } from "../../packages/dashboard/src/api/describe-error.ts";
import { changeList } from "../../packages/dashboard/src/envelopes/change-list.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import { becomeOwner, checkRecovery } from "../../packages/dashboard/src/recovery/recover.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
import {
  makePerson,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "./played-envelopes.ts";

test("where nobody but an owner has a place left, a manager reads that, and an owner's next change and the recovery sheets make room", async () => {
  const [ada, bo, cleo, dan] = await Promise.all(["Ada", "Bo", "Cleo", "Dan"].map(makePerson));
  assert.ok(ada && bo && cleo && dan);
  const server = playServer();
  const owner = openBrowser(server, ada);
  await findOrFoundList(owner);
  const sheets = await deriveRecoveryKey((await generateSheet("organization")).identity);
  assert.equal((await keepRecoveryKey(owner, sheets, "Recovery key", [])).kind, "kept");
  for (const [person, role] of [
    [bo, "manager"],
    [cleo, "reader"],
  ] as const)
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  const { head } = (await loadCheckedList(owner)).list;
  const manager = openBrowser(server, bo);
  await manager.heads.advanceList(organizationId, undefined, head);
  const add = (context: EnvelopeContext) =>
    changeList(context, ({ list }) =>
      list.members.has(dan.id) ? undefined : { change: "add", member: toMember(dan, "reader") },
    );
  const placesLeft = async () => findPlacesLeft((await loadCheckedList(owner)).list);

  server.list.push(...(await writeVouching(bo, cleo, head, placesMax - 1)));
  const full = [...server.list];
  await assert.rejects(
    add(manager),
    (error) => error instanceof Explained && /An owner has to sign the next change/.test(error.message),
  );
  assert.equal(server.list.length, full.length);
  await add(owner);
  assert.equal(await placesLeft(), placesMax - 1);
  const { length } = server.list;
  await changeList(manager, ({ list }) =>
    list.head.number === length ? { change: "vouch", members: [dan.id] } : undefined,
  );
  assert.equal(await placesLeft(), placesMax - 2);

  server.list = full;
  const fresh = openBrowser(server, { ...ada, key: { ...(await generatePersonalKey()), former: [] } });
  const check = await checkRecovery(fresh, sheets);
  assert.ok(check.kind === "ready");
  const recovered = await becomeOwner(fresh, sheets, check);
  assert.ok(recovered.kind === "checked");
  assert.equal(recovered.own.role, "owner");
  assert.ok(findPlacesLeft(recovered.list) >= placesMax - 1);
});

/** Entries in which `by` vouches for somebody again and again; nothing checks them here. */
async function writeVouching(
  by: PlayedPerson,
  { id }: PlayedPerson,
  { number, hash }: ListHead,
  count: number,
): Promise<readonly string[]> {
  const { signingKey } = await toSigner(by);
  const entries: string[] = [];
  let previous = hash;
  for (let next = number + 1; next <= number + count; next++) {
    const line = JSON.stringify({
      ...{ format: "sealpost-list/1", organizationId, number: next, previous, writtenAt: formatTime(Date.now()) },
      ...{ signedBy: by.id, change: "vouch", admission: null, members: [id], shown: next - 1, ...noExtensions },
    });
    entries.push(await signLine("sealpost-list/1", line, signingKey));
    previous = createHash("sha256").update(line).digest("base64url");
  }
  return entries;
}
