import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { root, version } from "./packages.ts";

/** The members of `npm sbom`'s output that are changed here. */
interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string; version: string } };
}

/**
 * CycloneDX: every package that ends up in something that is released, the dashboard's included. Without the moment, the random
 * number and the folder's name that npm puts in, so that the same sources give the same bytes.
 */
export function createBillOfMaterials(): string {
  // Not of all workspaces: some below `tests` are there for other versions of libraries, and have no version themselves.
  const released = globSync("packages/*", { cwd: root })
    .toSorted()
    .map((folder) => `--workspace=${folder}`);
  const output = execFileSync(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--omit=dev", "--include-workspace-root", ...released],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 26,
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const bill = JSON.parse(output) as Bill; // npm's own
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  Object.assign(bill.metadata.component, { name: "sealpost", version });
  return `${JSON.stringify(bill, null, 2)}\n`;
}
