/**
 * The URL of a request for the API or a form's address, without a slash at the end of its path: it means the same (contract,
 * section 4.1). Pages keep theirs, which decides where their links lead.
 */
export function withoutLastSlash(url: string): string {
  if (!url.startsWith("/api/") && !url.startsWith("/f/")) return url;
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith("/") ? `${path.slice(0, -1)}${url.slice(path.length)}` : url;
}
