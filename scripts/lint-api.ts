/** A step of `npm run check`: Redocly's rules (redocly.yaml) over the OpenAPI document that a service shows. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenApiDocument } from "./openapi-document.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "sealpost-api-"));
try {
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(await createOpenApiDocument(), null, 2));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules", "@redocly", "cli", "bin", "cli.js"),
      "lint",
      "--config",
      join(root, "redocly.yaml"),
      "--max-problems=50",
      file,
    ],
    // It asks the internet for news of itself otherwise.
    { encoding: "utf8", env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  const said = stdout + stderr;
  if (status !== 0 || /\b(warning|error)s?\b/i.test(said)) {
    console.error(said);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
