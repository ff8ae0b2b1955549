import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createId } from "@sealpost/wire";

/** A change that was asked for. One that got no answer has happened as a whole, or not at all. */
export type Change =
  | { readonly kind: "create"; readonly name: string; readonly modulus: string; readonly hasEnvelope: boolean }
  | { readonly kind: "post"; readonly id: string }
  | { readonly kind: "delete" | "delete several" | "delete all"; readonly ids: readonly string[] }
  | { readonly kind: "bin" | "restore" | "empty bin"; readonly ids: readonly string[] }
  | { readonly kind: "rotate"; readonly modulus: string }
  | { readonly kind: "delete form" };

/** The required state of a form, as far as answers confirmed it. */
export interface FormLedger {
  readonly formId: string;
  readonly stored: Set<string>;
  readonly binned: Set<string>;
  readonly deleted: Set<string>;
  /** The moduli of every key version, in order. */
  readonly moduli: string[];
  /** Whether the form was created with an envelope, which gets another revision with each version. */
  readonly hasEnvelope: boolean;
}

/** As the service shows a form. */
export interface ShownForm {
  readonly formId: string;
  readonly submissions: readonly string[];
  readonly binned: readonly string[];
  readonly binTotal: number;
  readonly total: number;
  readonly submissionCount: number;
  readonly keyVersion: number;
  readonly moduli: readonly string[];
  /** The revisions of its envelopes. */
  readonly revisions: readonly number[];
}

/** Changes one form after the other, each when the one before was answered, and keeps the ledger of the answers. */
export interface ChangeClient {
  form: FormLedger | undefined;
  /** Asked for and not answered. */
  unanswered: Change | undefined;
  readonly deletedForms: string[];
}

/** A key that no form has had. That nobody knows a private key to it does not matter here. */
function createModulus(): string {
  const bytes = randomBytes(384);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[383] = (bytes[383] ?? 0) | 1;
  return bytes.toString("base64url");
}

/** The next change: mostly submissions, some of everything else. */
export function chooseChange({ form }: ChangeClient): Change {
  if (form === undefined)
    return { kind: "create", name: createId("form"), modulus: createModulus(), hasEnvelope: Math.random() < 0.5 };
  const ids = [...form.stored];
  const draw = Math.random();
  if (draw < 0.05) return { kind: "rotate", modulus: createModulus() };
  if (draw < 0.07) return { kind: "delete form" };
  const binned = [...form.binned];
  if (draw < 0.1) return { kind: "delete all", ids: [...ids, ...binned] };
  const some = ids.filter(() => Math.random() < 0.4);
  if (draw < 0.2 && some.length > 0) return { kind: "delete several", ids: some };
  if (draw < 0.24 && some.length > 0) return { kind: "bin", ids: some };
  if (draw < 0.27 && binned.length > 0)
    return { kind: "restore", ids: binned.slice(0, 1 + Math.floor(Math.random() * binned.length)) };
  if (draw < 0.28 && binned.length > 0) return { kind: "empty bin", ids: binned };
  const [one] = ids.slice(Math.floor(Math.random() * ids.length));
  if (draw < 0.35 && one !== undefined) return { kind: "delete", ids: [one] };
  return { kind: "post", id: createId("submission") };
}

/** Writes into the ledger that the change happened. `formId` is that of a form that was created. */
export function record(client: ChangeClient, change: Change, formId: string): void {
  const { form } = client;
  if (change.kind === "create") {
    const { modulus, hasEnvelope } = change;
    const none = { stored: new Set<string>(), binned: new Set<string>(), deleted: new Set<string>() };
    client.form = { formId, ...none, moduli: [modulus], hasEnvelope };
    return;
  }
  assert.ok(form !== undefined, "a change of a form that is not there");
  switch (change.kind) {
    case "post":
      form.stored.add(change.id);
      return;
    case "delete":
    case "delete several":
    case "delete all":
    case "empty bin":
      for (const id of change.ids) {
        form.stored.delete(id);
        form.binned.delete(id);
        form.deleted.add(id);
      }
      return;
    case "bin":
      for (const id of change.ids) {
        form.stored.delete(id);
        form.binned.add(id);
      }
      return;
    case "restore":
      for (const id of change.ids) {
        form.binned.delete(id);
        form.stored.add(id);
      }
      return;
    case "rotate":
      form.moduli.push(change.modulus);
      return;
    case "delete form":
      client.deletedForms.push(form.formId);
      client.form = undefined;
      return;
    default:
      change satisfies never;
  }
}

/** Whether the unanswered change happened, as what the service now shows says. `created` is the form that has the name, if any. */
export function hasHappened(change: Change, shown: ShownForm | undefined, created: string | undefined): boolean {
  switch (change.kind) {
    case "create":
      return created !== undefined;
    case "delete form":
      return shown === undefined;
    case "post":
      return shown?.submissions.includes(change.id) ?? false;
    case "rotate":
      return shown?.moduli.at(-1) === change.modulus;
    case "restore":
      return change.ids.some((id) => shown?.submissions.includes(id));
    case "empty bin":
      return change.ids.some((id) => !shown?.binned.includes(id));
    case "delete all":
      return change.ids.some((id) => !shown?.submissions.includes(id) && !shown?.binned.includes(id));
    default:
      // If only some of them are gone, the comparison with the ledger fails.
      return change.ids.some((id) => !shown?.submissions.includes(id));
  }
}

/** Holds what the service shows of a form to its ledger: all that was accepted, and nothing that was deleted. */
export function checkShown(form: FormLedger, shown: ShownForm | undefined): void {
  assert.ok(shown !== undefined, `${form.formId} is gone`);
  assert.deepEqual([...shown.submissions].sort(), [...form.stored].sort(), form.formId);
  assert.deepEqual([...shown.binned].sort(), [...form.binned].sort(), `${form.formId}: its bin`);
  assert.equal(shown.binTotal, form.binned.size, `${form.formId}: the total of the bin`);
  assert.equal(shown.total, form.stored.size, `${form.formId}: the total of the list`);
  assert.equal(shown.submissionCount, form.stored.size, `${form.formId}: submissionCount`);
  assert.deepEqual(shown.moduli, form.moduli, `${form.formId}: its keys`);
  assert.deepEqual(shown.revisions, form.hasEnvelope ? [form.moduli.length] : [], `${form.formId}: its envelope`);
  assert.equal(shown.keyVersion, form.moduli.length, `${form.formId}: its key version`);
}
