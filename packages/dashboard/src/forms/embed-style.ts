import { encodeBase64 } from "@sealpost/wire";
import { queryOptions } from "@tanstack/react-query";

/** The stylesheet that a page may use, by the name that stays, and the integrity of its bytes. */
export interface EmbedStyle {
  readonly path: string;
  readonly integrity: string;
}

/** `null` when this server has none to offer, or does not say under which name it stays. */
export const embedStyleQuery = queryOptions({
  queryKey: ["embed-style"],
  queryFn: async ({ signal }): Promise<EmbedStyle | null> => {
    const answer = await fetch("/embed/sealpost.css", { signal });
    const path = answer.headers.get("content-location") ?? "";
    if (!answer.ok || !/^\/embed\/[\w.-]+\.css$/.test(path)) return null;
    const digest = await crypto.subtle.digest("SHA-384", await answer.arrayBuffer());
    return { path, integrity: `sha384-${encodeBase64(new Uint8Array(digest))}` };
  },
});
