import assert from "node:assert/strict";
import {
  openEnvelope,
  openKeyCopy,
  type PersonalKey,
  parseSheet,
  RefusalError,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { type Client, createClient, type OpeningKey, open } from "@sealpost/sdk";
import { importEnvelopeKeys } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { Page } from "playwright-core";
import type { Council } from "./council.ts";
import type { Councillor } from "./councillor.ts";
import type { CouncilForm } from "./flows.ts";

/** Loot of somebody who leaves, or finds a phone: the personal key, and every key of a form that it opens. */
export interface Loot {
  readonly key: PersonalKey;
  readonly formKeys: readonly OpeningKey[];
}

/** With the sheet and the session of a member, before they leave. */
export async function takeAlong(council: Council, person: Councillor, forms: readonly CouncilForm[]): Promise<Loot> {
  const sheet = await parseSheet("personal", person.sheet.lines);
  assert.ok("identity" in sheet);
  const key = await findKey(person.device, sheet);
  const client = await connect(council, person.device);
  const list = await readList(client);
  const formKeys: OpeningKey[] = [];
  for (const form of forms) {
    const opened = await openNewest(client, list, key, form);
    assert.ok(!(opened instanceof RefusalError), `control: ${form.name} opens before`);
    formKeys.push(...(await importEnvelopeKeys(opened.content)));
  }
  return { key, formKeys };
}

/** Even with everything that the server has, given by a member's session, what was sealed since `from` stays closed. */
export async function assertClosed(
  council: Council,
  loot: Loot,
  member: Councillor,
  forms: readonly CouncilForm[],
  from: number,
): Promise<void> {
  const client = await connect(council, member.device);
  const list = await readList(client);
  const since = new Set(council.ledger.slice(from).map(({ id }) => id));
  for (const form of forms) {
    const opened = await openNewest(client, list, loot.key, form);
    assert.ok(opened instanceof RefusalError && opened.reason === "not_a_reader", String(opened));
    const { submissions } = await client.submissions.list(form.id, { limit: 100 });
    const outcomes = await Promise.all(
      submissions.map(async (submission) => {
        const { payload, keyVersion, id } = submission;
        assert.ok("data" in payload);
        const sealed = { formId: form.id as FormId, submissionId: id as never, keyVersion, payload };
        return { isNew: since.has(id), opened: (await open(sealed as never, loot.formKeys)).opened };
      }),
    );
    assert.ok(outcomes.some(({ isNew }) => isNew) && outcomes.every(({ isNew, opened }) => !(isNew && opened)));
    assert.ok(
      outcomes.some(({ opened }) => opened),
      "control: what they could read before they can still open",
    );
  }
}

/** The newest of the keys that the person of this page has replaced. */
export function findFormerKey(page: Page): Promise<{ readonly signingKey: string; readonly replaces: string }> {
  return page.evaluate(async () => {
    const { personalKey, formerKeys } = await (await fetch("/api/account/personal-key")).json();
    return { signingKey: formerKeys[0].signingKey, replaces: personalKey.signingKey };
  });
}

/** Asks the service for it without the page; gives the status. */
export function restoreKey(page: Page, body: Awaited<ReturnType<typeof findFormerKey>>): Promise<number> {
  return page.evaluate(async (text) => {
    const headers = { "content-type": "application/json" };
    return (await fetch("/api/account/personal-key/restore", { method: "POST", headers, body: text })).status;
  }, JSON.stringify(body));
}

/** The signed list as the service has it: month of each entry, what it changes, and who signed it. */
export async function readEntries(council: Council, member: Councillor): Promise<readonly string[]> {
  const client = await connect(council, member.device);
  const readLines = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd().split("\n");
  const lines = readLines((await client.memberList.get()) ?? assert.fail());
  const committed = new Map<string, string>();
  for (const line of readLines(await client.memberList.names())) {
    const { commitment, name } = JSON.parse(line);
    committed.set(commitment, name);
  }
  const names = new Map<string, string | undefined>();
  return lines
    .filter((_, index) => index % 2 === 0)
    .map((line) => {
      const { writtenAt, change, signedBy, member, members = [member.id] } = JSON.parse(line);
      // An entry that removes somebody has their id alone.
      if (member?.name !== undefined) names.set(member.id, committed.get(member.name));
      const about = members.map((id: string) => names.get(id)).toSorted();
      return `${writtenAt.slice(0, 7)} ${change} ${about.join(", ")}, by ${names.get(signedBy)}`;
    });
}

async function connect({ dashboard }: Council, page: Page): Promise<Client> {
  const token = await page.evaluate(async () => (await (await fetch("/api/auth/token")).json()).token);
  return createClient({ baseUrl: dashboard.service.url, token });
}

async function readList(client: Client): Promise<VerifiedList> {
  const bytes = (await client.memberList.get()) ?? assert.fail();
  const { organizationId, member } = JSON.parse(new TextDecoder().decode(bytes).split("\n")[0] ?? "");
  const list = await verifyList(bytes, { organizationId, trust: { signingKey: member.signingKey } });
  return list instanceof RefusalError ? assert.fail(list.reason) : list;
}

async function openNewest(client: Client, list: VerifiedList, { identity }: PersonalKey, { id }: CouncilForm) {
  const versions = await client.envelopes.list(id);
  const firstVersion = versions.at(-1)?.lowestVersion ?? 1;
  const { file, revision } = (await client.envelopes.getNewest(id, firstVersion)) ?? assert.fail();
  return openEnvelope(file, identity, { formId: id as FormId, firstVersion, revision, list });
}

async function findKey(page: Page, sheet: { readonly identity: string }): Promise<PersonalKey> {
  const files = await page.evaluate(async () => {
    const { copies } = await (await fetch("/api/account/personal-key")).json();
    const fetchFile = async ({ id }: { id: string }) =>
      (await (await fetch(`/api/account/key-copies/${id}`)).json()).file;
    return Promise.all<string>(copies.map(fetchFile));
  });
  for (const file of files) {
    const key = await openKeyCopy(new Uint8Array(Buffer.from(file, "base64url")), sheet);
    if (!(key instanceof RefusalError)) return key;
  }
  return assert.fail("the sheet opens no copy");
}
