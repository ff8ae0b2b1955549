import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { chooseEncoding, type Encoding } from "../http/choose-encoding.ts";
import { corsHeaders, installCors } from "../http/cors.ts";
import { answerUnchanged, isUnchanged } from "../http/preconditions.ts";
import type { OwnAddress } from "../instance/own-address.ts";

const url = "/api/openapi.json";

/** The document, in the encodings that were asked for so far. */
interface Made {
  readonly baseUrl: string;
  readonly etag: string;
  readonly encoded: Map<Encoding, Promise<Uint8Array>>;
  readonly plain: Uint8Array;
}

const compress: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  // In the thread pool, once: a quality with which half a megabyte takes some 20 ms.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * `/api/openapi.json`: half a megabyte that is made at the first request and stays the same while the service runs. It says nothing that
 * the documentation does not say, so pages of any origin may read it: editors and generators on other sites load it from here.
 */
export function createDocumentRoutes({ address }: { readonly address: OwnAddress }) {
  return async (app: FastifyInstance): Promise<void> => {
    let made: Made | undefined;
    installCors(app, [{ url, methods: "GET" }]);
    app.route({
      method: "GET",
      url,
      config: { access: "public" },
      schema: { hide: true },
      handler: async (request, reply) => {
        const baseUrl = address.baseUrl();
        if (made?.baseUrl !== baseUrl) made = make(app.swagger(), baseUrl);
        reply.headers({
          // Weak: one for all encodings.
          etag: `W/${made.etag}`,
          "cache-control": "no-cache",
          "access-control-expose-headers": `${corsHeaders["access-control-expose-headers"]}, ETag`,
          vary: "accept-encoding",
        });
        if (isUnchanged(request, made.etag)) return answerUnchanged(reply);
        const encoding = chooseEncoding(request, ["br", "gzip"]);
        if (encoding !== undefined) reply.header("content-encoding", encoding);
        return reply.type("application/json; charset=utf-8").send(await encode(made, encoding));
      },
    });
  };
}

function make(document: object, baseUrl: string): Made {
  const servers = [{ url: baseUrl, description: "This instance." }];
  const plain = Buffer.from(JSON.stringify({ ...document, servers }));
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { baseUrl, etag, plain, encoded: new Map() };
}

async function encode({ plain, encoded }: Made, encoding: Encoding | undefined): Promise<Uint8Array> {
  if (encoding === undefined) return plain;
  const known = encoded.get(encoding) ?? compress[encoding](plain);
  encoded.set(encoding, known);
  return known;
}
