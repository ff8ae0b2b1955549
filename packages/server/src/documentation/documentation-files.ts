import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export const documentationFile = fileURLToPath(new URL("../../dist/documentation.json", import.meta.url));

export interface DocumentationFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Absent where it would not be smaller. */
  readonly gzipped: Uint8Array | undefined;
  /** The SHA-256 of the one style element of a picture or page. */
  readonly styleHash: string | undefined;
}

export interface Documentation {
  find(address: string): DocumentationFile | undefined;
}

/**
 * The built site (`npm run build`): one file, read at the first request, since most starts of a service show no page of it.
 * That there is one is looked at now.
 */
export function loadDocumentation(file: string): Documentation {
  if (!existsSync(file))
    throw new Error("The documentation is not built. Run npm run build (npm start does it by itself)");
  let files: ReadonlyMap<string, unknown> | undefined;
  const found = new Map<string, DocumentationFile>();
  return {
    find(address) {
      files ??= new Map(Object.entries(readObject(file)));
      const known = found.get(address);
      if (known !== undefined || !files.has(address)) return known;
      const parsed = parseFile(files.get(address));
      found.set(address, parsed);
      return parsed;
    },
  };
}

function readObject(file: string): object {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof value !== "object" || value === null) throw broken();
  return value;
}

function parseFile(value: unknown): DocumentationFile {
  if (typeof value !== "object" || value === null) throw broken();
  const read = (name: string): string | undefined => {
    const member: unknown = (value as Record<string, unknown>)[name]; // any object can be asked for a member
    return typeof member === "string" ? member : undefined;
  };
  const [contentType, text, base64] = [read("contentType"), read("text"), read("base64")];
  if (contentType === undefined) throw broken();
  const bytes = text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
  const gzipped = text === undefined ? undefined : gzipSync(bytes);
  return { contentType, bytes, gzipped, styleHash: read("styleHash") };
}

function broken(): Error {
  return new Error("The built documentation is broken. Run npm run build");
}
