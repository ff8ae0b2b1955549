import type { PublicHalves } from "@sealpost/envelope";
import type { HeadToSign } from "@sealpost/sdk/envelopes";
import { client } from "../api/client.ts";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { keepOwnHead } from "../envelopes/own-head.ts";
import { keyOperations } from "./key-operations.ts";
import type { OrganizationHead } from "./personal-key-api.ts";

/**
 * Leaves the heads of all lists that this browser has seen of the person's organizations for the next device, signed with the key that was just unlocked.
 * Nothing waits for it, and where it fails the next unlocking is another occasion.
 */
export async function keepHeadsOfAll(personId: string, own: PublicHalves): Promise<void> {
  const context = { personId, own, api: envelopeApi, keyAgent: keyOperations };
  for (const { organizationId, list } of await findSeen(personId, own).catch(() => []))
    await keepOwnHead({ ...context, organizationId }, list);
}

/** The heads that were seen with the key until now, signed with one that is not in use yet. Without an answer of the server it goes without them. */
export async function signHeadsOfAll(
  personId: string,
  sign: (head: HeadToSign) => Promise<{ readonly signedHead: string }>,
): Promise<readonly OrganizationHead[]> {
  const signed: OrganizationHead[] = [];
  for (const seen of (await findSeen(personId, undefined).catch(() => [])).slice(0, signedHeadsMax)) {
    const { signedHead } = await sign({ ...seen, signedBy: personId });
    signed.push({ organizationId: seen.organizationId, signedHead });
  }
  return signed;
}

/** As many as the server takes with a key; of more the next unlocking leaves them. */
const signedHeadsMax = 64;

async function findSeen(personId: string, own: PublicHalves | undefined) {
  const [{ organizations }, heads] = await Promise.all([client.organizations.list(), loadHeads(personId, own)]);
  const found = await Promise.all(
    organizations.map(async ({ id }) => ({ organizationId: id, list: await heads.findList(id) })),
  );
  return found.flatMap(({ organizationId, list }) => (list === undefined ? [] : [{ organizationId, list }]));
}
