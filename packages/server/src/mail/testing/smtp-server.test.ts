import assert from "node:assert/strict";
import { test } from "node:test";
import { startSmtpServer } from "./smtp-server.ts";

test("a wait for an email that does not come ends with an error that says what was awaited", async (t) => {
  const smtp = await startSmtpServer(t, { waitMilliseconds: 1 });
  await assert.rejects(smtp.next("the notice of new keys"), {
    message: "Waited 0.001 s for the notice of new keys, and none came (0 came before, after 0 connections)",
  });
});
