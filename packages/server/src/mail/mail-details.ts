import type { AccountId, FormId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import type { MailTable } from "../database/mail-tables.ts";
import { MissingSecretError } from "../instance/key-ring.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import {
  type AddressSubject,
  type GatheredCount,
  type MailSubject,
  noticedCauses,
  type SecuritySubject,
  securityEvents,
} from "./mail.ts";

/** Security emails have a bound and a path of their own (`security-mail-store.ts`). */
export type QueuedSubject = Exclude<MailSubject, SecuritySubject | { readonly kind: "security_gathered" }>;

/** A subject as the row of its email keeps it. */
export function writeDetails(id: string, subject: QueuedSubject, secretBox: SecretBox): string {
  switch (subject.kind) {
    case "submissions":
      return JSON.stringify({ count: subject.count });
    case "webhook_failing":
      return JSON.stringify({ since: subject.since });
    case "key_unproved":
      return JSON.stringify({ keyVersion: subject.keyVersion });
    case "refusal":
      return JSON.stringify({ cause: subject.cause, since: subject.since });
    case "quota":
      return JSON.stringify({ level: subject.level });
    case "account_quota":
      return JSON.stringify({ level: subject.level, room: subject.room });
    case "invitation":
    case "instance_invitation":
      return JSON.stringify({
        token: secretBox.sealer("mail").seal(subject.token, `mail/${id}`),
        address: subject.address,
      });
    case "address": {
      const { step, token, address, other } = subject;
      const sealed = token === undefined ? undefined : secretBox.sealer("mail").seal(token, `mail/${id}`);
      return JSON.stringify({ step, address, other, token: sealed });
    }
    case "password_reset":
    case "verify_email":
      // Who reads the database must not be able to follow the link.
      return JSON.stringify({ token: secretBox.sealer("mail").seal(subject.token, `mail/${id}`) });
    default:
      throw new Error(`Unknown mail: ${JSON.stringify(subject satisfies never)}`);
  }
}

/** The subject of a row; `undefined` where a newer version wrote it, or it does not open. Throws a `MissingSecretError`. */
export function parseSubject(
  { id, kind, account_id, form_id, details }: Selectable<MailTable>,
  gathered: readonly GatheredCount[],
  secretBox: SecretBox,
): MailSubject | undefined {
  const values = JSON.parse(details) as Readonly<Record<string, never>>; // written by `writeDetails`, whose members these are
  const accountId = account_id as AccountId; // written from one
  const formId = form_id as FormId; // every kind that reads it was written with one
  switch (kind) {
    case "submissions":
      return { kind, formId, count: Number(values.count) };
    case "webhook_failing":
      return { kind, formId, since: Number(values.since) };
    case "keys_rotated":
      return { kind, formId: String(values.formId) as FormId, keyVersion: Number(values.keyVersion) };
    case "key_unproved":
      return { kind, formId, keyVersion: Number(values.keyVersion) };
    case "refusal": {
      const cause = noticedCauses.find((known) => known === values.cause);
      return cause && { kind, formId, cause, since: Number(values.since) };
    }
    case "quota":
      return { kind, accountId, formId, level: values.level === 100 ? 100 : 80 };
    case "account_quota": {
      const room = values.room === "log" ? "log" : "storage";
      return { kind, accountId, room, level: values.level === 100 ? 100 : 80 };
    }
    case "invitation":
    case "instance_invitation": {
      const token = openToken(id, String(values.token), secretBox);
      return token === undefined ? undefined : { kind, token, address: String(values.address) };
    }
    case "address": {
      const token = values.token === undefined ? undefined : openToken(id, String(values.token), secretBox);
      const isUnreadable = values.token !== undefined && token === undefined;
      const { step, address, other } = values;
      // One of the steps, as it was written.
      return isUnreadable
        ? undefined
        : {
            kind,
            step: step as unknown as AddressSubject["step"],
            token,
            address: String(address),
            other: String(other),
          };
    }
    case "password_reset":
    case "verify_email": {
      const token = openToken(id, String(values.token), secretBox);
      return token === undefined ? undefined : { kind, token };
    }
    case "security_gathered":
      return { kind, counts: gathered };
    case "security": {
      const event = securityEvents.find((known) => known === values.event);
      if (event === undefined) return undefined;
      const { formId: linked, count, snippet, moved } = values;
      return { kind, event, occurredAt: Number(values.occurredAt), formId: linked, count, snippet, moved };
    }
    default:
      return undefined;
  }
}

function openToken(id: string, sealed: string, secretBox: SecretBox): string | undefined {
  try {
    return secretBox.sealer("mail").open(sealed, `mail/${id}`);
  } catch (error) {
    if (error instanceof MissingSecretError) throw error;
    return undefined;
  }
}
