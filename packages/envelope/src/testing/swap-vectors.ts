import { hybridVectorKeys } from "../../../wire/src/testing/vector-keys.ts";
import { toReader } from "../envelope-checks.ts";
import { toFormKey } from "./envelope-maker.ts";
import { toWritten } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, toMember } from "./people.ts";
import { type SignedObject, signedObjects, signObject } from "./signed-objects.ts";

/** One entry of vectors/swaps.json: two lines as received, in the place of what is honest there. */
export interface SwapVector {
  readonly name: string;
  readonly label: string;
  readonly lines: string;
  /** The name in personal-keys.json of the key that has signed. */
  readonly signWith: KeyName;
  readonly outcome: string;
}

type Content = Readonly<Record<string, unknown>>;

/**
 * What is looked at before the signature, and so refuses a member which is that of the twin; each other one is refused by the signature. A path is that
 * of what is below it, too.
 */
const earlier: Readonly<Record<string, readonly (readonly [path: string, outcome: string])[]>> = {
  "sealpost-list/1": [
    ["organizationId", "other_organization"],
    ["number", "malformed"],
    ["previous", "malformed"],
    ["change", "broken_chain"],
  ],
  "sealpost-envelope/1": [
    ["organizationId", "other_form"],
    ["formId", "other_form"],
    // The keys are of other versions then, and revision 1 alone names none before.
    ...(["firstVersion", "keys.0.version", "revision", "previous"] as const).map((one) => [one, "malformed"] as const),
    ["list", "unknown_list"],
  ],
  "sealpost-key-log/1": [
    ["formId", "other_form"],
    ["number", "malformed"],
    ["previous", "malformed"],
  ],
  "sealpost-admission/1": [
    ["organizationId", "other_organization"],
    ["list", "unknown_list"],
  ],
  "sealpost-device-heads/1": [
    ["commitment", "other_key"],
    ["personId", "other_key"],
    // The other key is published already.
    ["envelopes.0.keys.0.isAhead", "malformed"],
  ],
  "sealpost-head/1": [["organizationId", "other_organization"]],
};

const hash = "E".repeat(43);
const writtenAt = "2026-11-23T09:00:00Z";
const other = {
  organizationId: "acc_01hk153x00e5rbcwg8rxcnh8z2",
  formId: "form_01hk153x00e5rbcwg8rxcnh8w8",
  id: "acc_01jd8z0000e8m9a4v5c6d7e8f7",
} as const;

/** Another honest content of the kind, which is in no member the same: of another organization, form, person, version and revision. */
async function toTwin({ label, content }: SignedObject): Promise<Content> {
  const [{ recipient, signingKey }, member] = [await findPersonalKey("reader"), await toWritten("reader")];
  const list = { number: 9, hash };
  const signedBy = idOf("reader");
  const key = { version: 9, fingerprint: hash, hybridFingerprint: "I".repeat(43), replyKey: signingKey };
  const hybrid = hybridVectorKeys["hybrid second"];
  const twins: Readonly<Record<string, Content>> = {
    "sealpost-list/1": {
      ...{ organizationId: other.organizationId, number: 2, previous: hash, writtenAt, signedBy },
      ...{ change: "replace", admission: { id: "adm_01hk153x00e5rbcwg8rxcnh8w9", maker: idOf("manager") }, member },
    },
    "sealpost-envelope/1": {
      ...{ organizationId: other.organizationId, formId: other.formId, formName: "Another", firstVersion: 33 },
      ...{ revision: 2, previous: hash, list, keyLog: list, writtenAt, signedBy },
      keys: [
        {
          ...toFormKey(33, "large"),
          hybridFingerprint: hybrid.fingerprint,
          hybridPrivateKey: hybrid.privateKey,
        },
      ],
      readers: [await toReader(await toMember("reader"), idOf("manager"))],
    },
    "sealpost-key-log/1": {
      ...{ formId: other.formId, number: 2, place: 2, previous: hash, writtenAt, signedBy: signingKey, key },
      ...{ owners: [signingKey], managers: [(await findPersonalKey("manager")).signingKey] },
    },
    "sealpost-admission/1": {
      ...{ admissionId: "adm_01hk153x00e5rbcwg8rxcnh8w8", organizationId: other.organizationId, person: other.id },
      ...{ email: "ada@example.org", name: "Ada", role: "auditor", list, linkKey: signingKey },
      ...{ endsAt: "2026-11-23T08:02:00Z", signedBy: other.id },
    },
    "sealpost-admission-answer/1": {
      ...{ admissionId: "adm_01hk153x00e5rbcwg8rxcnh8w8", organizationId: other.organizationId, terms: hash },
      ...{ personId: other.id, recipient, signingKey, writtenAt },
    },
    "sealpost-device-heads/1": {
      ...{ commitment: hash, personId: other.id, writtenAt },
      lists: [{ organizationId: other.organizationId, ...list }],
      envelopes: [
        {
          ...{ organizationId: other.organizationId, formId: other.formId, formName: "Another", firstVersion: 33 },
          ...{
            revision: 9,
            hash,
            list,
            keyLog: list,
            readers: [{ id: signedBy, by: idOf("manager"), isDoubtful: true }],
          },
          keys: [
            {
              ...key,
              replyKey: undefined,
              version: 33,
              seedHash: hash,
              isPublished: false,
              isAhead: true,
              isUnproven: false,
            },
          ],
        },
      ],
      keyLogs: [{ formId: other.formId, ...list }],
      confirmed: [
        {
          organizationId: other.organizationId,
          id: idOf("manager"),
          role: "manager",
          fingerprint: hash,
          signingKey,
          entry: 9,
        },
      ],
      forms: [{ formId: other.formId, organizationId: other.organizationId }],
      leftOut: { lists: 1, envelopes: 9, keyLogs: 1, confirmed: 1, forms: 1 },
    },
    "sealpost-head/1": { organizationId: other.organizationId, list, writtenAt, signedBy: idOf("manager") },
  };
  return { ...content, ...JSON.parse(JSON.stringify(twins[label] ?? {})) };
}

/** The members at which two contents differ, however deep; a list or an object that only one of them has is one. */
function findSwaps(one: unknown, twin: unknown, path = ""): readonly (readonly [path: string, value: unknown])[] {
  if (JSON.stringify(one) === JSON.stringify(twin)) return [];
  if (!isTree(one) || !isTree(twin) || !hasSameNames(one, twin)) return [[path.slice(1), twin]];
  return Object.keys(one).flatMap((name) => findSwaps(one[name], twin[name], `${path}.${name}`));
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const hasSameNames = (one: object, twin: object) => Object.keys(one).join() === Object.keys(twin).join();

function withSwap(content: Content, path: string, value: unknown): Content {
  const copy = structuredClone(content) as Record<string, unknown>;
  const names = path.split(".");
  const parent = names.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy);
  parent[names.at(-1) ?? ""] = value;
  return copy;
}

function findOutcome(object: SignedObject, path: string): string {
  const known = earlier[object.label]?.find(([start]) => path === start || path.startsWith(`${start}.`));
  return known?.[1] ?? object.wrong ?? "not_signed";
}

/**
 * Of each object that is signed: every member as the twin has it, under the honest signature; the signature of the twin; honest ones of another organization,
 * form, person, version and revision in its place; and the signature for every other purpose.
 */
export async function swapVectors(): Promise<readonly SwapVector[]> {
  const objects = await signedObjects();
  const vectors = objects.map(async (object): Promise<readonly SwapVector[]> => {
    const { label, content, others, wrong = "not_signed", name: signWith } = object;
    const read = async (...parameters: Parameters<typeof signObject>) =>
      new TextDecoder().decode(await signObject(...parameters));
    const [twin, lines] = [await toTwin(object), await read(object)];
    const signature = lines.split("\n")[1] ?? "";
    const under = (one: Content) => `${JSON.stringify(one)}\n${signature}\n`;
    const twins = (await read(object, JSON.stringify(twin))).split("\n")[1] ?? "";
    const toVector = (name: string, text: string, outcome: string) => ({ name, label, lines: text, signWith, outcome });
    return [
      toVector("honest", lines, "taken"),
      ...findSwaps(content, twin).map(([path, value]) =>
        toVector(`${path} of another one`, under(withSwap(content, path, value)), findOutcome(object, path)),
      ),
      toVector("the signature of another one", `${lines.split("\n")[0]}\n${twins}\n`, wrong),
      ...(await Promise.all(
        Object.entries(others).map(async ([name, one]) =>
          toVector(`${name}, honest`, await read(object, JSON.stringify(one.content)), one.outcome),
        ),
      )),
      ...(await Promise.all(
        objects
          .filter((one) => one !== object)
          .map(async (one) => toVector(`signed as ${one.label}`, await read(object, undefined, one.label), wrong)),
      )),
    ];
  });
  return (await Promise.all(vectors)).flat();
}
