/** The usual name of an export: `sealpost-contact-form-2026-01-31.csv`. `at` is milliseconds since the Unix epoch. */
export function exportFileName(
  formName: string,
  at: number,
  format: "csv" | "tsv" | "xlsx" | "json" | "ndjson" | "sealed.ndjson" | "zip",
): string {
  return `sealpost-${fileNameWords(formName)}-${new Date(at).toISOString().slice(0, 10)}.${format}`;
}

/**
 * A name that a stranger gave a file, as one to save it under: no folder, nothing invisible or that turns the direction of a text,
 * nothing that a shell, Windows or a hidden file begins with, at most 80 characters and a short ending.
 */
export function cleanFileName(name: string): string {
  const visible = name.normalize("NFC").replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu, "");
  const flat = visible.replace(/[\\/:*?"<>|]/g, "_").replace(/\s+/g, " ");
  const plain = trimEnd(flat.replace(/^[ .~-]+/, ""));
  const ending = /(?<=.)\.[^. ]{1,10}$/u.exec(plain)?.[0] ?? "";
  const stem = [...plain.slice(0, plain.length - ending.length)].slice(0, 80).join("").trimEnd();
  const isReserved = /^(?:con|prn|aux|nul|com\d|lpt\d) *(?:\.|$)/i.test(stem);
  return `${isReserved ? "_" : ""}${stem || "file"}${ending}`;
}

/** Without the spaces and dots at the end, which Windows drops. No expression: one takes long for many spaces before something else. */
function trimEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === " " || name[end - 1] === ".") end--;
  return name.slice(0, end);
}

/** Lower-case letters, digits and hyphens, at most 40, whatever the form is called: no file system and no shell minds them. */
export function fileNameWords(formName: string): string {
  const plain = formName.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "-").slice(0, 40);
  return words.replace(/^-|-$/g, "") || "form";
}
