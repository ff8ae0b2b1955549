import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { checkConfig } from "./check-config.ts";

test("settings that leave rate limits or sealing without effect are problems", () => {
  const problems = (environment: Record<string, string>) =>
    checkConfig(parseConfig(environment)).flatMap((finding) =>
      finding.level === "problem" ? [`${finding.check}: ${finding.message}`] : [],
    );
  const assertOnly = (found: readonly string[], expected: RegExp) => {
    assert.equal(found.length, 1, found.join());
    assert.match(found[0] ?? "", expected);
  };
  const https = { SEALPOST_BASE_URL: "https://forms.example.com" };
  const proxies = (networks: string) => ({ ...https, SEALPOST_TRUSTED_PROXIES: networks });
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems(proxies("127.0.0.1/32")), []);
  assert.deepEqual(problems({ ...proxies("172.16.0.0/12"), SEALPOST_HOST: "0.0.0.0" }), []);
  assertOnly(
    problems({ SEALPOST_HOST: "0.0.0.0" }),
    /^configuration: The service listens on 0\.0\.0\.0, .* say localhost/,
  );
  assertOnly(problems({ SEALPOST_BASE_URL: "http://forms.example.com" }), /is not HTTPS: browsers seal nothing/);
  assertOnly(problems(https), /^proxy: .* SEALPOST_TRUSTED_PROXIES is empty/);
  assertOnly(problems(proxies("10.0.0.0/8")), /^proxy: The service listens on 127\.0\.0\.1, where only/);
});
