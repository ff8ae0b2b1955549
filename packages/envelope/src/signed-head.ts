import { type Extended, formatTime, noExtensions, type Unchecked } from "@sealpost/wire";
import type { ListHead } from "./list.ts";
import { parseOrganizationId } from "./list-entry.ts";
import { parseId } from "./member.ts";
import { catchRefusal, check, type HeadReason, type RefusalError } from "./refusal.ts";
import { importSigningKey, signLine, splitSigned, verifyLine } from "./signature.ts";
import { checkCritical, parseExtensions, parseHead, parseLine, parseTime } from "./text.ts";

export const headFormat = "sealpost-head/1";
const lineBytesMax = 2048;
/** Two lines, the other one with the signature. */
export const signedHeadLengthMax = lineBytesMax + 104;

/** The content of a signed head, its members in the order in which they are written. SPECIFICATION.md section 22. */
interface SignedHead extends Extended {
  readonly format: typeof headFormat;
  readonly organizationId: string;
  /** The head of the organization's list that a device of the signer had verified. */
  readonly list: ListHead;
  readonly writtenAt: string;
  /** An id of the person. They may get another one, so nothing is compared with it: the signature is by their key. */
  readonly signedBy: string;
}

/** Whose signed head it has to be, and of which organization. The signing key is the person's own, from their own open key. */
export interface ExpectedHead {
  readonly organizationId: string;
  readonly signingKey: string;
}

/**
 * The head of a list that this device has verified, in two lines, signed with one's own key: for other devices of the same person, which have seen nothing yet.
 * Sign none that was not verified: such a device trusts the list by it.
 */
export async function signHead(
  { organizationId, list, signedBy }: Pick<SignedHead, "organizationId" | "list" | "signedBy">,
  signingSeed: string,
  now: number = Date.now(),
): Promise<string> {
  const content = parseContent({
    format: headFormat,
    organizationId,
    list,
    writtenAt: formatTime(now),
    signedBy,
    ...noExtensions,
  });
  return signLine(headFormat, JSON.stringify(content), await importSigningKey(signingSeed));
}

/** The head in these two lines, as received, if they were signed with this key: every list has to contain it, as one that was seen here. */
export function verifySignedHead(text: string, expected: ExpectedHead): Promise<ListHead | RefusalError<HeadReason>> {
  return catchRefusal<ListHead, HeadReason>(verify(text, expected));
}

async function verify(text: string, { organizationId, signingKey }: ExpectedHead): Promise<ListHead> {
  check(typeof text === "string" && text.length <= signedHeadLengthMax, "malformed"); // what a server sends is of any type
  const { line, signature } = splitSigned(text, lineBytesMax);
  const content = parseLine(line, parseContent);
  check(content.organizationId === organizationId, "other_organization");
  await verifyLine(headFormat, line, signature, signingKey);
  checkCritical(content);
  return content.list;
}

function parseContent(value: Unchecked): SignedHead {
  const { format, organizationId, list, writtenAt, signedBy } = value;
  check(format === headFormat, "malformed");
  return {
    format,
    organizationId: parseOrganizationId(organizationId),
    list: parseHead(list),
    writtenAt: parseTime(writtenAt),
    signedBy: parseId(signedBy),
    ...parseExtensions(value),
  };
}
