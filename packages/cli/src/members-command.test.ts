import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { invite } from "../../server/src/organizations/testing/test-organization.ts";
import { createTestService, type TestAccount } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

const service = await createTestService({ after });
const password = "correct horse battery";

/** Runs commands as this person, with a session token. */
function as(t: TestContext, { token }: TestAccount) {
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: token };
  return (words: readonly string[], input?: string) =>
    run(words, { environment, ...(input !== undefined && { input }) });
}

async function createForm(owner: TestAccount, name: string): Promise<string> {
  const { body } = await owner.request("POST", "/api/forms", { name, settings: { encryption: false } });
  return body.form.id;
}

test("a person is invited by a link shown this once, accepts it, switches, gets another role, and is removed", async (t) => {
  const [owner, person] = [await service.signUp("owner@example.com"), await service.signUp("person@example.com")];
  const [one, two] = [await createForm(owner, "One"), await createForm(owner, "Two")];
  const [own, their] = [as(t, owner), as(t, person)];

  const invited = await own(["members", "invite", "Person@example.com", "--role", "reader", "--form", `${one},${two}`]);
  assert.equal(invited.code, 0, invited.errors);
  assert.match(
    invited.errors,
    /^Invited person@example\.com as reader\. The link works once, until 20\S+Z, for this address/,
  );
  const link = invited.output.trim();
  assert.ok(link.startsWith(`${service.url}/invitation#`));
  const listed = await own(["members", "invitations"]);
  assert.match(listed.output, /^ID .*\ninv_\w+ +person@example\.com +reader +2 +20\S+Z +20\S+Z\n$/);
  assert.ok(!listed.output.includes(link.slice(-20)));

  const joined = await their(["organizations", "join"], `${link}\n`);
  assert.deepEqual([joined.code, joined.output], [0, `${owner.id}\n`], joined.errors);
  const again = await their(["organizations", "join"], `${link}\n`);
  assert.deepEqual([again.code, again.output], [5, ""]);
  assert.match(again.errors, /was used or taken back/);
  assert.equal((await own(["members", "invitations", "--json"])).output, "[]\n");

  assert.equal((await their(["forms", "list", "--json"])).output, "[]\n", "still for their own");
  const switched = await their(["organizations", "switch", owner.id]);
  assert.deepEqual([switched.code, switched.output], [0, ""]);
  assert.match(switched.errors, /now acts for .+, as reader\.\n$/);
  const forms = JSON.parse((await their(["forms", "list", "--json"])).output) as { id: string }[];
  assert.deepEqual(forms.map(({ id }) => id).toSorted(), [one, two].toSorted());
  const refused = await their(["members", "list"]);
  assert.deepEqual([refused.code, refused.output], [3, ""]);
  assert.match(refused.errors, /Your role in this organization does not allow this/);

  const changed = await own(["members", "change", person.id, "--form", one]);
  assert.match(changed.output, new RegExp(`\\n${person.id}  Person  person@example\\.com  reader  1 +20\\S+Z  no\\n$`));
  const manager = await own(["members", "change", person.id, "--role", "manager", "--json"]);
  assert.partialDeepStrictEqual(JSON.parse(manager.output), { id: person.id, role: "manager", forms: null });
  assert.match((await their(["members", "list"])).output, /owner +all .*\n.* manager +all .*\n$/);
  assert.equal((await their(["members", "change", owner.id, "--role", "auditor"])).code, 3);
  assert.equal((await own(["members", "change", owner.id, "--role", "auditor"])).code, 5, "the last owner");

  const settings = { webhookUrl: "https://hooks.example.com/theirs" };
  assert.equal((await person.request("PATCH", `/api/forms/${one}`, { settings })).status, 200);
  const left = `Events of these forms are still sent to a webhook address that they chose, and could not choose now: One (${one})`;
  const lowered = await own(["members", "change", person.id, "--role", "auditor", "--json"]);
  assert.deepEqual([JSON.parse(lowered.output).role, lowered.errors], ["auditor", `${left}\n`]);

  const sealed = (await owner.request("POST", "/api/forms", { name: "Sealed" })).body.form.id;
  const removed = await own(["members", "remove", person.id]);
  assert.deepEqual([removed.code, removed.output], [0, `${person.id}\n`]);
  assert.match(removed.errors, new RegExp(`rotate the keys .* of these forms, .*: Sealed \\(${sealed}\\)\\.\n`));
  assert.ok(removed.errors.endsWith(`${left}\n`), removed.errors);
  assert.equal((await own(["members", "remove", person.id])).code, 4);
  const outside = await their(["forms", "list"]);
  assert.equal(outside.code, 3);
  assert.match(outside.errors, /`sealpost organizations list`, and act for one with `sealpost organizations switch`/);
  assert.match((await their(["organizations", "list"])).errors, /acts for none of them/);
});

test("an invitation that was taken back lets nobody in, and one of another instance is sent nowhere", async (t) => {
  const [owner, person] = [await service.signUp(), await service.signUp("late@example.com")];
  const [own, their] = [as(t, owner), as(t, person)];
  const invited = await own(["members", "invite", "late@example.com", "--role", "auditor", "--json"]);
  const { invitation, url, mailed } = JSON.parse(invited.output);
  assert.equal(mailed, false);
  const taken = await own(["members", "uninvite", invitation.id]);
  assert.deepEqual(taken, { code: 0, output: `${invitation.id}\n`, errors: "" });
  assert.equal((await own(["members", "uninvite", invitation.id])).code, 4);
  assert.equal((await their(["organizations", "join"], url)).code, 5);
  const elsewhere = await their(["organizations", "join"], "https://forms.example.org/invitation#token");
  assert.equal(elsewhere.code, 2);
  assert.match(elsewhere.errors, /is to https:\/\/forms\.example\.org, and you are signed in to http:/);
  for (const input of ["", "token", service.url]) assert.equal((await their(["organizations", "join"], input)).code, 2);
});

test("a form's webhook goes to another organization only as somebody says so, by its host", async (t) => {
  const owner = await service.signUp("hook@example.com");
  const formId = await createForm(owner, "Contact");
  await owner.request("PATCH", `/api/forms/${formId}`, { settings: { webhookUrl: "https://hooks.example.com/a" } });
  const { run } = createCommandLine(t);
  await run(["login", service.url, "--email", "hook@example.com", "--password-stdin"], { input: password });
  const organization = (await run(["organizations", "create", "Next"])).output.trim();
  const handOver = (...options: string[]) => run(["forms", "hand-over", formId, organization, ...options]);
  const asked = await handOver();
  assert.equal(asked.code, 2);
  assert.match(
    asked.errors,
    /sends to hooks\.example\.com\. .*\n.*--keep-webhook hooks\.example\.com or --remove-webhook/,
  );
  const other = await handOver("--keep-webhook", "other.example.com");
  assert.match(other.errors, /sends to hooks\.example\.com, not to other\.example\.com/);
  assert.equal((await handOver("--keep-webhook", "hooks.example.com", "--remove-webhook")).code, 2);
  const done = await handOver("--keep-webhook", "hooks.example.com", "--webhook-secret", "kept");
  assert.equal(done.output, `${formId}\n`);
  assert.match(done.errors, /continues to hooks\.example\.com, with the secret that the former organization knows/);
});

test("another organization is made, named, given a form, acted for by the session that `login` keeps, and left again", async (t) => {
  const formId = await createForm(await service.signUp("zoe@example.com"), "Contact");
  const { run } = createCommandLine(t);
  await run(["login", service.url, "--email", "zoe@example.com", "--password-stdin"], { input: password });
  const created = await run(["organizations", "create", "Council"]);
  assert.equal(created.code, 0, created.errors);
  const id = created.output.trim();
  assert.equal((await run(["organizations", "rename", "Mine"])).code, 0);
  const rows = async () =>
    (JSON.parse((await run(["organizations", "list", "--json"])).output) as { name: string; current: boolean }[])
      .map(({ name, current }) => `${name} ${current}`)
      .toSorted();
  assert.deepEqual(await rows(), ["Council false", "Mine true"]);
  assert.equal((await run(["forms", "hand-over", formId, id])).output, `${formId}\n`);
  assert.equal((await run(["forms", "hand-over", formId, id])).code, 4);
  assert.match((await run(["organizations", "switch", id])).errors, /now acts for Council, as owner/);
  assert.match((await run(["forms", "list"])).output, new RegExp(`^${formId} +Contact `, "m"));
  assert.match(
    (await run(["organizations", "list"])).output,
    new RegExp(`^ID +NAME .*CURRENT$[^]*^${id} +Council +owner +all +20\\S+Z +yes$`, "m"),
  );
  assert.equal((await run(["organizations", "switch", "acc_01hk153x00e5rbcwg8rxcnh8w4"])).code, 4);

  const unsure = await run(["members", "leave"]);
  assert.equal(unsure.code, 2);
  assert.match(unsure.errors, /Add --yes to leave Council/);
  const last = await run(["members", "leave", "--yes"]);
  assert.equal(last.code, 5);
  assert.match(last.errors, /needs an owner/);
  const second = await addPersonAsOwner(id);
  assert.match((await run(["members", "leave", "--yes"])).errors, /^Left Council\./);
  assert.equal((await run(["forms", "list"])).code, 3);
  assert.deepEqual(await rows(), ["Mine false"]);
  assert.equal((await second.request("GET", "/api/members")).body.total, 1);

  async function addPersonAsOwner(organizationId: string): Promise<TestAccount> {
    const invited = await run(["members", "invite", "second@example.com", "--role", "owner"]);
    const person = await service.signUp("second@example.com");
    const their = as(t, person);
    assert.equal((await their(["organizations", "join"], invited.output)).code, 0);
    assert.equal((await their(["organizations", "switch", organizationId])).code, 0);
    return person;
  }
});

test("names of members and organizations cannot act on the terminal", async (t) => {
  const owner = await service.signUp("quiet@example.com");
  const email = "loud@example.com";
  const invitation = await invite(owner, email, { role: "owner" });
  const signUp = { body: { name: "Eve", email, password, invitation } };
  assert.equal((await service.request("POST", "/api/auth/sign-up/email", signUp)).status, 200);
  // The service takes no such names; one that lies may show them.
  await service.database.updateTable("person").set({ name: "Eve\u202e\u200b" }).where("email", "=", email).execute();
  const own = as(t, owner);
  const listed = await own(["members", "list"]);
  assert.ok(listed.output.includes("Eve\uFFFD\uFFFD") && !listed.output.includes("\u202e"), listed.output);
  const json = await own(["members", "list", "--json"]);
  assert.ok(json.output.includes(String.raw`Eve\u202e\u200b`));
  await service.database.updateTable("organization").set({ name: "Spoof\u200b" }).where("id", "=", owner.id).execute();
  for (const words of [
    ["organizations", "list"],
    ["organizations", "switch", owner.id],
    ["members", "leave"],
  ]) {
    const { output, errors } = await own(words);
    assert.match(output + errors, /Spoof\uFFFD/);
    assert.ok(!(output + errors).includes("\u200b"));
  }
});

test("an API key is answered that this needs a session, and a wrong role or nothing to change is a wrong command line", async (t) => {
  const owner = await service.signUp();
  const { key } = (await owner.request("POST", "/api/api-keys", { name: "machine" })).body;
  const machine = as(t, { ...owner, token: key.key });
  for (const words of [
    ["members", "list"],
    ["organizations", "list"],
    ["keys", "list"],
    ["forms", "hand-over", "form_1", owner.id],
  ]) {
    const { code, output, errors } = await machine(words);
    assert.deepEqual([code, output], [3, ""]);
    assert.match(errors, /This needs a session; an API key is not enough/);
  }
  const own = as(t, owner);
  for (const words of [
    ["members", "invite", "a@example.com"],
    ["members", "invite", "a@example.com", "--role", "king"],
    ["members", "change", owner.id],
  ])
    assert.equal((await own(words)).code, 2);
  const formless = await own(["members", "invite", "a@example.com", "--role", "reader"]);
  assert.deepEqual([formless.code, /forms: Is required/.test(formless.errors)], [5, true]);
});

test("a form is held and released by its owner; `show` says so, and deleting it is refused with the reason", async (t) => {
  const owner = await service.signUp();
  const own = as(t, owner);
  const formId = await createForm(owner, "Evidence");
  const held = await own(["forms", "hold", formId, "--reason", "Case 7", "--until", "2100-01-01"]);
  assert.deepEqual([held.code, held.output], [0, `${formId}\n`], held.errors);
  const said =
    /Under legal hold since 20\S+Z; set by Person; reason: Case 7; owners are reminded at 2100-01-01T00:00:00\.000Z/;
  assert.match(held.errors, said);
  assert.match((await own(["forms", "show", formId])).output, said);
  const refused = await own(["submissions", "delete", formId, "--all", "--for-good", "--yes"]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.errors, /under legal hold since .+ until an owner of the organization lifts the hold/);
  assert.equal((await own(["forms", "release", formId])).code, 0);
  assert.doesNotMatch((await own(["forms", "show", formId])).output, /legal hold/);
});

test("sessions are listed, ended one by one and all others together, and this one stays", async (t) => {
  const person = await service.signUp("sessions@example.com");
  const run = as(t, person);
  const signIn = async () => {
    const body = { email: "sessions@example.com", password };
    return (await service.request("POST", "/api/auth/sign-in/email", { body })).status;
  };
  for (let count = 0; count < 3; count++) assert.equal(await signIn(), 200);
  const list = async () =>
    JSON.parse((await run(["sessions", "list", "--json"])).output) as { id: string; current: boolean }[];
  assert.equal((await list()).length, 4);
  assert.match((await run(["sessions", "list"])).output, /^ID +BROWSER +SYSTEM +SINCE +LAST USED +ENDS +CURRENT\n/);
  const other = (await list()).find(({ current }) => !current)?.id ?? "";
  assert.match(other, /^[0-9a-f]{32}$/, "no dash in front, which would make it an option");
  const ended = await run(["sessions", "end", other]);
  assert.deepEqual([ended.code, ended.output, ended.errors], [0, "", "The session has ended.\n"]);
  assert.equal((await run(["sessions", "end", other])).code, 4);
  assert.equal((await run(["sessions", "end-others"])).errors, "2 other sessions have ended.\n");
  assert.deepEqual(
    (await list()).map(({ current }) => current),
    [true],
  );
});
