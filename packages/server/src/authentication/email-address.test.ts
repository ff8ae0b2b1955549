import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAddress } from "../mail/recipient.ts";
import { readPerson } from "../oidc/claims.ts";
import { createTestService } from "../testing/test-service.ts";
import { hasSharedLetter, lowerAddress } from "./email-address.ts";

/** All that have another letter as a small or a capital one. */
const letters = Array.from({ length: 0x11_00_00 }, (_, point) => point)
  .filter((point) => point < 0xd8_00 || point > 0xdf_ff)
  .map((point) => String.fromCodePoint(point))
  .filter((letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter);

/** Every reader of addresses that come from outside: what it makes of one, or `undefined` where it takes none. */
const readers = {
  "what somebody enters": parseAddress,
  "what an identity provider says": (email: string) =>
    readPerson({ sub: "subject", email }, {}, { groupsClaim: "groups", trustsEmail: true }).email,
};

for (const [what, read] of Object.entries(readers))
  test(`an address becomes no other than its own in small letters, whatever letter it has: ${what}`, () => {
    const kept = Map.groupBy(letters, (letter) => read(`v${letter}w@mailbox.example`));
    // Addresses that somebody enters are in ASCII, as they sign in with them.
    assert.ok(kept.size > (read === parseAddress ? 25 : 1_000), "a control");
    for (const [address, from] of kept) {
      if (address === undefined) continue;
      const [small = "", ...others] = from.toSorted((one) => (address.includes(one) ? -1 : 1));
      assert.ok(address.includes(small) || from.length === 1, address);
      for (const other of others) assert.equal(other, small.toUpperCase(), address);
    }
    for (const letter of letters.filter(hasSharedLetter)) {
      assert.equal(read(`${letter}@mailbox.example`), undefined);
      assert.equal(read(`v@${letter}.example`), undefined);
    }
  });

test("nobody signs in, resets a password or is found by an address with a letter that only shares its small one", async (t) => {
  const service = await createTestService(t);
  const borrowed = letters.filter((letter) => hasSharedLetter(letter) && /^[a-z]/.test(letter.toLowerCase()));
  assert.ok(borrowed.includes("\u212a"), "the Kelvin sign");
  for (const letter of borrowed) {
    const email = `${letter.toLowerCase().slice(0, 1)}elly@example.com`;
    await service.signUp(email);
    const body = { email: email.replace(/^./, letter), password: "correct horse battery" };
    assert.equal(lowerAddress(body.email), body.email);
    const { status } = await service.request("POST", "/api/auth/sign-in/email", { body });
    assert.ok(status >= 400 && status < 500, `${letter}: ${status}`);
  }
});

/** Parts of addresses on both sides of what one may be. */
const locals = [
  "v",
  "v.w",
  "v+a",
  "o'neil",
  "_v",
  "v-",
  "-v",
  "v'",
  ".v",
  "v.",
  "v..w",
  "v&w",
  "v!",
  "v/w",
  "v=w",
  "jürgen",
];
const domains = [
  "x.example",
  "x",
  "x-y.example",
  "-x.example",
  "x.e",
  "x.42",
  "x.xn--p1ai",
  "xn--p1ai.example",
  "bücher.example",
  "x..example",
];
const lengths = [`${"v".repeat(64)}@x.example`, `v@${"x.".repeat(122)}example`, `v@${"x.".repeat(123)}example`];

test("every address that can be invited, or moved to, can sign up", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_SIGNUP: "open" } });
  const owner = await service.signUp("owner@example.com");
  const cases = [
    ...locals.flatMap((local) => domains.slice(0, 1).map((domain) => `${local}@${domain}`)),
    ...domains.map((domain) => `v2@${domain}`),
    ...lengths,
  ];
  const found = { taken: 0, refused: 0 };
  for (const email of cases) {
    const invited = await owner.request("POST", "/api/invitations", { email, role: "auditor" });
    const moved = await owner.request("POST", "/api/account/address", { email });
    const signedUp = await service.request("POST", "/api/auth/sign-up/email", {
      body: { email, name: "Somebody", password: "correct horse battery" },
    });
    const answers = `${email.slice(0, 40)} (${email.length}): ${invited.status}, ${moved.status}, ${signedUp.status}`;
    assert.ok([200, 400].includes(invited.status), answers);
    if (invited.status === 200) assert.equal(signedUp.status, 200, answers);
    // Without a mail server nothing is moved; what is no address is said first.
    assert.equal(moved.status === 400, invited.status === 400, answers);
    found[invited.status === 200 ? "taken" : "refused"] += 1;
  }
  assert.ok(found.taken >= 8 && found.refused >= 8, "control: there are both");
});

/** Where the server writes texts in small letters, or in another form, that are no addresses, or count them alone. */
const others: Readonly<Record<string, string>> = {
  "api-document/headers.ts": "names of headers",
  "api-reference/reference-page.ts": "the end of a link",
  "authentication/account-input.ts": "passwords",
  "authentication/email-address.ts": "the function itself",
  "backup/backup-file.ts": "names of types",
  "config/config-values.ts": "units",
  "config/oidc-settings.ts": "the host of an issuer",
  "database/baseline/organizations.ts": "names of organizations",
  "database/lower-case.ts": "names, for the order of a list",
  "database/sqlite.ts": "the same",
  "forms/form.ts": "names of forms",
  "html-forms/multipart.ts": "names of parameters of a header",
  "http/choose-encoding.ts": "a header",
  "http/host.ts": "a header",
  "mail/recipient.ts": "mailboxes, which are counted together",
  "operators/instance-store.ts": "a search",
  "rate-limits/rate-limits.ts": "sign-ins, which are counted together",
};

test("no address is written in small letters by anything but the one function", () => {
  const sources = join(import.meta.dirname, "..");
  const found = globSync("**/*.ts", { cwd: sources })
    .filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file))
    .filter((file) =>
      /toLowerCase|toLocaleLowerCase|\.normalize\(|\blower\(/.test(readFileSync(join(sources, file), "utf8")),
    );
  assert.deepEqual(found.map((file) => file.replaceAll("\\", "/")).toSorted(), Object.keys(others).toSorted());
});
