import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { startTestProvider } from "../oidc/testing/test-provider.ts";
import { systemClock } from "../time/clock.ts";
import { checkIdentityProvider } from "./check-identity-provider.ts";

test("doctor says what is wrong with the way to the identity provider, and what to do", async (t) => {
  const provider = await startTestProvider(t);
  const examine = async (environment: Readonly<Record<string, string>> = {}, ahead = 0) => {
    const config = parseConfig({ ...provider.environment, ...environment });
    const findings = await checkIdentityProvider(config, { now: () => systemClock.now() + ahead });
    return findings.map(
      (finding) => `${finding.level}: ${finding.message}${"remedy" in finding ? `; ${finding.remedy}` : ""}`,
    );
  };
  assert.deepEqual(await checkIdentityProvider(parseConfig({}), systemClock), []);
  assert.match((await examine())[0] ?? "", /^problem: http:\S+ does not answer .*503.*; Look whether it runs/);
  await provider.admit("http://localhost:8080");
  const [fine, plain, ...rest] = await examine();
  assert.match(fine ?? "", /^ok: .* must be http:\/\/localhost:8080\/api\/auth\/oidc\/callback$/);
  assert.match(plain ?? "", /^warning: .* without TLS/);
  assert.deepEqual(rest, []);
  assert.match((await examine({}, 3_600_000))[1] ?? "", /^problem: Our clock is 3[56]\d\d seconds too fast/);
  assert.match((await examine({}, -3_600_000))[1] ?? "", /^problem: Our clock is 3[56]\d\d seconds too slow/);
  const wrong = { SEALPOST_OIDC_CLIENT_SECRET: "wrong" };
  assert.match((await examine(wrong))[0] ?? "", /\(invalid_client\); Correct SEALPOST_OIDC_CLIENT_ID/);
  const spelt = { SEALPOST_OIDC_ISSUER: `${provider.issuer}/realms/house` };
  assert.match((await examine(spelt))[0] ?? "", /answers 404.*; Correct SEALPOST_OIDC_ISSUER/);
  const slashed = { SEALPOST_OIDC_ISSUER: `${provider.issuer}/` };
  assert.match((await examine(slashed))[0] ?? "", /calls itself http:\S+, not .*; Set SEALPOST_OIDC_ISSUER/);
  const closed = { SEALPOST_OIDC_ISSUER: "http://127.0.0.1:9" };
  assert.match((await examine(closed))[0] ?? "", /does not answer/);
});
