import assert from "node:assert/strict";
import {
  openEnvelope,
  openKeyCopy,
  type PersonalKey,
  parseSheet,
  RefusalError,
  type SigningKeys,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { type Admission, ApiError, type Client, type Form, type OpeningKey, openSubmission } from "@sealpost/sdk";
import { importEnvelopeKeys } from "@sealpost/sdk/envelopes";
import { decodeBase64Url, type FormId } from "@sealpost/wire";

/** Everything that a person has with nothing but the account and paper. */
export interface Holding {
  /** The sheet that opens the key in use; `undefined` where they have no key. */
  readonly paper: readonly string[] | undefined;
  /** The keys that it opens: the one in use, then former ones. */
  readonly keys: readonly PersonalKey[];
  readonly list: VerifiedList | undefined;
  readonly forms: readonly HeldForm[];
  /** Links for keys that are open. */
  readonly admissions: readonly Admission[];
}

export interface HeldForm {
  readonly form: Form;
  /** The newest key version. */
  readonly keyVersion: number;
  /** Whether the key in use opens the newest envelope, and not only a former one. */
  readonly isForNewKey: boolean;
  readonly readers: readonly string[];
  readonly submissions: number;
}

/**
 * Opens everything as a person does who has the account and sheets on paper alone, and holds that to the promises: each form has an envelope that they open, each key
 * version that was ever published is in one, and each submission opens.
 */
export async function holdToPromises(client: Client, papers: readonly (readonly string[])[]): Promise<Holding> {
  const { forms } = await client.forms.list({ limit: 100 });
  const { personalKey, copies, formerKeys } = await client.personalKey.get();
  if (personalKey === null) {
    assert.equal(forms.length, 0, "a form of somebody without a key");
    return { paper: undefined, keys: [], list: undefined, forms: [], admissions: [] };
  }
  const opened = await openWithPaper(client, papers, personalKey, copies);
  const keys = [opened.key, ...(await openFormer(client, opened.key, formerKeys))];
  const list = await findList(client, keys);
  const held = [];
  for (const { id } of forms) held.push(await holdForm(client, await client.forms.get(id), keys, list));
  return { paper: opened.paper, keys, list, forms: held, admissions: await client.admissions.list() };
}

type Stored = Awaited<ReturnType<Client["personalKey"]["get"]>>;

async function openWithPaper(
  client: Client,
  papers: readonly (readonly string[])[],
  halves: NonNullable<Stored["personalKey"]>,
  copies: Stored["copies"],
): Promise<{ readonly key: PersonalKey; readonly paper: readonly string[] }> {
  for (const { id } of copies.filter(({ way, removedAt }) => way === "sheet" && removedAt === null)) {
    const file = toBytes(await client.personalKey.getCopy(id));
    for (const paper of papers) {
      const sheet = await parseSheet("personal", paper);
      assert.ok("identity" in sheet, "not a sheet");
      const key = await openKeyCopy(file, { identity: sheet.identity }, halves);
      if (!(key instanceof RefusalError)) return { key, paper };
    }
  }
  return assert.fail("the key was lost: no paper opens it");
}

async function openFormer(client: Client, key: PersonalKey, formerKeys: Stored["formerKeys"]): Promise<PersonalKey[]> {
  const keys: PersonalKey[] = [];
  for (const { copyId, ...halves } of formerKeys) {
    if (copyId === null) continue;
    const opened = await openKeyCopy(toBytes(await client.personalKey.getCopy(copyId)), key, halves);
    if (opened instanceof RefusalError) assert.fail(`a former key: ${opened.reason}`);
    keys.push(opened);
  }
  return keys;
}

/** Trusted by what one of the keys has signed, as on a device that has seen nothing. */
async function findList(client: Client, keys: readonly SigningKeys[]): Promise<VerifiedList | undefined> {
  const bytes = await client.memberList.get().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  const { organizationId } = JSON.parse(new TextDecoder().decode(bytes).split("\n")[0] ?? "");
  for (const { signingKey } of keys) {
    const list = await verifyList(bytes, {
      organizationId,
      trust: { signingKey },
      names: await client.memberList.names(),
    });
    if (!(list instanceof RefusalError)) return list;
  }
  return assert.fail("nobody can trust the list");
}

async function holdForm(
  client: Client,
  form: Form,
  keys: readonly SigningKeys[],
  list: VerifiedList | undefined,
): Promise<HeldForm> {
  assert.ok(list !== undefined, `${form.name}: a form without a list of members`);
  const envelopes = await client.envelopes.list(form.id);
  assert.ok(envelopes.length > 0, `${form.name}: a form without a reader`);
  const held: OpeningKey[] = [];
  let isForNewKey = true;
  let readers: readonly string[] = [];
  for (const { lowestVersion } of envelopes) {
    const { opened, isByFirst, isNewest } = await openNewestOf(client, form, lowestVersion, keys, list);
    isForNewKey &&= isByFirst && isNewest;
    readers = opened.content.readers.map(({ id }) => list.members.get(id)?.name ?? id);
    held.push(...(await importEnvelopeKeys(opened.content)));
  }
  const published = await client.forms.keys(form.id);
  for (const { version, fingerprint } of published) {
    const isHeld = held.some((key) => key.keyVersion === version && key.fingerprint === fingerprint);
    assert.ok(isHeld, `${form.name}: the key of version ${version} was lost`);
  }
  let submissions = 0;
  for await (const submission of client.submissions.all(form.id)) {
    const opened = await openSubmission(form.id, submission, held);
    assert.ok(opened.opened, `${form.name}: a submission does not open`);
    submissions++;
  }
  const keyVersion = Math.max(...published.map(({ version }) => version));
  return { form, keyVersion, isForNewKey, readers, submissions };
}

/** The newest revision that one of the keys opens: what somebody has stored for nobody is followed by bringing back. */
async function openNewestOf(
  client: Client,
  form: Form,
  firstVersion: number,
  keys: readonly SigningKeys[],
  list: VerifiedList,
) {
  const newest = (await client.envelopes.getNewest(form.id, firstVersion)) ?? assert.fail();
  const reasons: string[] = [];
  for (let revision = newest.revision; revision > 0; revision--) {
    const isNewest = revision === newest.revision;
    const file = isNewest ? newest.file : await client.envelopes.get(form.id, firstVersion, { revision });
    const expected = { formId: form.id as FormId, firstVersion, revision, list }; // the API's document
    for (const [index, { identity }] of keys.entries()) {
      const opened = await openEnvelope(file ?? assert.fail(), identity, expected);
      if (!(opened instanceof RefusalError)) return { opened, isByFirst: index === 0, isNewest };
      reasons.push(opened.reason);
    }
  }
  return assert.fail(`${form.name}: ${reasons}`);
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64Url(text) ?? assert.fail("no base64url");
}
