import { randomBytes } from "node:crypto";

/**
 * An envelope by its outer form, which is all that the service sees, in base64url: nobody can open it. `contentBytes`: the bytes of noise
 * after its head.
 */
export function createMadeUpEnvelope(contentBytes = 0): string {
  const lines = ["age-encryption.org/v1", `-> mlkem768x25519 ${fill(1120)}`, fill(32), `--- ${fill(32)}`, ""];
  return Buffer.concat([Buffer.from(lines.join("\n")), randomBytes(contentBytes)]).toString("base64url");
}

function fill(bytes: number): string {
  return Buffer.alloc(bytes, 9).toString("base64").replaceAll("=", "");
}
