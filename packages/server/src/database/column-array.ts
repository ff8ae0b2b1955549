/** The types that a column's values are sent as; PostgreSQL makes integers of four bytes from ours of eight on its own. */
export type ColumnType = "text" | "bigint" | "bytea";

/** Object ids of the element types (PostgreSQL, pg_type.dat). */
const elementIds = { bytea: 17, bigint: 20, text: 25 } as const satisfies Record<ColumnType, number>;

const headerBytes = 20;
const bigintBytes = 8;
const nullLength = -1;

/** Columns of a statement by name. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** Lines of such columns as SQL, one parameter for each column, to select from: `unnest($1::text[], …)`. */
export function printColumns(columns: Columns): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(", ")})`;
}

/** The parameters of `printColumns`. The values of a row are in the order of the columns. */
export function encodeColumns(columns: Columns, rows: readonly (readonly unknown[])[]): Buffer[] {
  return Object.values(columns).map((type, index) =>
    encodeColumn(
      type,
      rows.map((row) => row[index]),
    ),
  );
}

/**
 * The values of one column as a PostgreSQL array of one dimension in its binary form (PostgreSQL, `array_send` in
 * src/backend/utils/adt/arrayfuncs.c): a statement takes any number of rows with as many parameters as there are columns, and bytes
 * pass unchanged. `bigint` takes numbers, `text` texts, `bytea` bytes; all take null.
 */
export function encodeColumn(type: ColumnType, values: readonly unknown[]): Buffer {
  const sizes = values.map((value) => sizeOf(type, value));
  const elementBytes = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 0);
  const array = Buffer.allocUnsafe(headerBytes + elementBytes);
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(sizes.includes(nullLength) ? 1 : 0, 4);
  array.writeInt32BE(elementIds[type], 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let offset = headerBytes;
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? nullLength;
    offset = array.writeInt32BE(size, offset);
    if (typeof value === "string") array.write(value, offset);
    else if (typeof value === "number") array.writeBigInt64BE(BigInt(value), offset);
    else if (value instanceof Uint8Array) array.set(value, offset);
    offset += Math.max(size, 0);
  }
  return array;
}

function sizeOf(type: ColumnType, value: unknown): number {
  if (value === null || value === undefined) return nullLength;
  if (type === "bigint" && typeof value === "number") return bigintBytes;
  if (type === "text" && typeof value === "string") return Buffer.byteLength(value);
  if (type === "bytea" && value instanceof Uint8Array) return value.length;
  throw new TypeError(`A column of the type ${type} cannot hold a ${typeof value}`);
}
