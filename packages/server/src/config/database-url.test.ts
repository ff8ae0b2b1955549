import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDatabaseUrl } from "./database-url.ts";

const urlsOf = (text: string) => parseDatabaseUrl(text)?.hosts.map(({ url }) => url);
const namesOf = (text: string) => parseDatabaseUrl(text)?.hosts.map(({ name }) => name);

test("a URL of one host is unchanged, wherever its host is in it", () => {
  for (const url of [
    "postgres://db/name",
    "postgres://sealpost:p%40ss@db.example.com:6432/name?sslmode=verify-full",
    "postgresql://sealpost:a,b@[2001:db8::1]:5433/name",
    "postgres:///name?host=/var/run/postgresql",
    "postgres://sealpost@%2Fvar%2Frun%2Fpostgresql/name",
  ]) {
    assert.deepEqual(urlsOf(url), [url]);
    assert.equal(parseDatabaseUrl(url)?.wantsPrimary, false);
  }
});

test("several hosts have their own ports, and user, database and settings in common", () => {
  const url = "postgres://sealpost:p%2Css@a:5433,[2001:db8::1],b.example.com/name?sslmode=verify-full";
  assert.deepEqual(urlsOf(url), [
    "postgres://sealpost:p%2Css@a:5433/name?sslmode=verify-full",
    "postgres://sealpost:p%2Css@[2001:db8::1]/name?sslmode=verify-full",
    "postgres://sealpost:p%2Css@b.example.com/name?sslmode=verify-full",
  ]);
  assert.deepEqual(namesOf(url), ["a:5433", "[2001:db8::1]:5432", "b.example.com:5432"]);
  assert.equal(parseDatabaseUrl(url)?.wantsPrimary, true);
  assert.deepEqual(namesOf("postgres://a,a:5432,b/name"), ["a:5432", "b:5432"], "the same host twice is one");
});

test("target_session_attrs asks for a server that accepts writes, and only for one", () => {
  for (const value of ["read-write", "primary"]) {
    const url = parseDatabaseUrl(`postgres://a/name?connect_timeout=3&target_session_attrs=${value}`);
    assert.deepEqual(
      url?.hosts.map((host) => host.url),
      ["postgres://a/name?connect_timeout=3"],
    );
    assert.equal(url.wantsPrimary, true);
  }
  for (const value of ["any", "read-only", "standby", "prefer-standby", "writable", ""])
    assert.equal(parseDatabaseUrl(`postgres://a,b/name?target_session_attrs=${value}`), undefined, value);
});

test("a text that is not a URL of PostgreSQL, or has an empty or malformed host, is refused", () => {
  for (const url of [
    ...["", "a", "mysql://a/name", "http://a/name", "postgres:a,b"],
    ...["postgres://a,/name", "postgres://,b/name", "postgres://a,,b/name", "postgres://a:port,b/name"],
    ...["postgres://a:123456,b/name", "postgres://a b/name", "postgres://[::1,b/name", "postgres:///name?host=a,b"],
  ])
    assert.equal(parseDatabaseUrl(url), undefined, url);
});
