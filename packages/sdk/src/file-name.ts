/** The usual name of an export: `sealpost-contact-form-2026-01-31.csv`. `at` is milliseconds since the Unix epoch. */
export function exportFileName(
  formName: string,
  at: number,
  format: "csv" | "json" | "ndjson" | "sealed.ndjson" | "zip",
): string {
  return `sealpost-${fileNameWords(formName)}-${new Date(at).toISOString().slice(0, 10)}.${format}`;
}

/** Lower-case letters, digits and hyphens, at most 40, whatever the form is called: no file system and no shell minds them. */
export function fileNameWords(formName: string): string {
  const plain = formName.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "-").slice(0, 40);
  return words.replace(/^-|-$/g, "") || "form";
}
