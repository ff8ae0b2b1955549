import { ApiError } from "./api-error.ts";
import { received } from "./connection-error.ts";

/** The most bytes of an answer, after decompression. The clients of every language have the same. */
export const answerBytesMax = 256 * 1024 * 1024;
/**
 * The most UTF-16 units of one line of a stream: more than twice the largest submission, which has 1 MiB, in base64. The clients of every
 * language have the same limit, of bytes.
 */
export const lineLengthMax = 4 * 1024 * 1024;
/** The most bytes of a refusal that are read: a sentence and a few fields. */
export const errorBytesMax = 1024 * 1024;

/**
 * The body of an answer. Throws an `ApiError` (`unexpected_answer`) for one with more than `bytesMax`: a megabyte of gzip may
 * hold a thousand of them, and a proxy may answer instead of the instance.
 */
export async function readBytes(response: Response, bytesMax = answerBytesMax): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (reader !== undefined)
    try {
      for (let chunk = await received(reader.read()); !chunk.done; chunk = await received(reader.read())) {
        length += chunk.value.length;
        if (length > bytesMax) throw tooLarge(response);
        chunks.push(chunk.value);
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** The same as text. What is not UTF-8 becomes U+FFFD, as by `Response.text`. */
export async function readText(response: Response, bytesMax = answerBytesMax): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, bytesMax));
}

export function tooLarge({ status, headers }: Response): ApiError {
  const requestId = headers.get("x-request-id") ?? undefined;
  return new ApiError("The server's answer is too large to be one of Sealpost's", {
    ...{ status, requestId },
    code: "unexpected_answer",
  });
}
