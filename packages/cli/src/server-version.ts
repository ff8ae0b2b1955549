import { ApiError } from "@sealpost/sdk";
import { UnexpectedAnswerError } from "./answer-guard.ts";
import { printable } from "./printable.ts";
import { isOlder, isVersion } from "./verify/version-order.ts";

/** Its document has half a megabyte; a proxy may answer with anything. */
const documentBytesMax = 16 * 1024 * 1024;
const askMilliseconds = 10_000;
/** Refusals of what the server does not know: an address, a method, a member or a parameter. */
const ofUnknown = ["address_not_found", "method_not_allowed", "unknown_query_parameter", "api_key_unknown_member"];

/** A sentence on which is older, the server or this program (`own`), for an error that this may explain. Asks the server for it. */
export async function explainVersions(
  error: unknown,
  { baseUrl }: { readonly baseUrl?: string },
  own: string,
): Promise<string | undefined> {
  if (baseUrl === undefined || !mayBeOfVersions(error)) return undefined;
  const version = await findServerVersion(baseUrl);
  const isRefusal = error instanceof ApiError;
  if (version === undefined) return isRefusal ? undefined : "The server does not say which version it is.";
  const server = `The server is Sealpost ${printable(version)}`;
  if (isOlder(version, own))
    return `${server}, older than this program (${own}): upgrade the server, or use the program of its version.`;
  if (isOlder(own, version)) return `${server}, newer than this program (${own}): upgrade this program.`;
  return isRefusal ? undefined : `${server}, as this program is (${own}): does a proxy change its answers?`;
}

function mayBeOfVersions(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return true;
  if (error instanceof ApiError)
    return (
      // One that is no success may be from anywhere: a redirect, a proxy.
      (error.code === "unexpected_answer" && error.status === 200) ||
      ofUnknown.includes(error.reason ?? "") ||
      Object.values(error.detailCodes ?? {}).includes("field_unknown")
    );
  return isOfEngine(error);
}

/** An error of JavaScript itself: a value of an answer is of another kind than this program expects. */
export function isOfEngine(error: unknown): boolean {
  const ofEngine =
    /^(Cannot (read|convert|destructure|set) |Invalid (time|array|count) |.* is not (iterable|a function))/;
  return (error instanceof TypeError || error instanceof RangeError) && ofEngine.test(error.message);
}

/** The version in the document that every server has had, so also an older one says it. `undefined` where it can't be asked. */
async function findServerVersion(baseUrl: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(askMilliseconds);
    const response = await fetch(`${baseUrl}/api/openapi.json`, { redirect: "manual", signal });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > documentBytesMax) return undefined;
    }
    const version: unknown = Object(Object(JSON.parse(text)).info).version;
    return typeof version === "string" && isVersion(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
