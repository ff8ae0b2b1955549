import type { FastifyRequest } from "fastify";

export type Encoding = "br" | "gzip";

/**
 * The smallest encoding that is offered and the client takes (RFC 9110 section 12.5.3); `undefined` if it names neither, or gives it the
 * weight 0.
 */
export function chooseEncoding<Offered extends Encoding>(
  { headers }: Pick<FastifyRequest, "headers">,
  offered: readonly Offered[],
): Offered | undefined {
  const taken = (headers["accept-encoding"] ?? "")
    .toString()
    .toLowerCase()
    .split(",")
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(";")[0]?.trim());
  return offered.find((encoding) => taken.includes(encoding));
}
