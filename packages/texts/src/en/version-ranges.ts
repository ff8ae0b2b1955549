/** Ascending versions as texts: three and more in a row are "2 to 33". */
export function toRanges(versions: readonly number[]): readonly string[] {
  const rows: number[][] = [];
  for (const version of versions) {
    const row = rows.at(-1);
    if (row?.at(-1) === version - 1) row.push(version);
    else rows.push([version]);
  }
  return rows.flatMap((row) => (row.length < 3 ? row.map(String) : [`${row[0]} to ${row.at(-1)}`]));
}
