import { hasNativeX25519 } from "@sealpost/vault";
import { queryOptions } from "@tanstack/react-query";

/**
 * Whether this browser can keep a form's keys so that nobody reads them out. Of a hybrid key that needs X25519 keys which reach the
 * database: WebKitGTK 2.50 makes null of them, and the key is then in the page's memory alone.
 */
export const canKeepKeys = (isHybrid: boolean) =>
  queryOptions({
    queryKey: ["can-keep-keys", isHybrid],
    queryFn: async () => !isHybrid || (await hasNativeX25519()),
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: "always",
  });
