import {
  importSigningKey,
  type OpenedEnvelope,
  RefusalError,
  type SignedRevision,
  type VerifiedList,
} from "@sealpost/envelope";
import {
  checkList,
  createKeyAgent,
  type EnvelopeFile,
  type EnvelopeToOpen,
  identitiesOf,
  importEnvelopeKeys,
  type KeyAgent,
  type KeyInUse,
  orRefusal,
} from "@sealpost/sdk/envelopes";
import { openEnvelopeWith, readSignedWith } from "../../packages/envelope/src/open-envelope.ts";
import { sealEnvelopeWith } from "../../packages/envelope/src/seal-envelope.ts";
import { type AgeFiles, realAge } from "./plain-age.ts";

/** The agent of a program; of files that age did not make, one that does the same with them. */
export function createAgent(key: KeyInUse, age: AgeFiles): KeyAgent {
  return age === realAge ? createKeyAgent(key) : createPlainAgent(key, age);
}

function createPlainAgent(key: KeyInUse, age: AgeFiles): KeyAgent {
  return {
    ...createKeyAgent(key),
    openEnvelope: (request) =>
      orRefusal(async () => {
        const known = await checkList(request.list);
        const { content, head, ...standing } = await openWithAny(key, age, known, request);
        const then = known.membersAt(content.list);
        const toNamed = (id: string) => ({ id, name: then?.get(id)?.name });
        return {
          ...{ head, formName: content.formName, writtenAt: content.writtenAt, writtenBy: toNamed(content.signedBy) },
          keys: await findKeys(content),
          readers: content.readers.map((reader) => ({ ...reader, ...toNamed(reader.id) })),
          ...standing,
        };
      }),
    async readSigned({ list, file, ...expected }) {
      const known = await checkList(list);
      let signed: SignedRevision | RefusalError = new RefusalError("not_a_reader");
      for (const identity of identitiesOf(key)) {
        signed = await readSignedWith(age.decrypt, file, identity, { ...expected, list: known });
        if (!(signed instanceof RefusalError && signed.reason === "not_a_reader")) break;
      }
      return signed;
    },
    sealEnvelope: ({ list, signerId, confirmed, keys, previous, after, earlier, lost, ...parts }) =>
      orRefusal(async () => {
        const known = await checkList(list);
        const open = ({ file, head }: EnvelopeFile) => {
          const { firstVersion, revision } = head;
          return openWithAny(key, age, known, { file, formId: parts.formId, firstVersion, revision, newest: head });
        };
        const opened = previous && (await open(previous));
        const held = new Set(opened?.content.keys.map(({ version }) => version));
        const lostKeys = lost === undefined ? [] : (await open(lost)).content.keys;
        return sealEnvelopeWith(age.encrypt, {
          ...parts,
          list: known,
          signer: { id: signerId, signingKey: await importSigningKey(key.signingSeed) },
          standing: { own: key, confirmed },
          keys: [...keys, ...lostKeys.filter(({ version }) => !held.has(version))],
          ...(opened && { previous: opened }),
          ...(after && { after }),
          ...(earlier && { earlier: await open(earlier) }),
        });
      }),
  };
}

async function openWithAny(
  key: KeyInUse,
  { decrypt }: AgeFiles,
  list: VerifiedList,
  { file, ...expected }: Omit<EnvelopeToOpen, "list">,
): Promise<OpenedEnvelope> {
  let refusal = new RefusalError("not_a_reader") as RefusalError;
  for (const identity of identitiesOf(key)) {
    const opened = await openEnvelopeWith(decrypt, file, identity, { ...expected, list });
    if (!(opened instanceof RefusalError)) return opened;
    refusal = opened;
    if (opened.reason !== "not_a_reader") break;
  }
  throw refusal;
}

const imported = new Map<string, ReturnType<typeof importEnvelopeKeys>>();

function findKeys(content: OpenedEnvelope["content"]) {
  const name = JSON.stringify([content.formId, content.keys]);
  const keys = imported.get(name) ?? importEnvelopeKeys(content);
  imported.set(name, keys);
  return keys;
}
