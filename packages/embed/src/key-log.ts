import {
  fingerprint,
  hybridFingerprint,
  type KeyLogHead,
  type KeyLogRefusal,
  keyLogPageBytesMax,
  keyLogPageEntries,
  parseKeyLogHead,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import { findOwnEd25519 } from "./ed25519.ts";
import { type LoadLoggedForm, provideKeyLogs } from "./logged-form.ts";
import type { ErrorCode } from "./messages.ts";
import { type Options, pinsOf } from "./options.ts";
import { ownMembers, parseJson } from "./own-members.ts";
import { type Answer, accepted, loadPublicForm, type PublicForm, refused, request } from "./service.ts";
import type { Target } from "./target.ts";

// For pages that pin a form's key log (SPECIFICATION.md, section 20). A side effect of importing it: the option `keyLog` is known.

const codes: Readonly<Record<KeyLogRefusal, ErrorCode>> = {
  malformed: "key_log_damaged",
  forked: "key_log_forked",
  other_form: "key_log_damaged",
  broken_chain: "key_log_damaged",
  not_signed: "key_log_signer",
  not_allowed: "key_log_damaged",
  unknown_extension: "key_log_damaged",
};

/** The newest head that the page has seen, which is pinned from then on. In memory alone. */
const seen = new WeakMap<Target, KeyLogHead>();

/** Asks whether what the browser has kept is still the newest: a page that is opened after a rotation seals to the new key. */
const fresh: RequestInit = ownMembers({ cache: "no-cache" } as const);

/** Looks once more at everything that it refuses, without the key that the browser has kept: it may be from before a rotation. */
const loadLoggedForm: LoadLoggedForm = async (target, options, isFresh) => {
  const answer = isFresh ? undefined : await tryOnce(target, options, ownMembers({}));
  return answer?.value || (answer?.code && !/^key/.test(answer.code)) ? answer : tryOnce(target, options, fresh);
};

async function tryOnce(target: Target, options: Options, init: RequestInit): Promise<Answer<PublicForm>> {
  const head = seen.get(target) ?? parseKeyLogHead(options.keyLog);
  if (!head) return refused("misconfigured"); // findInvalidOption has found that before
  const [log, form] = await Promise.all([
    loadLog(target, head),
    loadPublicForm(target.endpoint, target.formId, pinsOf(options), init),
  ]);
  if (log.code) return log;
  if (log.value.head.number >= (seen.get(target)?.number ?? 0)) seen.set(target, log.value.head);
  return form.code || (await isNewestKey(log.value, form.value)) ? form : refused("key_log_key");
}

/** The log from `head` on, page after page: each one verifies from the last entry of the one before. */
async function loadLog(target: Target, head: KeyLogHead): Promise<Answer<VerifiedKeyLog>> {
  const { endpoint, formId } = target;
  const verify = await findOwnEd25519();
  let from = head;
  // No entry has a number above 1,024, so this ends.
  for (;;) {
    let isGone = false;
    const answer = await request(
      endpoint,
      formId,
      `keys/log?from=${from.number}`,
      fresh,
      undefined,
      undefined,
      async (response) => {
        if (response.ok) return ownMembers({ bytes: await readBytes(response) });
        const problem = Object(parseJson(await response.text()));
        isGone = problem.code === "key_log_none";
        return problem;
      },
    );
    if (answer.code) return isGone ? refused("key_log_gone") : answer;
    const { bytes } = answer.value;
    if (!bytes?.length) return refused("key_log_short");
    if (bytes.length > keyLogPageBytesMax) return refused("key_log_long");
    const log = await verifyKeyLog(bytes, { formId, head: from }, verify);
    if (typeof log === "string") return refused(codes[log]);
    if (log.entries.length < keyLogPageEntries) return accepted(log);
    from = log.head;
  }
}

/** All that there is, or little more than the bound. */
async function readBytes({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  for (let length = 0; length <= keyLogPageBytesMax; ) {
    const part = await reader?.read();
    if (!part?.value) break;
    parts.push(part.value);
    length += part.value.length;
  }
  reader?.cancel().catch(() => undefined);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Whether the key that would be sealed to is that of the newest entry. Where that names a hybrid key, no other kind is. */
async function isNewestKey({ entry }: VerifiedKeyLog, { key, keyVersion }: PublicForm): Promise<boolean> {
  const { version, fingerprint: rsa, hybridFingerprint: hybrid } = entry.key;
  const isNamed =
    key.kty === "AKP" ? hybrid === (await hybridFingerprint(key)) : hybrid === null && rsa === (await fingerprint(key));
  return isNamed && keyVersion === version;
}

provideKeyLogs(loadLoggedForm);
