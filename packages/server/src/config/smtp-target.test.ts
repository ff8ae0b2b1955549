import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMailbox, parseSmtpUrl } from "./smtp-target.ts";

test("a mail server's URL says where, how and as whom, and TLS is left out only where it says so", () => {
  const login = { user: "me@example.com", password: "p:w/d" };
  const rows = [
    ["smtp://mail.example.com", { host: "mail.example.com", port: 587, tls: "starttls", login: undefined }],
    ["smtps://mail.example.com", { host: "mail.example.com", port: 465, tls: "implicit", login: undefined }],
    [
      "smtp://me%40example.com:p%3Aw%2Fd@mail.example.com:25/",
      { host: "mail.example.com", port: 25, tls: "starttls", login },
    ],
    ["smtp://localhost:1025?tls=off", { host: "localhost", port: 1025, tls: "off", login: undefined }],
    ["smtp://[::1]:1025", { host: "::1", port: 1025, tls: "starttls", login: undefined }],
    ...[
      ...[
        "mail.example.com",
        "http://mail.example.com",
        "smtp://",
        "smtp://mail.example.com/path",
        "smtp://user@mail.example.com",
      ],
      ...[
        "smtps://mail.example.com?tls=off",
        "smtp://mail.example.com?tls=on",
        "smtp://mail.example.com?x=1",
        "smtp://a:%zz@b",
      ],
      "smtp://mail.example.com#x",
    ].map((text) => [text, undefined] as const),
  ] as const;
  for (const [text, target] of rows) assert.deepEqual(parseSmtpUrl(text), target, text);
});

test("a sender is one address, with a name or without, and nothing that could be a header", () => {
  const rows = [
    ["forms@example.com", { name: "", address: "forms@example.com" }],
    ["Forms of Zoë <forms@mail.example.com>", { name: "Forms of Zoë", address: "forms@mail.example.com" }],
    ...[
      ...["forms", "@example.com", "a@b@c", "a@b, c@d", "Forms <a@b> <c@d>", "Forms\r\nBcc: x@y <a@b>", "<a b@c>"],
      ...['"Forms" <a@b>', "a@-b", "a@b-", ""],
    ].map((text) => [text, undefined] as const),
  ] as const;
  for (const [text, mailbox] of rows) assert.deepEqual(parseMailbox(text), mailbox, text);
});
