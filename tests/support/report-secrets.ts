/**
 * Runs in every page before its own scripts, and reports what its person alone may have: words and sheets that are shown, the secret part of links,
 * what passkeys give, and 32 random bytes, which are drawn for keys and for nothing else. It may use nothing from outside of itself.
 */
export function reportSecrets(): void {
  // The page's own realm: `noteSecret` is a binding of the test.
  const { noteSecret } = globalThis as unknown as { noteSecret(kind: string, value: string): void };
  const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const noted = new Set<string>();
  const note = (kind: string, value: string) => {
    if (value === "" || noted.has(kind + value)) return;
    noted.add(kind + value);
    noteSecret(kind, value);
  };

  const draw = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (array) => {
    const drawn = draw(array);
    if (drawn instanceof Uint8Array && drawn.length === 32) note("bytes", toHex(drawn));
    return drawn;
  };
  if (typeof PublicKeyCredential !== "undefined") {
    const read = PublicKeyCredential.prototype.getClientExtensionResults;
    PublicKeyCredential.prototype.getClientExtensionResults = function (this: PublicKeyCredential) {
      const results = read.call(this);
      for (const secret of [results.prf?.results?.first, results.prf?.results?.second])
        if (secret instanceof ArrayBuffer) note("bytes", toHex(new Uint8Array(secret)));
      return results;
    };
  }

  const textsOf = (list: Element) => Array.from(list.querySelectorAll("li"), (item) => (item.textContent ?? "").trim());
  const look = () => {
    for (const list of document.querySelectorAll("[data-testid=words]")) note("words", textsOf(list).join(" "));
    for (const list of document.querySelectorAll("[data-testid=sheet-lines]")) note("sheets", textsOf(list).join("\n"));
    for (const code of document.querySelectorAll("pre, code"))
      note("links", /\/join#[^.]+\.([^.]+)\./.exec(code.textContent ?? "")?.[1] ?? "");
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}
