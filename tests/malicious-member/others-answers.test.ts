import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  answerAdmission,
  type Change,
  createAdmission,
  findSealable,
  generatePersonalKey,
  openAdmission,
  RefusalError,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import {
  makePerson,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";

// An owner lets somebody in. A colleague who may finish the admission has its terms and, with the server's help, answers first. The entry would name honest people
// alone, so nothing would be cut when the colleague leaves.

let [ada, bo, cy, zoe, spare]: readonly PlayedPerson[] = [];

before(async () => {
  [ada, bo, cy, zoe, spare] = await Promise.all(["Ada", "Bo", "Cy", "Zoe", "Spare"].map((name) => makePerson(name)));
});

async function change(server: PlayedServer, signer: PlayedPerson, entry: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), signer, entry));
}

async function verify(server: PlayedServer, { key }: PlayedPerson): Promise<VerifiedList> {
  const signed = { organizationId, trust: { signingKey: key.signingKey } };
  const list = await verifyList(new TextEncoder().encode(server.list.join("")), signed);
  return list instanceof RefusalError ? assert.fail(list.reason) : list;
}

/** Every answer that brings a key of the colleague's, and that can be made of the terms and the person's own answer. */
async function forge(terms: string, honest: string, personId: string): Promise<readonly string[]> {
  const found = [terms, honest].flatMap((one) => one.match(/[\w-]{21}[AQgw](?![\w-])/g) ?? []);
  const parts = [terms, honest].flatMap((one) => one.match(/[\w-]{43,}/g) ?? []).map((one) => `${one.slice(0, 21)}A`);
  const secrets = new Set([...found, ...parts, "A".repeat(22)]);
  const key = spare?.key ?? assert.fail();
  const answers = await Promise.all([...secrets].map((secret) => answerAdmission(terms, { secret }, personId, key)));
  const [line = "", signatureLine = ""] = answers[0]?.split("\n") ?? [];
  const proofs = [...`${honest}${terms}${signatureLine}`.matchAll(/"(?:proof|signature)":"([^"]+)"/g)];
  return [...answers, ...proofs.map(([, proof]) => `${line}\n${signatureLine}\n{"proof":"${proof}"}\n`)];
}

const losses: Readonly<Record<string, (server: PlayedServer, role: "owner" | "manager") => Promise<void>>> = {
  "is removed": async (server) => {
    if (!ada || !bo) throw new Error("Nobody is there");
    await change(server, ada, { change: "remove", member: { id: bo.id } });
  },
  "has another key": async (server, role) => {
    if (!bo) throw new Error("Nobody is there");
    const key = { ...(await generatePersonalKey()), former: [] };
    await change(server, bo, { change: "replace", member: toMember({ ...bo, key }, role) });
  },
};

for (const role of ["manager", "owner"] as const)
  for (const [how, lose] of Object.entries(losses))
    for (const when of ["before", "after"] as const)
      test(`another ${role}, who has the terms of an admission, and ${how} ${when} it is approved, answers in nobody's place, and the person's own answer is good`, async () => {
        if (!ada || !bo || !cy || !zoe || !spare) throw new Error("Nobody is there");
        const server = playServer();
        await change(server, ada, { change: "add", member: toMember(ada) });
        await change(server, ada, { change: "add", member: toMember(bo, role) });
        await change(server, ada, { change: "add", member: toMember(cy, "manager") });
        const offered = { person: zoe.id, email: "zoe@example.org", name: "Zoe", role: "reader" } as const;
        const make = async () => {
          const made = {
            list: await verify(server, ada ?? assert.fail()),
            signer: await toSigner(ada ?? assert.fail()),
          };
          const { terms, link } = await createAdmission({ ...made, ...offered });
          const { id, key } = zoe ?? assert.fail();
          const honest = await answerAdmission(terms, link, id, key);
          const forged = await forge(terms, honest, id);
          assert.ok(forged.length > 5);
          return { terms, honest, forged };
        };
        let made = await make();

        /** Shows each answer to both honest people until one of them takes it; otherwise the reasons of all refusals. */
        const approve = async (answers: readonly string[]) => {
          const reasons = new Set<string>();
          for (const answer of answers)
            for (const finisher of [ada, cy]) {
              const list = await verify(server, ada ?? assert.fail());
              const opened = await openAdmission(made.terms, answer, { list, finisherId: finisher?.id ?? "" });
              if (!(opened instanceof RefusalError)) {
                await change(server, finisher ?? assert.fail(), opened.change);
                return "taken";
              }
              reasons.add(opened.reason);
            }
          return [...reasons].sort();
        };

        if (when === "before") await lose(server, role);
        if (when === "before" && how === "is removed") {
          // The removal has ended the link, for everybody. The server shows the next terms to the one who left, too.
          assert.deepEqual(await approve([...made.forged, made.honest]), ["used"]);
          made = await make();
        }
        const refused = await approve(made.forged);
        if (refused === "taken" && when === "after") {
          await lose(server, role);
          const list = await verify(server, ada);
          const reads = (await findSealable(list, { own: ada.key })).has(zoe.id);
          assert.fail(
            `An answer of the colleague's was taken, and its key is ${reads ? "" : "not "}sealed for after that`,
          );
        }
        assert.ok(
          Array.isArray(refused) && refused.every((reason) => ["malformed", "wrong_answer"].includes(reason)),
          `${refused}`,
        );
        assert.ok(refused.includes("wrong_answer"));
        assert.equal(await approve([made.honest]), "taken");
        if (when === "after") await lose(server, role);
        const list = await verify(server, ada);
        assert.equal(list.members.get(zoe.id)?.recipient, zoe.key.recipient);
        assert.equal((await findSealable(list, { own: ada.key })).has(zoe.id), true);
      });
