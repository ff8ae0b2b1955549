import type { EnvelopeHead } from "../envelope-checks.ts";
import type { FormKey } from "../envelope-content.ts";
import { type FollowedEnvelopes, followEnvelopes } from "../follow-envelope.ts";
import { type VerifiedList, verifyList } from "../list.ts";
import { keptReaders } from "../next-revision.ts";
import { type OpenedEnvelope, openEnvelope } from "../open-envelope.ts";
import { RefusalError } from "../refusal.ts";
import { sealEnvelope } from "../seal-envelope.ts";
import { createSeenHeads } from "../seen-heads.ts";
import { findSealable } from "../standing.ts";
import { namesOfAll } from "./conformance.ts";
import { formId } from "./envelope-maker.ts";
import { createHeadStore } from "./head-store.ts";
import { findPersonalKey, idOf, organizationId, type Person, toSigner } from "./people.ts";

export { formId };

/** The envelopes that a service shows: by their first versions, each with its revisions. */
export type Shown = Readonly<Record<number, readonly Uint8Array<ArrayBuffer>[]>>;

export async function knownList(text: string): Promise<VerifiedList> {
  const { signingKey } = await findPersonalKey("owner");
  const names = await namesOfAll();
  const list = await verifyList(new TextEncoder().encode(text), { organizationId, trust: { signingKey }, names });
  if (list instanceof RefusalError) throw list;
  return list;
}

/** A device of a person: what it remembers of a form, and what it takes of what a service shows. */
export class FormDevice {
  readonly heads = createSeenHeads(createHeadStore());
  published: readonly Pick<FormKey, "version" | "fingerprint">[] = [];
  readonly #who: Person;
  /** The form's key log, as the service shows it; empty where it shows none. */
  keyLog: string;
  list: VerifiedList;

  constructor(who: Person, list: VerifiedList, keyLog = "") {
    this.#who = who;
    this.list = list;
    this.keyLog = keyLog;
  }

  async look(shown: Shown, lookedAt?: string): Promise<FollowedEnvelopes<OpenedEnvelope>> {
    const { identity } = await findPersonalKey(this.#who);
    const versions = Object.keys(shown).map(Number);
    return followEnvelopes<OpenedEnvelope>(
      {
        heads: this.heads,
        lookedAt,
        async fetchEnvelope(_formId, firstVersion, revision = shown[firstVersion]?.length ?? 0) {
          const file = shown[firstVersion]?.[revision - 1];
          return file && { file, revision };
        },
        fetchPublished: async () => this.published,
        fetchKeyLog: async () => new TextEncoder().encode(this.keyLog),
        openEnvelope: ({ file, ...request }) => openEnvelope(file, identity, { list: this.list, ...request }),
        renewList: async () => false,
      },
      formId,
      versions,
    );
  }
}

/** A person says of the first revision that a device is shown, by somebody who writes no longer, that it is right. Before that it opens, and is not remembered. */
export async function lookAt(device: FormDevice, shown: Shown): Promise<FollowedEnvelopes<OpenedEnvelope>> {
  const { refused, forReading } = await device.look(shown);
  const [first] = forReading;
  const { heads } = await device.heads.findEnvelopes(formId);
  const isFirst = refused.every(({ reason }) => reason === "former_writer") && forReading.length === 1;
  if (!isFirst || heads.some(({ firstVersion }) => firstVersion === first?.firstVersion))
    throw new Error("It is not the first revision by somebody who writes no longer");
  return device.look(shown, first?.head.hash);
}

/** The head of the owner's next revision of an envelope, for its readers. */
export async function rotate(
  list: VerifiedList,
  envelope: OpenedEnvelope,
  keys: readonly FormKey[],
): Promise<EnvelopeHead> {
  const own = await findPersonalKey("owner");
  const sealing = { writerId: idOf("owner"), sealable: await findSealable(list, { own }) };
  const { content, outdated, unknown } = envelope;
  const readerIds = [...keptReaders(sealing, { readers: content.readers, outdated, unknown })];
  const signer = await toSigner("owner");
  return (await sealEnvelope({ list, signer, formId, readerIds, keys, previous: envelope })).head;
}
