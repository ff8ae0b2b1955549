import { decodeBase64Url } from "@sealpost/wire";
import { admissionFormat } from "../admission-terms.ts";
import type { AdmissionReason } from "../refusal.ts";
import { signingKeyOf, signLine } from "../signature.ts";
import { hashOf } from "../text.ts";
import { asSigner, ids } from "./admission-lists.ts";
import { findPersonalKey } from "./people.ts";

interface RefusedTerms {
  readonly name: string;
  readonly terms: string;
  readonly outcome: AdmissionReason;
}

/** Something that must be understood, and that nobody knows yet. */
const newer = { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] };

type Edit = (content: Record<string, unknown>) => unknown;

/** Terms like these, with the secret of their link, which a careless or hostile writer, or a server, has made. */
export async function refusedTerms(terms: string, secret: string): Promise<readonly RefusedTerms[]> {
  const [line = "", signatureLine = ""] = terms.split("\n");
  const change = (from: string, to: string) => `${line.replace(from, to)}\n${signatureLine}\n`;
  const manager = await asSigner("manager", "hybrid reader");
  const founder = await asSigner("founder", "hybrid owner");
  const { signingKey: otherKey } = await findPersonalKey("reader");
  const sign = (edit: Edit, signer = manager, format: string = admissionFormat) =>
    signLine(format, JSON.stringify(edit(JSON.parse(line))), signer.signingKey);
  const members =
    (edit: Record<string, unknown>): Edit =>
    (content) => ({ ...content, ...edit });
  const signed = (name: string, edit: Record<string, unknown>) => malformed(name, () => sign(members(edit)));
  const malformed = async (name: string, make: () => Promise<string>) => ({
    ...{ name, terms: await make(), outcome: "malformed" as const },
  });
  return [
    { name: "terms with another role", terms: change('"reader"', '"manager"'), outcome: "not_signed" },
    { name: "terms with another person", terms: change(ids.newcomer, ids.other), outcome: "not_signed" },
    { name: "terms with another address", terms: change("zoe@", "eve@"), outcome: "not_signed" },
    { name: "terms with another name", terms: change("Zoë", "Eve"), outcome: "not_signed" },
    { name: "terms with a later end", terms: change("2026-11-30", "2026-12-30"), outcome: "not_signed" },
    {
      name: "terms signed by an owner in the name of a manager",
      terms: await sign((content) => content, founder),
      outcome: "not_signed",
    },
    {
      name: "terms signed as an entry of a list",
      terms: await sign((content) => content, manager, "sealpost-list/1"),
      outcome: "not_signed",
    },
    {
      name: "terms signed by nobody whom the list has",
      terms: await sign(members({ signedBy: ids.other })),
      outcome: "not_signed",
    },
    { name: "terms with a critical extension", terms: await sign(members(newer)), outcome: "unknown_extension" },
    {
      name: "terms with a critical extension, signed by an owner in the name of a manager",
      ...{ terms: await sign(members(newer), founder), outcome: "not_signed" },
    },
    {
      name: "terms with a critical extension, for somebody whom a manager may not bring in",
      ...{ terms: await sign(members({ role: "owner", ...newer })), outcome: "unknown_extension" },
    },
    { name: "a manager brings in a manager", terms: await sign(members({ role: "manager" })), outcome: "not_allowed" },
    { name: "a manager brings in an owner", terms: await sign(members({ role: "owner" })), outcome: "not_allowed" },
    {
      name: "a manager replaces an owner",
      terms: await sign(members({ person: ids.founder })),
      outcome: "not_allowed",
    },
    {
      name: "somebody brings in themselves",
      terms: await sign(members({ person: ids.manager, role: "manager" })),
      outcome: "not_allowed",
    },
    {
      name: "terms with the key of another link",
      terms: await sign(members({ linkKey: otherKey })),
      outcome: "wrong_link",
    },
    {
      name: "terms with a key that is made of the secret's hash",
      terms: await sign(
        members({ linkKey: await signingKeyOf(await hashOf(decodeBase64Url(secret) ?? new Uint8Array())) }),
      ),
      outcome: "wrong_link",
    },
    await signed("terms with a link's key of small order", {
      linkKey: "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    }),
    await signed("terms with a link's key of 31 bytes", { linkKey: otherKey.slice(0, 42) }),
    await signed("terms of another format", { format: "sealpost-admission/2" }),
    await signed("terms for a program", { role: "program" }),
    await signed("terms for a recovery key", { role: "recovery" }),
    await signed("terms for an unknown role", { role: "admin" }),
    await signed("terms for a person of another kind of id", { person: "usr_01hk153x00e5rbcwg8rxcnh8n1" }),
    await signed("terms by a maker of another kind of id", { signedBy: "usr_01hk153x00e5rbcwg8rxcnh8b1" }),
    await signed("terms with an id of another kind", { admissionId: "inv_01hk153x00e5rbcwg8rxcnh8w9" }),
    await signed("an address without an at sign", { email: "zoe.example.org" }),
    await signed("an address of two lines", { email: "zoe@example.org\nx" }),
    await signed("an address of 255 characters, fewer than its halves of pairs", {
      email: `${"\u{1f600}".repeat(243)}@example.org`,
    }),
    await signed("an address of 255 characters", { email: `${"z".repeat(243)}@example.org` }),
    await signed("a name that turns the direction of a text", { name: "Zo\u202e" }),
    await signed("a moment that no calendar has", { endsAt: "2026-11-31T08:00:00Z" }),
    await signed("a member that is not known", { more: 1 }),
    await signed("terms that end in the year 0", { endsAt: "0000-11-30T08:00:00Z" }),
    await malformed("terms with white space", async () => change(",", ", ")),
    await malformed("a signature that is cut", async () => `${line}\n${signatureLine.slice(0, -3)}"}\n`),
    await malformed("terms of three lines", async () => `${terms}\n`),
    await malformed("terms without their last line end", async () => terms.trimEnd()),
  ];
}
