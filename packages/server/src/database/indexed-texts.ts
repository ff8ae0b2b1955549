/**
 * PostgreSQL refuses a row whose entry in an index is longer (BTMaxItemSize, access/nbtree.h, with pages of 8 KiB). SQLite has no such
 * bound, and an instance that grew there could not be moved.
 */
const indexRowBytesMax = 2704;

/** The bytes of the columns that begin an entry, and of numbers and lengths in it. */
const overhead = 64;

/** The most code units of an email address, wherever one is entered. */
export const addressLengthMax = 320;

/** Ids, hashes, tokens and words of ours. */
const short = 128;
const isOurs =
  /(?:^|_)(?:id|hash|token|by|key)$|^(?:action|actor|cause|claim_token|commitment|counts_for|day|event|file|former_owner|identifier|kind|name|recipient|room|sign_up_slot|state|value|version)$/;

/** A code unit has up to three bytes in UTF-8, and in small letters up to one and a half as many units: İ has two. */
const letters = (lengthMax: number) => lengthMax * 3;

/** Texts that come from outside, by `table.column`: the bytes that their entries may bring. */
export const outerTexts = {
  "address_move.old_email": letters(addressLengthMax),
  "admission.email": letters(addressLengthMax),
  "instance_invitation.email": letters(addressLengthMax),
  "invitation.email": letters(addressLengthMax),
  "person.email": letters(addressLengthMax),
  // A name has 100 code units.
  "form.name_key": letters(150),
  "organization.name": letters(150),
  // The organization's id, a name of a host and a port.
  "delivery_queue.destination": 512,
  "identity.issuer": 1024,
  "identity.subject": 255,
  // 1,023 bytes in base64url.
  "passkey.credential_id": 1364,
} as const satisfies Readonly<Record<string, number>>;

/** The most bytes of a text that is in an index, by `table.column`; `undefined` for one of which nothing is known. */
export function findIndexedBytesMax(column: string): number | undefined {
  const outer: Readonly<Record<string, number>> = outerTexts;
  return outer[column] ?? (isOurs.test(column.slice(column.indexOf(".") + 1)) ? short : undefined);
}

/** Whether an entry with texts of so many bytes is stored by either database. */
export function fitsIndex(bytes: readonly number[]): boolean {
  return bytes.reduce((sum, one) => sum + one, overhead) <= indexRowBytesMax;
}

/** The column for which PostgreSQL can't hold a row of SQLite: its longest text that is in an index and above its bound, or one with U+0000. */
export function findUnstorableColumn(table: string, row: Readonly<Record<string, unknown>>): string | undefined {
  const texts = Object.entries(row).flatMap(([column, value]) =>
    typeof value === "string" ? [{ column, value, bytes: Buffer.byteLength(value) }] : [],
  );
  const withNull = texts.find(({ value }) => value.includes("\u0000"));
  const tooLong = texts.filter(({ column, bytes }) => bytes > (findIndexedBytesMax(`${table}.${column}`) ?? Infinity));
  return (withNull ?? tooLong.toSorted((one, other) => other.bytes - one.bytes)[0])?.column;
}
