import type { Bytes } from "./bytes.ts";

type Info = readonly [info: Bytes, length: number];

/** HKDF-SHA256 (RFC 5869): for each `info` as many bytes as it asks for. */
export async function hkdf<Infos extends readonly Info[]>(
  material: Bytes,
  salt: Bytes,
  ...infos: Infos
): Promise<{ readonly [Index in keyof Infos]: ArrayBuffer }> {
  const key = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits"]);
  const derive = ([info, length]: Info) =>
    crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, length * 8);
  // One for each: TypeScript does not know it of `map`.
  return Promise.all(infos.map(derive)) as Promise<{ readonly [Index in keyof Infos]: ArrayBuffer }>;
}
