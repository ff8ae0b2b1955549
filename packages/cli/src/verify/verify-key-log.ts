import {
  type KeyLogHead,
  type KeyLogRefusal,
  keyLogPageBytesMax,
  keyLogPageEntries,
  type LoggedKey,
  parseKeyLogHead,
  verifyKeyLog,
} from "@sealpost/wire";
import { createHeaders } from "./browsers.ts";
import type { Findings } from "./findings.ts";
import { findTrouble, type Witness } from "./verify-files.ts";
import { eachOffer } from "./verify-forms.ts";

const sentences: Readonly<Record<KeyLogRefusal | "short", string>> = {
  short: "ends before the entry that the page pins",
  forked: "has another entry in the place of the one that the page pins",
  malformed: "is damaged",
  other_form: "is that of another form",
  broken_chain: "has entries missing or in another order",
  not_signed: "has an entry that nobody signed who may",
  not_allowed: "has an entry that says more than its signer may",
  unknown_extension: "was continued by a newer program: update this one",
};

/** Follows a form's key log from the entry that a page pins, as the page does, and compares the key that is offered with its newest entry. */
export async function verifyKeyLogPin(
  instance: string,
  { id, pin }: { readonly id: string; readonly pin: string },
  origin: string,
  witness: Witness,
  findings: Findings,
): Promise<void> {
  const { name } = witness.browser;
  const head = parseKeyLogHead(pin);
  if (head === undefined) return findings.add("differs", id, `the page at ${origin} pins no entry of a key log`, name);
  const followed = await follow(instance, id, head, origin, witness);
  if ("exit" in followed) return findings.add(followed.exit, id, `its key log ${followed.message}`, name);
  await eachOffer(instance, id, [origin], [witness], findings, ({ version, rsa, hybrid = null }) => {
    const { key } = followed;
    if (key.version !== version || key.fingerprint !== rsa || key.hybridFingerprint !== hybrid)
      findings.add(
        "differs",
        id,
        `the key that is offered is not the newest of its key log, so nobody can send at ${origin}`,
        name,
      );
  });
}

type Followed = { readonly key: LoggedKey } | { readonly exit: "differs" | "unavailable"; readonly message: string };

async function follow(
  instance: string,
  formId: string,
  pinned: KeyLogHead,
  origin: string,
  { browser, visitor }: Witness,
): Promise<Followed> {
  for (let head = pinned; ; ) {
    const url = new URL(`/api/forms/${formId}/keys/log?from=${head.number}`, instance);
    const answer = await visitor.get(url, createHeaders(browser, "data", origin));
    const trouble = findTrouble(answer);
    if (trouble !== undefined || answer.kind !== "answer")
      return trouble ?? { exit: "unavailable", message: "does not come" };
    if (answer.body.length === 0) return { exit: "differs", message: sentences.short };
    if (answer.body.length > keyLogPageBytesMax) return { exit: "differs", message: sentences.malformed };
    const log = await verifyKeyLog(answer.body, { formId, head });
    if (typeof log === "string") return { exit: "differs", message: sentences[log] };
    if (log.entries.length < keyLogPageEntries) return { key: log.entry.key };
    head = log.head;
  }
}
