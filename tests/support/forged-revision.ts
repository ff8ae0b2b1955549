import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type EnvelopeContent, openEnvelope, RefusalError } from "@sealpost/envelope";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
import { toSigner } from "../dashboard/played-envelopes.ts";
import type { Team } from "./played-team.ts";

type Person = keyof Team["people"];

export interface Forged {
  /** The person whose key signs it. Default: Mo, whom it names as its signer. */
  readonly by?: Person;
  /** For whom it is encrypted; its readers unless set. */
  readonly recipients?: readonly Person[];
}

/** A revision after the last one, with the keys and readers of the second, and what is changed in it. */
export async function forge(
  { server, formId, people, load }: Team,
  change: (content: EnvelopeContent) => Partial<EnvelopeContent> | Promise<Partial<EnvelopeContent>>,
  { by = "mo", recipients }: Forged = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { list } = await load();
  const files = server.envelopes.get(1) ?? assert.fail();
  const opened = await openEnvelope(files[1] ?? assert.fail(), people.ada.key.identity, {
    ...{ list, formId, firstVersion: 1, revision: 2, isForgotten: true },
  });
  assert.ok(!(opened instanceof RefusalError));
  const hash = createHash("sha256").update(files.at(-1) ?? assert.fail());
  const next = {
    ...opened.content,
    ...{ revision: files.length + 1, previous: hash.digest("base64url"), signedBy: people.mo.id },
  };
  const content = { ...next, ...(await change(next)) };
  const { signingKey } = await toSigner(people[by]);
  const text = await signLine("sealpost-envelope/1", JSON.stringify(content), signingKey);
  const isReader = (person: Person) => content.readers.some(({ id }) => id === people[person].id);
  const all = (Object.keys(people) as Person[]).filter(isReader); // the keys of `people`
  return encryptTo(
    (recipients ?? all).map((person) => people[person].key.recipient),
    text,
  );
}
