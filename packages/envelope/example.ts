import {
  createListEntry,
  formatNames,
  generatePersonalKey,
  importSigningKey,
  openEnvelope,
  RefusalError,
  type SignedEntry,
  sealEnvelope,
  toFormKey,
  verifyList,
} from "@sealpost/envelope";
import { createId, generateKeyPair } from "@sealpost/wire";

// Each person makes a key once. Only its public halves ever leave the person's device.
const [ada, zoe] = [await generatePersonalKey(), await generatePersonalKey()];
const [adaId, zoeId, organizationId] = [createId("account"), createId("account"), createId("account")];
const signer = { id: adaId, signingKey: await importSigningKey(ada.signingSeed) };

// The organization's list: Ada founds it, and adds Zoë.
const { recipient, signingKey } = ada;
const founder = { id: adaId, name: "Ada", role: "owner", recipient, signingKey } as const;
const reader = {
  id: zoeId,
  name: "Zoë",
  role: "reader",
  recipient: zoe.recipient,
  signingKey: zoe.signingKey,
} as const;
// It has commitments to names, and a file next to it has the names, so that the name of a person who leaves can be deleted.
const begun = await createListEntry(undefined, organizationId, { change: "add", member: founder }, signer);
const first = await verify(begun);
const added = await createListEntry(first, organizationId, { change: "add", member: reader }, signer);
const list = await verify(begun, added);

// A form's private key, for both. The server stores the file.
const { privateKey } = await generateKeyPair();
const keys = [await toFormKey(1, privateKey)];
const formId = createId("form");
const readerIds = [adaId, zoeId];
const { file } = await sealEnvelope({ list, signer, formId, formName: "Contact", readerIds, keys });

// Zoë opens it: it has to be of this form, and written by somebody who may, for members of the list she knows.
const opened = await openEnvelope(file, zoe.identity, { list, formId, firstVersion: 1, revision: 1 });
if (opened instanceof RefusalError) throw opened;
console.log(opened.content.readers.map(({ id }) => list.members.get(id)?.name).sort());

/** Trusts Ada's key, which came with an invitation. Later the newest head that was seen is trusted. */
async function verify(...received: readonly SignedEntry[]) {
  const [text, file] = [received.map(({ entry }) => entry).join(""), received.flatMap(({ names }) => names)];
  const [bytes = new Uint8Array(), names] = [text, formatNames(organizationId, file)].map((one) =>
    new TextEncoder().encode(one),
  );
  const verified = await verifyList(bytes, { organizationId, names, trust: { signingKey: ada.signingKey } });
  if (verified instanceof RefusalError) throw verified;
  return verified;
}
