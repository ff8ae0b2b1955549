import assert from "node:assert/strict";
import { createMadeUpEnvelope } from "../../../../../tests/support/made-up-envelope.ts";
import type { TableName } from "../../database/table-record.ts";
import { createTestBrowser } from "../../oidc/testing/test-browser.ts";
import { addPerson } from "../../organizations/testing/test-organization.ts";
import { copiesPath, createFile, createKeyAndSheet, keyPath, makeKey } from "../../personal-keys/testing/key-bench.ts";
import type { createPurgeSteps } from "../../retention/purge-worker.ts";
import type { Answer, TestAccount, TestService } from "../../testing/test-service.ts";
import { dayMilliseconds as day } from "../../time/clock.ts";
import type { createEndedRows, createShortRows } from "../ended-rows.ts";

type Answered = Pick<Answer, "status" | "body">;

/** When everything that a case has left is due. */
export const later = Date.now() + 400 * day;

export interface Scene {
  readonly service: TestService;
  readonly owner: TestAccount;
  /** The owner's form, with a submission. */
  readonly formId: string;
  readonly form: string;
}

/** Something that becomes due at `later`, and is called back at a time at which that is still allowed. */
export interface Case {
  /** One of the tables that calling it back writes. */
  readonly writes: TableName;
  /** It is called back by a legal hold, so that it stays due. */
  readonly isHeld?: true;
  prepare(
    scene: Scene,
  ): Promise<{ readonly callBack: () => Promise<Answered>; readonly isThere: () => Promise<boolean> }>;
}

type Steps = ReturnType<typeof createPurgeSteps>;
type Step =
  | Exclude<keyof Steps["byClock"], "tidy">
  | Exclude<keyof Steps["byAge"], "ended">
  | keyof Steps["atAnyTime"]
  | keyof ReturnType<typeof createEndedRows>
  | keyof ReturnType<typeof createShortRows>;
/** A reason where nothing that is due can be called back. */
type Cases = Readonly<Record<Step, string | Readonly<Record<string, Case>>>>;

export const found = async (rows: Promise<readonly unknown[]>) => (await rows).length > 0;

/** The answer of a request that has to be taken. */
export async function take(request: Promise<Answered>): Promise<Answered> {
  const answer = await request;
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
}

const isFormThere =
  ({ owner, form }: Scene) =>
  async () =>
    (await owner.request("GET", form)).status === 200;
const areRowsThere =
  ({ service, formId }: Scene, table: "submission" | "submission_bin" | "envelope") =>
  () =>
    found(service.database.selectFrom(table).select("form_id").where("form_id", "=", formId).execute());
/** Whether anybody can still read the submission, in or out of the bin. */
const isSubmissionThere =
  ({ owner, form }: Scene) =>
  async () => {
    const [inbox, bin] = [
      await owner.request("GET", `${form}/submissions`),
      await owner.request("GET", `${form}/submissions/bin`),
    ];
    return inbox.body.submissions.length + bin.body.submissions.length > 0;
  };

/** Every kind of thing that a hold keeps is held in the same way. */
const held = (
  prepare: (scene: Scene) => Promise<unknown>,
  isThere: (scene: Scene) => () => Promise<boolean>,
): Case => ({
  writes: "form_count",
  isHeld: true,
  async prepare(scene) {
    await prepare(scene);
    return { callBack: () => scene.owner.request("PUT", `${scene.form}/hold`, {}), isThere: isThere(scene) };
  },
});

const endOrganization = ({ owner }: Scene) =>
  take(owner.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION"));
const keepOrganization = ({ owner }: Scene) => owner.request("DELETE", "/api/organization/deletion");
const retain = ({ owner, form }: Scene, days: number | null) => owner.request("PUT", `${form}/retention`, { days });
const fillBin = ({ owner, form }: Scene) => take(owner.request("POST", `${form}/submissions/bin`, { before: 8.64e15 }));
const removeEnvelopes = async ({ service, owner, form }: Scene) => {
  const put = { token: owner.token, body: { envelope: createMadeUpEnvelope() }, headers: { "if-none-match": "*" } };
  await take(service.request("PUT", `${form}/envelopes/1`, put));
  await take(owner.request("DELETE", `${form}/envelopes`));
};
const signOut = async ({ service, owner }: Scene, email: string) => {
  await take(owner.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT"));
  const browser = createTestBrowser(service);
  await take(browser.post("/api/auth/sign-in/email", { email, password: "correct horse battery" }));
  return browser;
};
const addressOf = async ({ service, owner }: Scene) =>
  (await service.database.selectFrom("person").select("email").where("id", "=", owner.id).executeTakeFirstOrThrow())
    .email;

export const cases: Cases = {
  accounts: {
    "an organization with a form that is kept": {
      writes: "organization",
      async prepare(scene) {
        await endOrganization(scene);
        return { callBack: () => keepOrganization(scene), isThere: isFormThere(scene) };
      },
    },
    "an organization without forms that is kept": {
      writes: "organization",
      async prepare(scene) {
        const { service, owner, form } = scene;
        await take(owner.request("DELETE", `${form}?confirm=DELETE_FORM`));
        await endOrganization(scene);
        const isThere = () =>
          found(service.database.selectFrom("organization").select("id").where("id", "=", owner.id).execute());
        return { callBack: () => keepOrganization(scene), isThere };
      },
    },
    "a form of an organization that ends, on which a hold is set": held(endOrganization, isFormThere),
    "a form of an organization that ends, which is handed over": {
      writes: "form",
      async prepare(scene) {
        const { service, owner, form, formId } = scene;
        const made = await take(owner.request("POST", "/api/organizations", { name: "Another" }));
        await take(owner.request("POST", `/api/organizations/${owner.id}/switch`));
        await endOrganization(scene);
        const organizationId: string = made.body.organization.id;
        return {
          callBack: () => owner.request("POST", `${form}/hand-over`, { organizationId }),
          isThere: () => found(service.database.selectFrom("form").select("id").where("id", "=", formId).execute()),
        };
      },
    },
    "an account that is kept, with the organization that would have gone with it": {
      writes: "person",
      async prepare(scene) {
        const browser = await signOut(scene, await addressOf(scene));
        const { database } = scene.service;
        return {
          callBack: () => browser.post("/api/account/deletion", {}, "DELETE"),
          isThere: async () =>
            (await found(database.selectFrom("person").select("id").where("id", "=", scene.owner.id).execute())) &&
            (await found(database.selectFrom("form").select("id").where("id", "=", scene.formId).execute())),
        };
      },
    },
    "an account that is kept, with its membership of another's organization": {
      writes: "person",
      async prepare(scene) {
        const { service, owner } = scene;
        const email = `member-${owner.id}@example.com`.toLowerCase();
        const person = await addPerson(service, owner, email, { role: "manager" });
        const browser = await signOut({ ...scene, owner: person }, email);
        return {
          callBack: () => browser.post("/api/account/deletion", {}, "DELETE"),
          isThere: async () =>
            (await owner.request("GET", "/api/members")).body.members.some(
              ({ id }: { id: string }) => id === person.id,
            ),
        };
      },
    },
  },
  retention: {
    "submissions whose form keeps them for longer": {
      writes: "form_retention",
      async prepare(scene) {
        await take(retain(scene, 1));
        return { callBack: () => retain(scene, 3650), isThere: isSubmissionThere(scene) };
      },
    },
    "submissions whose form keeps them without end": {
      writes: "form_retention",
      async prepare(scene) {
        await take(retain(scene, 1));
        return { callBack: () => retain(scene, null), isThere: isSubmissionThere(scene) };
      },
    },
    "submissions of a form on which a hold is set": held((scene) => take(retain(scene, 1)), isSubmissionThere),
  },
  binExpiry: {
    "a submission that is restored": {
      writes: "submission",
      async prepare(scene) {
        await fillBin(scene);
        const { owner, form } = scene;
        return {
          callBack: () => owner.request("POST", `${form}/submissions/bin/restore`, { all: true }),
          isThere: isSubmissionThere(scene),
        };
      },
    },
    "a bin whose days become more": {
      writes: "form",
      async prepare(scene) {
        const { owner, form } = scene;
        await take(owner.request("PATCH", form, { settings: { binDays: 1 } }));
        await fillBin(scene);
        // The most there are, from a time at which one day is over.
        await scene.service.database
          .updateTable("submission_bin")
          .set({ binned_at: later - 2 * day })
          .execute();
        return {
          callBack: () => owner.request("PATCH", form, { settings: { binDays: 90 } }),
          isThere: isSubmissionThere(scene),
        };
      },
    },
    "the bin of a form on which a hold is set": held(fillBin, isSubmissionThere),
  },
  submissions: {
    "rows of deleted submissions, on whose form a hold is set": held(
      async ({ service, formId }) => {
        const job = { form_id: formId, received_before: later, requested_at: Date.now() };
        await service.database.insertInto("submission_purge").values(job).execute();
      },
      (scene) => areRowsThere(scene, "submission"),
    ),
  },
  bin: {
    "rows of an emptied bin, on whose form a hold is set": held(
      async (scene) => {
        await fillBin(scene);
        await scene.service.database
          .updateTable("form_bin")
          .set({ visible_from: later })
          .where("form_id", "=", scene.formId)
          .execute();
      },
      (scene) => areRowsThere(scene, "submission_bin"),
    ),
  },
  envelope: {
    "removed envelopes that are restored": {
      writes: "envelope",
      async prepare(scene) {
        await removeEnvelopes(scene);
        return {
          callBack: () => scene.owner.request("POST", `${scene.form}/envelopes/restore`),
          isThere: areRowsThere(scene, "envelope"),
        };
      },
    },
    "removed envelopes, on whose form a hold is set": held(removeEnvelopes, (scene) => areRowsThere(scene, "envelope")),
  },
  key_copy: {
    "a copy of a personal key that is restored": {
      writes: "key_copy",
      async prepare({ service, owner }) {
        const copies = await makeKey(owner, ["sheet", "passphrase"]);
        const id = copies.find(({ way }) => way === "passphrase")?.id ?? "";
        await take(owner.request("DELETE", `${copiesPath}/${id}`));
        return {
          callBack: () => owner.request("POST", `${copiesPath}/${id}/restore`),
          isThere: () => found(service.database.selectFrom("key_copy").select("id").where("id", "=", id).execute()),
        };
      },
    },
  },
  former_key: {
    "a personal key that is put back": {
      writes: "personal_key",
      async prepare({ service, owner }) {
        const [first, second] = [await createKeyAndSheet(), await createKeyAndSheet()];
        await take(owner.request("POST", keyPath, { ...first.halves, copies: [first.copy] }));
        const [before, after] = [first.halves.signingKey, second.halves.signingKey];
        const formerCopy = createFile("device");
        const next = { ...second.halves, copies: [second.copy], replaces: before, formerCopy };
        await take(owner.request("PUT", keyPath, next));
        const undo = { signingKey: before, replaces: after, formerCopy: createFile("device") };
        const isIn = (table: "personal_key" | "former_key") =>
          found(service.database.selectFrom(table).select("person_id").where("signing_key", "=", before).execute());
        return {
          callBack: () => owner.request("POST", `${keyPath}/restore`, undo),
          isThere: async () => (await isIn("personal_key")) || (await isIn("former_key")),
        };
      },
    },
  },
  deliveries: "they delete nothing: a delivery that was brought forward goes to the address that is set again",
  form: "a form that was deleted is not brought back, and one that is held is not deleted",
  tombstones: "only ids of what is gone",
  auditLog: "nobody keeps entries for longer but the operator, in the configuration",
  shortenedLog: "nobody takes back what an owner has asked for; what is not removed yet when a legal hold is set stays",
  reminders: "they delete nothing",
  invitation: "another invitation is another row",
  instance_invitation: "another invitation is another row",
  admission: "another admission is another row",
  address_move: "a move ends once; its undoing deletes it as well",
  undone_move: "the notes of moves, which nothing lengthens",
  member_change: "the notes of changes, which nothing lengthens",
  form_reservation: "it is used within an hour, or not at all",
  counted_bytes: "sums take the place of what they sum up",
  device_request: "another request is another row",
};
