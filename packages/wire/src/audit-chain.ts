import { encodeText } from "./bytes.ts";

/** The format of chained audit logs (SPECIFICATION, section 18). */
export const auditFormat = "sealpost-audit/1";

/** The number and the hash of a log's entry. It fixes that entry and all before it. */
export interface AuditHead {
  readonly sequence: number;
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly hash: string;
}

/** The head of an empty log: what the first entry names as the one before. */
export async function startAuditLog(organizationId: string): Promise<AuditHead> {
  return { sequence: 0, hash: await hashText(`${auditFormat}\n${organizationId}`) };
}

/** The hash of an entry, over all of its members but `hash`. */
export function hashAuditEntry(entry: Readonly<Record<string, unknown>>): Promise<string> {
  const { hash: _, ...content } = entry;
  return hashText(`${auditFormat}\n${canonicalJson(content)}`);
}

/** RFC 8785: one spelling for each JSON value. Throws on what JSON can't hold, and on endless nesting. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return printScalar(value);
  // Without a comparison of our own, names sort by their UTF-16 units, as section 3.2.3 wants it.
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

function printScalar(value: unknown): string {
  const isNumberless = typeof value === "number" && !Number.isFinite(value);
  const text: string | undefined = isNumberless ? undefined : JSON.stringify(value);
  if (text === undefined) throw new TypeError("Not a JSON value");
  return text;
}

async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encodeText(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
