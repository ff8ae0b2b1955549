import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  type EnvelopeHead,
  type NewMember,
  namesOf,
  openEnvelope,
  ownerOf,
  RefusalError,
  sealEnvelope,
  toFormKey,
  type VerifiedList,
} from "@sealpost/envelope";
import { createId, type Fields, type FormId, type KeyPair } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../../sdk/src/testing/delivery.ts";
import { createFounder, fetchList, signEntry } from "../../../server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../../server/src/testing/test-service.ts";
import { createCommandLine } from "./run-command-line.ts";

export const pairs = [takeKeyPair(), takeKeyPair()] as const;

/** An owner with a form in an envelope, and a program with an identity that `sealpost keys program` made, which is nobody's reader yet. */
export async function createReadingProgram(t: TestContext, options: Parameters<typeof createTestService>[1] = {}) {
  const logged: string[] = [];
  const log = { write: (line: string) => void logged.push(line), dropped: () => 0 };
  const service = await createTestService(t, { log, ...options });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id, name, publicKey } = { id: createId("account"), name: "Reports", publicKey: pairs[0].publicKey };
  const formId = (await owner.account.request("POST", "/api/forms", { name: "Contact", publicKey })).body.form
    .id as FormId;
  const { run, folder } = createCommandLine(t, () => logged.splice(0));
  const made = await run(["keys", "program", name]);
  const recipient = made.output.trim();
  const { key } = (
    await owner.account.request("POST", "/api/api-keys", { name, permissions: ["submissions:read", "forms:read"] })
  ).body.key;
  let list: VerifiedList = await fetchList(owner);
  let head: EnvelopeHead | undefined;
  const member: NewMember = { id, name, role: "program", recipient, signingKey: null };

  async function seal(readerIds: readonly string[], added: readonly KeyPair[], firstVersion: number) {
    const keys = await Promise.all(added.map(({ privateKey }, index) => toFormKey(firstVersion + index, privateKey)));
    const stored = head && (await owner.client.envelopes.getNewest(formId, 1));
    const { file, revision = 1 } = stored ?? {};
    const opened = file && (await openEnvelope(file, owner.key.identity, { list, formId, firstVersion: 1, revision }));
    assert.ok(!(opened instanceof RefusalError), String(opened));
    const previous = opened && { previous: opened };
    return sealEnvelope({
      list,
      signer: owner.signer,
      formId,
      formName: "Contact",
      keys,
      readerIds: [owner.account.id, ...readerIds],
      ...previous,
    });
  }

  return {
    service,
    owner,
    formId,
    folder,
    made,
    member,
    token: key as string,
    identity: join(folder, "sealpost-reports.identity.txt"),
    /** Heads that the program has seen, keyed by name without the prefix of its key. */
    readHeads: async () => {
      const { heads } = JSON.parse(await readFile(join(folder, "sealpost-reports.identity.txt.heads.json"), "utf8"));
      const owner = await ownerOf(recipient);
      const own = namesOf(Object.keys(heads), owner);
      return Object.fromEntries(own.map((name) => [name, heads[`${owner} ${name}`]]));
    },
    readList: () => fetchList(owner, list.head),
    headText: () => `${list.head.number}-${list.head.hash}`,
    /** `sealpost` with the program's API key, at this address. */
    run: (parameters: readonly string[], { url = service.url, input = "" } = {}) =>
      run(parameters, { input, environment: { SEALPOST_URL: url, SEALPOST_TOKEN: key } }),
    /** `sealpost` with a session's token. */
    runAs: (token: string, parameters: readonly string[], options: { readonly typed?: string } = {}) =>
      run(parameters, { ...options, environment: { SEALPOST_URL: service.url, SEALPOST_TOKEN: token } }),
    async changeList(change: "add" | "remove", changed: NewMember = member) {
      const entry = change === "add" ? { change, member: changed } : { change, member: { id: changed.id } };
      await owner.client.memberList.add(await signEntry(owner, list, entry), list.head);
      list = await fetchList(owner, list.head);
    },
    /** The next revision, for the owner and these; the first one where there is none. */
    async write(readerIds: readonly string[]) {
      const sealed = await seal(readerIds, head === undefined ? [pairs[0]] : [], 1);
      await owner.client.envelopes.put(formId, 1, sealed.file, head);
      head = sealed.head;
    },
    async rotate(readerIds: readonly string[]) {
      const sealed = await seal(readerIds, [pairs[1]], 2);
      const envelope = sealed.file;
      await owner.client.forms.rotateKeys(formId, {
        publicKey: pairs[1].publicKey,
        keyVersion: 2,
        envelope,
        before: head,
      });
      head = sealed.head;
    },
    async submit(fields: Fields, keyVersion: 1 | 2 = 1): Promise<string> {
      const { submission } = await createdSealed(fields, pairs[keyVersion - 1] ?? pairs[0], keyVersion, formId);
      const body = { id: submission.id, payload: submission.payload, keyVersion };
      const posted = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
      assert.equal(posted.status, 201, JSON.stringify(posted.body));
      return submission.id;
    },
  };
}
