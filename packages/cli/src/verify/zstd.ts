import * as zlib from "node:zlib";

/** Decompresses Zstandard, which browsers ask for too; `undefined` in Node.js before 22.15. */
export const createZstd: typeof zlib.createZstdDecompress | undefined = zlib.createZstdDecompress;
