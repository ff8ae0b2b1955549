import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, parseConfig } from "./config.ts";

function errorsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.errors;
  }
  return [];
}

test("nothing needs to be configured", () => {
  assert.deepEqual(parseConfig({}), {
    host: "127.0.0.1",
    port: 8080,
    baseUrl: undefined,
    dataFolder: "./data",
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    secrets: undefined,
    signUp: "first",
    defaultPlan: "free",
    hasQuotas: false,
    webhookAllowNetworks: [],
    trustedProxies: [],
    submitRate: 60,
    apiRate: 600,
    diskFreeMin: undefined,
    storageMax: undefined,
    metricsToken: undefined,
    securityContacts: undefined,
    mail: undefined,
    sessionLimits: { idleMilliseconds: 7 * 86_400_000, maxMilliseconds: Number.POSITIVE_INFINITY },
    oidc: undefined,
    auditLogDays: 365,
    deliveryLogDays: 30,
    drainSeconds: 0,
    logLevel: "info",
  });
});

test("all errors are reported together, each by its variable's name", () => {
  const errors = errorsOf({
    SEALPOST_HOST: "not a host",
    SEALPOST_PORT: "65536",
    SEALPOST_BASE_URL: "https://forms.example.com/path",
    SEALPOST_SECRET: "short",
    SEALPOST_SIGNUP: "maybe",
    SEALPOST_DEFAULT_PLAN: "gold",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.1/8",
    SEALPOST_TRUSTED_PROXIES: "proxy.example.com",
    SEALPOST_SUBMIT_RATE: "-1",
    SEALPOST_API_RATE: "many",
    SEALPOST_SESSION_IDLE_MINUTES: "9",
    SEALPOST_SESSION_MAX_HOURS: "forever",
    SEALPOST_DRAIN_SECONDS: "301",
    SEALPOST_LOG_LEVEL: "loud",
    SEALPOST_PROT: "8080",
  });
  assert.equal(errors.length, 15);
  for (const name of [
    "HOST",
    "PORT",
    "BASE_URL",
    "SECRET",
    "SIGNUP",
    "DEFAULT_PLAN",
    "WEBHOOK_ALLOW_NETWORKS",
    "TRUSTED_PROXIES",
    "SUBMIT_RATE",
    "API_RATE",
    "SESSION_IDLE_MINUTES",
    "SESSION_MAX_HOURS",
    "DRAIN_SECONDS",
    "LOG_LEVEL",
    "PROT",
  ]) {
    assert.equal(errors.filter((issue) => issue.startsWith(`SEALPOST_${name} `)).length, 1, name);
  }
});

test("quotas hold where strangers may sign up, or as the operator says", () => {
  const hasQuotas = (environment: Record<string, string>) => parseConfig(environment).hasQuotas;
  assert.equal(hasQuotas({ SEALPOST_SIGNUP: "closed" }), false);
  assert.equal(hasQuotas({ SEALPOST_SIGNUP: "open" }), true);
  assert.equal(hasQuotas({ SEALPOST_SIGNUP: "open", SEALPOST_QUOTAS: "off" }), false);
  assert.equal(hasQuotas({ SEALPOST_QUOTAS: "on" }), true);
});

test("sizes are bytes, or KiB, MiB, GiB, TiB", () => {
  const sizes = ["0", "4096", "500MiB", "2 gib", "1t"].map(
    (text) => parseConfig({ SEALPOST_DISK_FREE_MIN: text }).diskFreeMin,
  );
  assert.deepEqual(sizes, [0, 4096, 500 * 1_048_576, 2 * 1_073_741_824, 1024 ** 4]);
  for (const text of ["1.5GiB", "-1", "many", "1GiBs", "999999999999999TiB"])
    assert.equal(errorsOf({ SEALPOST_DISK_FREE_MIN: text }).length, 1, text);
  assert.equal(errorsOf({ SEALPOST_STORAGE_MAX: "0" }).length, 1, "nothing would fit");
  assert.equal(errorsOf({ SEALPOST_STORAGE_MAX: "1GiB" }).length, 1, "it is for PostgreSQL");
});

test("an invalid secret is not repeated in the message", () => {
  assert.doesNotMatch(errorsOf({ SEALPOST_SECRET: "hunter2" }).join(), /hunter2/);
});

test("a database's URL that cannot be written to is refused, and no message has its password", () => {
  const secret = Buffer.alloc(32).toString("base64");
  for (const name of ["SEALPOST_DATABASE_URL", "SEALPOST_DATABASE_DIRECT_URL"]) {
    const url = "postgres://sealpost:hunter2@a,b/name?target_session_attrs=standby";
    const errors = errorsOf({ SEALPOST_DATABASE_URL: "postgres://a/name", SEALPOST_SECRET: secret, [name]: url });
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? "", new RegExp(`^${name} must be .*target_session_attrs`));
    assert.doesNotMatch(errors[0] ?? "", /hunter2/);
  }
  assert.match(errorsOf({ SEALPOST_DATABASE_DIRECT_URL: "postgres://a/name" })[0] ?? "", /needs SEALPOST_DATABASE_URL/);
});

test("the base URL is an origin: without path, query, user or another scheme", () => {
  assert.equal(parseConfig({ SEALPOST_BASE_URL: "https://Forms.example.com/" }).baseUrl, "https://forms.example.com");
  for (const text of [
    "forms.example.com",
    "ftp://example.com",
    "https://a@example.com",
    "https://example.com/?a",
    "https://example.com/#a",
    "https://example.com/a",
  ]) {
    assert.equal(errorsOf({ SEALPOST_BASE_URL: text }).length, 1, text);
  }
});

test("networks are lists of exact CIDRs, IPv4 and IPv6", () => {
  assert.deepEqual(parseConfig({ SEALPOST_TRUSTED_PROXIES: "10.0.0.0/8, ::1/128" }).trustedProxies, [
    { address: "10.0.0.0", bits: 8 },
    { address: "::1", bits: 128 },
  ]);
  for (const text of ["10.0.0.0", "10.0.0.0/33", "10/8", "::1/129", "10.0.0.0/8,", "0x7f.0.0.1/8", "010.0.0.0/8"]) {
    assert.equal(errorsOf({ SEALPOST_TRUSTED_PROXIES: text }).length, 1, text);
  }
});

test("everybody is no proxy: networks that are all addresses together are refused, with what to write in their place", () => {
  const slashEights = Array.from({ length: 256 }, (_, index) => `${index}.0.0.0/8`);
  const refused = {
    IPv4: ["0.0.0.0/0", "10.0.0.0/0", "0.0.0.0/1, 128.0.0.0/1", "::ffff:0:0/96", "::ffff:0.0.0.0/97,128.0.0.0/1"],
    IPv6: ["::/0", "127.0.0.1/32, ::/0", "8000::/1,::/1", "2000::/3", "2000::/4,127.0.0.1/32,3000::/4"],
    "IPv4 and IPv6": ["0.0.0.0/0,::/0", `::/1,${slashEights.join()}`],
  };
  for (const [which, texts] of Object.entries(refused)) {
    for (const text of texts) {
      const [issue = "", ...others] = errorsOf({ SEALPOST_TRUSTED_PROXIES: text });
      assert.ok(issue.startsWith(`SEALPOST_TRUSTED_PROXIES trusts every ${which} address: `), `${text}: ${issue}`);
      assert.match(issue, /Name only .+, like 127\.0\.0\.1\/32$/);
      assert.deepEqual(others, []);
    }
  }
  const mostOfIpv6 = Array.from({ length: 125 }, (_, index) => `${flipBit(index + 3)}/${index + 4}`).join();
  const accepted = [
    "0.0.0.0/1,128.0.0.0/2,0.0.0.0/1",
    "::/3,4000::/2,8000::/1,2000::/4",
    slashEights.slice(1).join(),
    mostOfIpv6,
  ];
  for (const text of accepted)
    assert.ok(parseConfig({ SEALPOST_TRUSTED_PROXIES: text }).trustedProxies.length > 0, text);
  assert.equal(
    errorsOf({ SEALPOST_TRUSTED_PROXIES: `${mostOfIpv6},2000::/128` }).length,
    1,
    "with the one that is left",
  );
});

/** If all of these are combined, from the one of bit 3 on, only 2000:: itself is left out. */
function flipBit(bit: number): string {
  const address = (0x2000n << 112n) ^ (1n << BigInt(127 - bit));
  return address
    .toString(16)
    .padStart(32, "0")
    .replace(/....(?=.)/g, "$&:");
}

test("an empty variable counts as not set", () => {
  assert.equal(parseConfig({ SEALPOST_PORT: " ", SEALPOST_HOST: "" }).port, 8080);
});

test("email needs a server and a sender, and no message contains their password", () => {
  const url = "smtp://forms:canary@mail.example.com";
  const { mail } = parseConfig({ SEALPOST_SMTP_URL: url, SEALPOST_MAIL_FROM: "Forms <forms@example.com>" });
  assert.deepEqual(mail?.from, { name: "Forms", address: "forms@example.com" });
  assert.equal(mail?.target.host, "mail.example.com");
  const together = "SEALPOST_SMTP_URL and SEALPOST_MAIL_FROM must be set together";
  assert.deepEqual(errorsOf({ SEALPOST_SMTP_URL: url }), [together]);
  assert.deepEqual(errorsOf({ SEALPOST_MAIL_FROM: "forms@example.com" }), [together]);
  const errors = errorsOf({
    SEALPOST_SMTP_URL: `${url}/canary`,
    SEALPOST_MAIL_FROM: "forms",
    SEALPOST_DELIVERY_LOG_DAYS: "0",
  });
  assert.equal(errors.length, 3);
  assert.doesNotMatch(errors.join(), /canary/);
});

test("an identity provider is set up whole or not at all, over HTTPS, and its secret is in no message", () => {
  const whole = {
    SEALPOST_OIDC_ISSUER: "https://id.example.org/realms/house",
    SEALPOST_OIDC_CLIENT_ID: "sealpost",
    SEALPOST_OIDC_CLIENT_SECRET: "canary",
  };
  assert.deepEqual(parseConfig(whole).oidc, {
    issuer: "https://id.example.org/realms/house",
    clientId: "sealpost",
    clientSecret: "canary",
    name: "id.example.org",
    scopes: "openid email profile",
    groupsClaim: "groups",
    allowedGroups: undefined,
    guestOrganizations: [],
    secondFactor: "never",
    trustsEmail: false,
    sessionHours: 12,
    signsOut: false,
  });
  const groups = parseConfig({ ...whole, SEALPOST_OIDC_ALLOWED_GROUPS: "/council, board" }).oidc?.allowedGroups;
  assert.deepEqual(groups, ["/council", "board"]);
  for (const name of Object.keys(whole)) assert.equal(errorsOf({ ...whole, [name]: "" }).length, 1, name);
  for (const [name, value] of [
    ["ISSUER", "http://id.example.org"],
    ["ISSUER", "id.example.org"],
    ["ISSUER", "https://id.example.org/.well-known/openid-configuration"],
    ["SCOPES", "email profile"],
    ["ALLOWED_GROUPS", "council,,board"],
    ["GUEST_ORGANIZATIONS", "the house"],
    ["SECOND_FACTOR", "yes"],
    ["TRUST_EMAIL", "yes"],
    ["SESSION_HOURS", "0"],
    ["SESSION_HOURS", "169"],
    ["SIGN_OUT", "1"],
    ["CLIENT_SECRET", "canary\u0007"],
  ] as const) {
    const errors = errorsOf({ ...whole, [`SEALPOST_OIDC_${name}`]: value });
    assert.equal(errors.length, 1, `${name} ${value}`);
    assert.doesNotMatch(errors[0] ?? "", /canary/);
  }
});
