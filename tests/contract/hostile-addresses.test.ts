import assert from "node:assert/strict";
import { test } from "node:test";
import { readOidcSettings } from "../../packages/server/src/config/oidc-settings.ts";
import { createForm, silentWebhooks } from "../../packages/server/src/forms/testing/test-form.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { resolveRedirect } from "../../packages/server/src/webhooks/webhook-url.ts";
import { type Document, listPlaces } from "./member-places.ts";
import { listDocumentOperations } from "./operations.ts";

/** Not seen, turning the text around it, or read in two ways. */
const hidden = [
  ...["\u0000", "\t", "\n", "\r", " ", "\u007f", "\u0085", "\u009f", "\u00a0", "\u00ad", "\u034f", "\u061c", "\u115f"],
  ...["\u180e", "\u2003", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2066"],
  ...["\u2069", "\u3000", "\u3164", "\ufe0f", "\ufeff", "\ufff9", "\u{e0061}", "\ud800", "\\"],
];
/** Hosts that look like hooks.example.com, or are it in another writing. */
const lookalikes = [
  "hооks.example.com",
  "hooks.exаmple.com",
  "ｈooks.example.com",
  "hooks。example.com",
  "hooks.ex%61mple.com",
];

const hostile = [
  ...hidden.flatMap((character) => [
    `https://hooks.example.com/in${character}`,
    `https://hooks.example.com/a${character}b`,
    `https://ho${character}oks.example.com/`,
    `https://hooks.example.com${character}@evil.example/`,
  ]),
  ...lookalikes.flatMap((host) => [`https://${host}`, `https://${host}:8443/in?a=b#c`, `HTTPS://${host}/`]),
];

/** Whether it shows where it leads: a host as browsers write it, and nothing that is hidden. */
function shows(text: string): boolean {
  const written = /^https:\/+([^/?#]*)/i.exec(text)?.[1]?.toLowerCase() ?? "";
  const { host, port } = new URL(text.replace("://*.", "://"));
  const isPlain = [host, `*.${host}`, `${host}:${port || 443}`].includes(written);
  return isPlain && !hidden.some((character) => text.includes(character));
}

/** Every entry of addresses, with the address that it stores or shows: `undefined` where it refuses it. */
async function createEntries(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp();
  const allowedOrigins = ["https://hooks.example.com"];
  const formId = await createForm(owner, { encryption: false, allowedOrigins });
  const path = `/api/forms/${formId}`;
  const other: string = (await owner.request("POST", "/api/organizations", { name: "Another" })).body.organization.id;
  let names = 0;
  const change = (name: string) => async (given: unknown) => {
    const { status, body } = await owner.request("PATCH", path, { settings: { [name]: given } });
    assert.ok(status === 200 || (status === 400 && body.error === "bad_request"), JSON.stringify(body));
    if (status === 400 && name === "webhookUrl") assert.equal(body.details.webhookUrl, "Must be a valid HTTPS URL");
    return status === 200 ? (await owner.request("GET", path)).body.form.settings[name] : undefined;
  };
  const create = (name: string) => async (given: unknown) => {
    names += 1;
    const settings = { encryption: false, [name]: given };
    const { status, body } = await owner.request("POST", "/api/forms", { name: `Form ${names}`, settings });
    return status === 200 ? body.form.settings[name] : undefined;
  };
  const first = (list: unknown) => (list === undefined ? undefined : Object(list)[0]);
  const entries: Readonly<Record<string, (address: string) => Promise<string | undefined>>> = {
    "createForm settings.webhookUrl": create("webhookUrl"),
    "updateForm settings.webhookUrl": change("webhookUrl"),
    "createForm settings.allowedOrigins.0": async (address) => first(await create("allowedOrigins")([address])),
    "updateForm settings.allowedOrigins.0": async (address) => first(await change("allowedOrigins")([address])),
    "handOverForm webhook.url": async (address) => {
      const webhook = { url: address, secret: "kept" };
      const { status, body } = await owner.request("POST", `${path}/hand-over`, { organizationId: other, webhook });
      assert.ok(status === 409 || status === 400, `it is compared with the form's, which is another: ${status}`);
      const shown: string | undefined = /sends to (.*?),/.exec(body.message)?.[1];
      return shown && `https://${shown}`;
    },
    "the issuer of SEALPOST_OIDC_ISSUER": async (address) =>
      readOidcSettings({
        read: ((name: string, other: unknown, parse: (text: string) => unknown) =>
          name === "SEALPOST_OIDC_ISSUER" ? parse(address) : other) as never, // as the configuration does it
        isSet: () => true,
        errors: [],
      })?.issuer,
    "a redirect of a receiver": async (address) => resolveRedirect("https://receiver.example/hook", address),
    "_next of a form without scripts": async (address) => {
      const { headers } = await fetch(`${service.url}/f/${formId}`, {
        method: "POST",
        redirect: "manual",
        headers: { origin: "https://hooks.example.com" },
        body: new URLSearchParams({ a: "b", _next: address }),
      });
      const location = headers.get("location") ?? "";
      return location.startsWith("/f/") ? undefined : location;
    },
  };
  return { service, entries };
}

test("each entry of an address refuses what does not show where it leads, or shows its host in ASCII", async (t) => {
  const { service, entries } = await createEntries(t);
  const document = service.app.swagger() as unknown as Document; // the shape of OpenAPI 3.1
  const taken = listDocumentOperations(document).flatMap(({ operationId, path, method }) => {
    const { requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const schema = requestBody?.content["application/json"]?.schema;
    const places = schema === undefined ? [] : listPlaces(document, schema).map((place) => place.join("."));
    return places
      .filter((place) => /(url|uri|link|origins|issuer|href)(\.0)?$/i.test(place))
      .map((place) => `${operationId} ${place}`);
  });
  const missing = taken.filter((place) => !(place in entries) && !(`${place}.0` in entries));
  assert.deepEqual(missing, [], "an entry of addresses: hold it to this test");
  const misled: string[] = [];
  for (const [entry, take] of Object.entries(entries))
    for (const address of hostile) {
      const shown = await take(address);
      if (shown !== undefined && !shows(shown))
        misled.push(`${entry}: ${JSON.stringify(address)} as ${JSON.stringify(shown)}`);
    }
  assert.deepEqual(misled, []);
});

test("an address that shows where it leads is kept byte for byte", async (t) => {
  const { entries } = await createEntries(t);
  for (const address of [
    "https://hooks.example.com",
    "HTTPS://Hooks.Example.com:443/in/../a?b=%C3%A4#c",
    "https://hooks.example.com/für?ü=ö",
    "https://xn--bcher-kva.example/",
    "https://my_host.example/",
  ])
    assert.equal(await entries["updateForm settings.webhookUrl"]?.(address), address);
  assert.equal(
    await entries["updateForm settings.webhookUrl"]?.("https://Bücher.example:8443/für#é"),
    "https://xn--bcher-kva.example:8443/für#é",
  );
});
