import { test } from "node:test";
import { checkCompose } from "../../deploy/check/compose.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";

test("the compose files name what is there, bound each container, and have the service believe its proxy alone", (t) =>
  checkCompose(createTemporaryFolder(t)));
