import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findSecrets, type Secret } from "./find-secrets.ts";

/** Secret members of keys, as identity and key files have them. */
const secretForms: Readonly<Record<string, RegExp>> = {
  "an identity": /(AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+)/g,
  "a seed": /"(?:signingSeed|seed)"\s*:\s*"([\w-]{43})"/g,
  "a private key": /"(?:d|p|q|dp|dq|qi|priv)"\s*:\s*"([\w-]{40,})"/g,
};

/** The secrets that are in the files of a folder, at every depth. */
export function readSecrets(folder: string): readonly Secret[] {
  return listFiles(folder).flatMap((path) => secretsIn(readFileSync(path, "utf8")));
}

function secretsIn(text: string): readonly Secret[] {
  return Object.entries(secretForms).flatMap(([what, form]) =>
    [...text.matchAll(form)].flatMap(([, value = ""]) => {
      // The numbers of an RSA key have hundreds of characters: a part of each is enough.
      const part = value.slice(0, 64);
      return [
        { what, value: part },
        { what, value: Buffer.from(part, "base64url").subarray(0, 24) },
      ];
    }),
  );
}

/**
 * Which secrets of a folder's key and identity files are in texts, or in what a program remembers in the folder: its settings, and files of heads. Nothing but the
 * key files may have them.
 */
export function findLeaked(folder: string, texts: readonly string[]): readonly string[] {
  const kept = listFiles(folder).filter((path) => path.includes("/config/") || /heads?\.json$/.test(path));
  const all = [...texts.map((text) => Buffer.from(text)), ...kept.map((path) => readFileSync(path))];
  return findSecrets(readSecrets(folder), all);
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
