import assert from "node:assert/strict";
import { test } from "node:test";
import { toClientNetwork } from "./client-address.ts";

test("an IPv4 address is one client, however it is written", () => {
  const network = toClientNetwork("203.0.113.7");
  assert.equal(toClientNetwork("::ffff:203.0.113.7"), network);
  assert.equal(toClientNetwork("::ffff:cb00:7107"), network);
  assert.notEqual(toClientNetwork("203.0.113.8"), network);
});

test("all addresses of an IPv6 /64 are one client, and the next /64 is another", () => {
  const network = toClientNetwork("2001:db8:1:2::");
  assert.equal(toClientNetwork("2001:db8:1:2:ffff:ffff:ffff:ffff"), network);
  assert.equal(toClientNetwork("2001:0DB8:0001:0002::1"), network);
  assert.notEqual(toClientNetwork("2001:db8:1:3::"), network);
  assert.notEqual(toClientNetwork("2001:db8:1:1:ffff:ffff:ffff:ffff"), network);
});

test("an IPv4 address that was translated into IPv6 is that client, and no other translated one", () => {
  for (const text of ["64:ff9b::203.0.113.7", "64:ff9b::cb00:7107", "::ffff:203.0.113.7", "::ffff:0:203.0.113.7"]) {
    assert.equal(toClientNetwork(text), toClientNetwork("203.0.113.7"), text);
    assert.notEqual(
      toClientNetwork(text.replace(/113\.7$|7107$/, (end) => (end === "7107" ? "7108" : "113.8"))),
      toClientNetwork(text),
    );
  }
  // RFC 6052 gives the /96 alone to everybody.
  assert.notEqual(toClientNetwork("64:ff9b:1::203.0.113.7"), toClientNetwork("203.0.113.7"));
});

test("an interface name does not make another client", () => {
  assert.equal(toClientNetwork("fe80::1%eth0"), toClientNetwork("fe80::1%eth1"));
});

test("a port and brackets make no other client", () => {
  for (const [address = "", ...spellings] of [
    ["203.0.113.7", "203.0.113.7:1", "203.0.113.7:65535", "[203.0.113.7]", " 203.0.113.7"],
    ["2001:db8:1:2::7", "[2001:db8:1:2::7]", "[2001:db8:1:2::7]:40001", "[2001:db8:1:2::8]:2"],
    ["fe80::1", "[fe80::1%eth0]:443"],
    ["203.0.113.7", "[::ffff:203.0.113.7]:80"],
  ])
    for (const text of spellings) assert.equal(toClientNetwork(text), toClientNetwork(address), text);
});

test("all text that is no address is one client", () => {
  const texts = [
    "unknown",
    "_hidden-1",
    "for=203.0.113.7",
    "203.0.113.7:1:2",
    "203.0.113",
    "0x7f.1",
    "3405803783",
    "a.example",
    "",
  ];
  assert.deepEqual([...new Set(texts.map(toClientNetwork))], ["unknown"]);
});
