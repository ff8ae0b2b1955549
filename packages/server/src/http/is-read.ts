/** HEAD is a GET whose answer has no body: whatever is decided by the method is decided alike for both (RFC 9110, section 9.3.2). */
export function isRead({ method }: { readonly method: string }): boolean {
  return method === "GET" || method === "HEAD";
}
