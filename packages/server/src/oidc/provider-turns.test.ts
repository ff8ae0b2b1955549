import assert from "node:assert/strict";
import { test } from "node:test";
import { onEither } from "../testing/test-database.ts";
import { createProviderTurns, perMinuteMax, perMinuteOfKnown } from "./provider-turns.ts";
import { OidcRefusal } from "./refusal.ts";
import { createSignInBench, outcomeOf } from "./testing/sign-in-bench.ts";

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "asked";
  } catch (error) {
    assert.ok(error instanceof OidcRefusal, String(error));
    return error.code;
  }
}

test(
  "strangers have the provider asked a bounded number of times a minute, of which a part is for networks that had none",
  onEither,
  async () => {
    let now = 0;
    let asked = 0;
    const turns = createProviderTurns({ now: () => now });
    const ask = (ip: string) => outcome(() => turns.run(ip, async () => void asked++));
    for (const networks of [1, 5]) {
      now += 60_000;
      asked = 0;
      for (let index = 0; index < 1000; index++)
        await ask(`2001:db8:${index % networks}:${(index % 256).toString(16)}::1`);
      assert.equal(asked, perMinuteOfKnown);
      for (let index = asked; index < perMinuteMax; index++)
        assert.equal(await ask(`203.0.${index}.7`), "asked", "a newcomer");
      assert.equal(await ask("198.51.100.7"), "busy");
      assert.equal(asked, perMinuteMax);
    }
    now += 60_000;
    assert.equal(await ask("2001:db8::1"), "asked", "of the next minute");
  },
);

test(
  "somebody who comes back with made-up codes again and again has the provider asked no more than the bound, and others sign in",
  onEither,
  async (t) => {
    const environment = { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32" };
    const { provider, service, openBrowser } = await createSignInBench(t, environment);
    let asked = 0;
    provider.intercept = (request) => {
      if (request.method === "POST" && request.url?.startsWith("/token")) asked += 1;
      return false;
    };
    const answer = { code: "made-up", iss: provider.issuer };
    const outcomes = new Map<string, number>();
    for (let index = 0; index < perMinuteOfKnown + 20; index++) {
      const browser = openBrowser();
      const { body } = await browser.post("/api/auth/oidc/sign-in");
      const state = new URL(body.url).searchParams.get("state") ?? "";
      const end = outcomeOf(
        await browser.go(`${service.url}/api/auth/oidc/callback?${new URLSearchParams({ ...answer, state })}`),
      );
      outcomes.set(end, (outcomes.get(end) ?? 0) + 1);
    }
    assert.deepEqual([asked, outcomes.get("busy")], [perMinuteOfKnown, 20]);
    // From another network.
    const browser = openBrowser();
    const own = await browser.fetchAnswer();
    const headers = { cookie: browser.cookiesOf(service.url), "x-forwarded-for": "198.51.100.7" };
    const came = await fetch(own, { headers, redirect: "manual" });
    assert.notEqual(new URL(came.headers.get("location") ?? "", service.url).searchParams.get("oidc"), "busy");
    assert.equal(asked, perMinuteOfKnown + 1);
  },
);
