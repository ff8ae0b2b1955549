/**
 * What was typed here to sign in, as a code that nothing can be read from: its key can't be exported, and both end with the page. So that a
 * passphrase which is the password is noticed where both are typed, and nothing is kept or sent for it.
 */
let seen: Promise<{ readonly key: CryptoKey; readonly code: ArrayBuffer }> | undefined;

const algorithm = { name: "HMAC", hash: "SHA-256" };

export function noteSignInPassword(password: string): void {
  seen = (async () => {
    const key = await crypto.subtle.generateKey({ ...algorithm, length: 256 }, false, ["sign", "verify"]);
    return { key, code: await crypto.subtle.sign(algorithm, key, toBytes(password)) };
  })();
  seen.catch(() => undefined); // where there is no WebCrypto, there is no passphrase either
}

/** Whether somebody has signed in on this page with a password that is like this. */
export async function wasSignInPassword(secret: string): Promise<boolean> {
  const noted = await seen?.catch(() => undefined);
  return noted !== undefined && crypto.subtle.verify(algorithm, noted.key, noted.code, toBytes(secret));
}

/** Whether two secrets are the same, or would be for somebody who tries spellings: capitals, spaces, widths of letters. */
export function isAlike(one: string, other: string): boolean {
  return toCompare(one) === toCompare(other);
}

function toCompare(secret: string): string {
  return secret.normalize("NFKC").toLowerCase().replace(/\s/g, "").normalize("NFC");
}

function toBytes(secret: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(toCompare(secret));
}
