import { decodeBase64, encodeBase64, encodeBase64Url, type FormId, noExtensions } from "@sealpost/wire";
import { Encrypter, Stanza } from "age-encryption";
import { hybridVectorKeys, type RsaVectorKeyName, vectorKeys } from "../../../wire/src/testing/vector-keys.ts";
import { decryptWith, encryptTo } from "../age-file.ts";
import type { Bytes } from "../age-header.ts";
import { type EnvelopeHead, toHead, toReader } from "../envelope-checks.ts";
import { type EnvelopeContent, envelopeFormat, type FormKey, parseEnvelopeContent } from "../envelope-content.ts";
import { signLine } from "../signature.ts";
import { decodeText, hashOf } from "../text.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { createList, headOf, steps } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, type Person, toMember, toSigner } from "./people.ts";

export const formId: FormId = "form_01hk153x00e5rbcwg8rxcnh8w4";

export function toFormKey(version: number, name: RsaVectorKeyName, hasHybrid = false): FormKey {
  const { fingerprint, privateKey } = vectorKeys[name];
  const hybrid = hybridVectorKeys["hybrid first"];
  return {
    version,
    fingerprint,
    privateKey,
    hybridFingerprint: hasHybrid ? hybrid.fingerprint : null,
    hybridPrivateKey: hasHybrid ? hybrid.privateKey : null,
    seed: encodeBase64Url(new Uint8Array(32).fill(version)),
  };
}

/** An envelope to make, and the deviations of careless and hostile writers. */
export interface Draft {
  /** With their keys, in the order of their ids. */
  readonly readers?: readonly Person[];
  /** Instead of `readers`: whom the file is for. */
  readonly recipients?: readonly string[];
  /** In the place of the last recipient's stanza: its arguments and body. */
  readonly lastStanza?: { readonly args: readonly string[]; readonly body: Bytes };
  readonly content?: Readonly<Record<string, unknown>>;
  readonly by?: Person;
  /** Who has put the readers there; `by` unless set. */
  readonly readersBy?: Person;
  readonly signWith?: KeyName;
  readonly signedAs?: string;
  /** Another spelling of the line, which is signed. */
  readonly spell?: (line: string) => string;
  /** Changes the text after the signature. */
  readonly alter?: (text: string) => string;
}

export const council = ["owner", "manager", "reader", "recovery"] as const satisfies readonly Person[];

/** Makes envelopes by the letter of SPECIFICATION.md section 15, and keeps files that have the same content already. */
export class EnvelopeMaker {
  readonly #existing: ReadonlyMap<string, string>;
  readonly #list: Promise<string>;

  constructor(existing: readonly EnvelopeVector[]) {
    this.#existing = new Map(existing.map(({ name, envelope }) => [name, envelope]));
    this.#list = createList(steps.council);
  }

  async make(name: string, draft: Draft = {}): Promise<Bytes> {
    const { readers = council, by = "owner", signWith = by, signedAs = envelopeFormat, readersBy = by } = draft;
    const { spell = (text: string) => text, alter = (text: string) => text } = draft;
    const members = await Promise.all(readers.map((reader) => toMember(reader)));
    const content = {
      format: envelopeFormat,
      organizationId,
      formId,
      formName: "Contact",
      firstVersion: 1,
      revision: 1,
      previous: null,
      list: await headOf(await this.#list),
      keyLog: null,
      keys: [toFormKey(1, "small")],
      readers: await Promise.all(members.map((member) => toReader(member, idOf(readersBy)))),
      writtenAt: "2026-11-22T08:00:00Z",
      signedBy: idOf(by),
      ...noExtensions,
      ...draft.content,
    };
    const signer = await toSigner(by, signWith);
    const text = alter(await signLine(signedAs, spell(JSON.stringify(content)), signer.signingKey));
    const recipients = draft.recipients ?? members.map(({ recipient }) => recipient);
    const { lastStanza } = draft;
    const able = lastStanza === undefined ? readers : readers.slice(0, -1);
    const kept = await this.#keep(name, text, recipients, able);
    if (kept !== undefined) return kept;
    return (draft.recipients ?? lastStanza)
      ? encryptAsGiven(recipients, lastStanza, text)
      : encryptTo(recipients, text);
  }

  /** The envelope of this name in the file, if it is the same but for what age draws. */
  async #keep(name: string, text: string, recipients: readonly string[], readers: readonly Person[]) {
    const file = decodeBase64(this.#existing.get(name) ?? "");
    if (!file?.length) return undefined;
    try {
      if (new TextDecoder("latin1").decode(file).split("\n-> ").length !== recipients.length + 1) return undefined;
      for (const reader of readers) {
        const { identity, recipient } = await findPersonalKey(reader);
        if (!recipients.includes(recipient)) continue;
        if (decodeText(await decryptWith(identity, file)) !== text) return undefined;
      }
      return file;
    } catch {
      return undefined;
    }
  }
}

/** For recipients of any kind, and with a last stanza of any form. */
async function encryptAsGiven(recipients: readonly string[], lastStanza: Draft["lastStanza"], text: string) {
  const encrypter = new Encrypter();
  for (const recipient of lastStanza ? recipients.slice(0, -1) : recipients) encrypter.addRecipient(recipient);
  if (lastStanza) encrypter.addRecipient({ wrapFileKey: () => [new Stanza([...lastStanza.args], lastStanza.body)] });
  return new Uint8Array(await encrypter.encrypt(text));
}

/** The head of an envelope whose content is in order. */
export async function headOfEnvelope(file: Bytes, reader: KeyName): Promise<EnvelopeHead> {
  const { identity } = await findPersonalKey(reader);
  const content = await contentOf(file, identity);
  const readers = content.readers.map(({ id, by }) => ({ id, by }));
  return toHead(content, await hashOf(file), readers, ({ hybridFingerprint }) => ({
    hybridFingerprint,
    isPublished: true,
  }));
}

async function contentOf(file: Bytes, identity: string): Promise<EnvelopeContent> {
  const [line = ""] = new TextDecoder().decode(await decryptWith(identity, file)).split("\n");
  return parseEnvelopeContent(JSON.parse(line));
}

export function toVector(
  name: string,
  file: Bytes,
  rest: Omit<Partial<EnvelopeVector>, "name"> & Pick<EnvelopeVector, "outcome">,
) {
  const usual = { reader: "reader", formId, firstVersion: 1, revision: 1, list: "a council" } as const;
  return { name, envelope: encodeBase64(file), ...usual, ...rest };
}
