import { encodeBase64 } from "@sealpost/wire";
import { queryOptions } from "@tanstack/react-query";

/** A file that pages may use, by the name that stays, and the integrity of its bytes. */
export interface EmbedFile {
  readonly path: string;
  readonly integrity: string;
}

/** `null` when this server has none to offer, or does not say under which name it stays. */
const embedFileQuery = (newest: string) =>
  queryOptions({
    queryKey: ["embed-file", newest],
    queryFn: async ({ signal }): Promise<EmbedFile | null> => {
      const answer = await fetch(`/embed/${newest}`, { signal });
      const path = answer.headers.get("content-location") ?? "";
      if (!answer.ok || !/^\/embed\/[\w.-]+\.(css|js)$/.test(path)) return null;
      const digest = await crypto.subtle.digest("SHA-384", await answer.arrayBuffer());
      return { path, integrity: `sha384-${encodeBase64(new Uint8Array(digest))}` };
    },
  });

export const embedStyleQuery = embedFileQuery("sealpost.css");

/** The script of pages that pin a key log. */
export const keyLogScriptQuery = embedFileQuery("sealpost-key-log.js");
