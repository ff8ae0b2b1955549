/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY (sqlite.org/rescode.html); PostgreSQL says 23505. */
const uniqueViolations: readonly unknown[] = [2067, 1555, "23505"];

/** Whether a write was refused because another row has the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return uniqueViolations.includes(error.errcode);
  return "code" in error && uniqueViolations.includes(error.code);
}
