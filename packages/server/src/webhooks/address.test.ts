import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAddressRule } from "./address.ts";
import corpus from "./address-corpus.json" with { type: "json" };
import { createCheckWebhookUrl, createFindTarget, type Resolve } from "./webhook-target.ts";
import { hostOf, parseWebhookUrl, resolveRedirect } from "./webhook-url.ts";

const isAllowed = createAddressRule([]);
const never = new AbortController().signal;
const unasked: Resolve = async (name) => assert.fail(`nobody should ask for ${name}`);
/** No name is resolved here: only the URL itself is checked. */
const findTarget = createFindTarget([], unasked);

const check = createCheckWebhookUrl(findTarget);

async function isRefused(text: string): Promise<boolean> {
  return !(await check(text)).ok;
}

describe("the corpus of hosts", () => {
  for (const [group, { verdict, values }] of Object.entries(corpus.hosts)) {
    test(`${group}: ${verdict}`, async () => {
      for (const host of values) assert.equal(await isRefused(`https://${host}/`), verdict === "refuse", host);
    });
    test(`${group}: ${verdict} in a redirect`, async () => {
      for (const host of values) {
        const target = resolveRedirect("https://receiver.example/hook", `https://${host}/`);
        assert.equal(target === undefined || (await isRefused(target)), verdict === "refuse", host);
      }
    });
  }
});

test("the first and the last address of every special IPv4 network are refused", async () => {
  for (const cidr of corpus.refusedIpv4Ranges) {
    const [address = "", bits = ""] = cidr.split("/");
    const first = address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
    const last = first + 2 ** (32 - Number(bits)) - 1;
    for (const number of [first, last]) {
      const text = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
      assert.equal(isAllowed(text), false, text);
      assert.equal(await isRefused(`https://${number}/`), true, `${number}`);
    }
  }
});

test("whole URLs that hide where they lead, or are not HTTPS, are refused", async () => {
  for (const text of corpus.refusedUrls) assert.equal(await isRefused(text), true, JSON.stringify(text));
});

test("a URL of 2,048 characters is the longest", () => {
  const base = "https://example.com/";
  assert.ok(parseWebhookUrl(base + "a".repeat(2048 - base.length)) instanceof URL);
  assert.equal(parseWebhookUrl(base + "a".repeat(2049 - base.length)), "Must be at most 2048 characters");
  assert.equal(parseWebhookUrl(base + "ü".repeat(1000)), "Must be at most 2048 characters");
  assert.equal(resolveRedirect(base, `/${"a".repeat(20_000)}`), undefined);
});

test("names that resolve to something private are refused, whatever they look like", async () => {
  for (const private_ of ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd00:ec2::254"]) {
    const find = createFindTarget([], async () => [private_]);
    for (const name of corpus.namesThatResolveToPrivate)
      assert.equal((await createCheckWebhookUrl(find)(`https://${name}/`)).ok, false, name);
  }
});

test("one forbidden address among public ones refuses them all", async () => {
  for (const mixed of [
    ["1.1.1.1", "10.0.0.1"],
    ["1.1.1.1", "::1"],
    ["2606:4700::1", "127.0.0.1", "1.1.1.1"],
  ]) {
    const find = createFindTarget([], async () => mixed);
    assert.deepEqual(await find(new URL("https://mixed.example/"), never), { kind: "forbidden" });
  }
});

test("a name without an answer is accepted at save, and connected to never", async () => {
  const failing: Resolve = () => Promise.reject(new Error("SERVFAIL"));
  for (const resolve of [failing, async () => []]) {
    const find = createFindTarget([], resolve);
    const url = new URL("https://not-yet.example/");
    assert.deepEqual(await createCheckWebhookUrl(find)("https://not-yet.example"), {
      ok: true,
      url: "https://not-yet.example",
    });
    assert.deepEqual(await find(url, never), { kind: "unresolved" });
  }
});

test("a resolver that never answers and ignores its signal holds nobody beyond the deadline", async () => {
  const find = createFindTarget([], () => new Promise(() => {}));
  assert.equal((await createCheckWebhookUrl(find, 5)("https://silent.example/")).ok, true);
});

test("what a name server answers that is no address is refused", async () => {
  for (const text of ["", "127.1", "1", "0x7f.1", "fe80::1%eth0", "::ffff:127.0.0.1", "example.com"]) {
    const find = createFindTarget([], async () => [text]);
    assert.deepEqual(await find(new URL("https://odd.example/"), never), { kind: "forbidden" }, text);
  }
});

describe("networks that the operator opened", () => {
  test("opened networks open exactly their own family", () => {
    const rule = createAddressRule([{ address: "127.0.0.0", bits: 8 }]);
    assert.equal(rule("127.255.255.255"), true);
    for (const closed of ["128.0.0.0.1", "126.255.255.255.1", "::1", "::ffff:127.0.0.1", "10.0.0.1"])
      assert.equal(rule(closed), false, closed);
  });
  test("opened networks match to the bit", () => {
    const rule = createAddressRule([
      { address: "10.1.2.0", bits: 23 },
      { address: "fd00::", bits: 9 },
      { address: "10.9.9.9", bits: 32 },
    ]);
    for (const open of ["10.1.2.0", "10.1.3.255", "fd00::1", "fd7f:ffff::", "10.9.9.9"])
      assert.equal(rule(open), true, open);
    for (const closed of ["10.1.1.255", "10.1.4.0", "fd80::", "10.9.9.8"]) assert.equal(rule(closed), false, closed);
  });
  test("an opened network of 0 bits opens a whole family", () => {
    const rule = createAddressRule([{ address: "0.0.0.0", bits: 0 }]);
    assert.equal(rule("127.0.0.1"), true);
    assert.equal(rule("::1"), false);
  });
  test("localhost needs both of its addresses opened", async () => {
    const v4 = { address: "127.0.0.0", bits: 8 };
    const v6 = { address: "::1", bits: 128 };
    const url = new URL("https://localhost:8443/");
    assert.equal((await createFindTarget([v4], unasked)(url, never)).kind, "forbidden");
    assert.equal((await createFindTarget([v4, v6], unasked)(url, never)).kind, "addresses");
  });
  test("NAT64 carries an IPv4 address that is still checked by itself", () => {
    const nat64 = { address: "64:ff9b::", bits: 96 };
    assert.equal(createAddressRule([nat64])("64:ff9b::808:808"), true);
    assert.equal(createAddressRule([nat64])("64:ff9b::7f00:1"), false);
    assert.equal(createAddressRule([{ address: "::", bits: 0 }])("64:ff9b::a9fe:a9fe"), false);
    assert.equal(createAddressRule([nat64, { address: "10.0.0.0", bits: 8 }])("64:ff9b::a00:1"), true);
  });
});

test("redirects resolve against the URL that was asked", () => {
  for (const [location, target] of Object.entries<string>(corpus.followedLocations))
    assert.equal(resolveRedirect("https://receiver.example/hook", location), target);
});

test("redirects that are not plain HTTPS, or lead to this machine, are not followed", async () => {
  for (const location of [undefined, ...corpus.refusedLocations]) {
    const target = resolveRedirect("https://receiver.example/hook", location);
    assert.ok(target === undefined || (await isRefused(target)), String(location));
  }
});

test("the key of a host's limit is host and port in lower case", () => {
  assert.equal(hostOf(new URL("https://Receiver.Example/x")), "receiver.example:443");
  assert.equal(hostOf(new URL("https://receiver.example../x")), "receiver.example:443");
  assert.equal(hostOf(new URL("https://[::1]:8443/x")), "[::1]:8443");
  assert.equal(hostOf(new URL("https://receiver.example:8443/x")), "receiver.example:8443");
});
