import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../packages/server/src/config/config.ts";
import { startService } from "../packages/server/src/service.ts";
import { systemClock } from "../packages/server/src/time/clock.ts";

/** The OpenAPI 3.1 document, made from the routes of a service that runs for as long as this takes. */
export async function createOpenApiDocument(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-openapi-"));
  try {
    const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
    const service = await startService({ config, clock: systemClock });
    const document = service.app.swagger();
    await service.stop();
    return document;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
