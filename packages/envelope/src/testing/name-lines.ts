import { encodeBase64Url } from "@sealpost/wire";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { commitNameWith, type NameLine, type NameOwner } from "../names.ts";

/** The line of a name, whose salt follows from it: the vectors are the same each time. */
export async function createNameLine(owner: NameOwner, name: string): Promise<NameLine> {
  const id = owner.use === "member" ? owner.id : owner.organizationId;
  const salt = await derive("salt", `name of ${owner.use} ${owner.organizationId} ${id} ${name}`, 32);
  return commitNameWith(owner, name, encodeBase64Url(salt));
}
