/**
 * `npm run release`: builds everything that others install into `release/`: a tarball for each package, the opener, the list of
 * what an instance serves, the bill of materials, checksums, and their signature if `SEALPOST_RELEASE_KEY` holds a private key (Ed25519, PEM). The same sources give the same bytes.
 */
import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { checksumsFile, signatureFile } from "../packages/cli/src/verify/signature.ts";
import { buildDashboard, dashboardFolder } from "../packages/dashboard/build.ts";
import { openerFile } from "../packages/dashboard/build-opener.ts";
import { buildModule } from "../packages/embed/build.ts";
import { buildService } from "../packages/server/build.ts";
import { buildDocumentation, documentationFile } from "./documentation/build.ts";
import { createBillOfMaterials } from "./release/bill-of-materials.ts";
import { createChecksums } from "./release/checksums.ts";
import { packClients } from "./release/clients.ts";
import { compile } from "./release/compile.ts";
import { pack, packVectors } from "./release/pack.ts";
import { type Package, packages, root, version } from "./release/packages.ts";
import { createServedList } from "./release/served-list.ts";
import { signChecksums } from "./release/signature.ts";

const target = join(root, "release");
const key = process.env.SEALPOST_RELEASE_KEY;
const stage = mkdtempSync(join(tmpdir(), "sealpost-release-"));
try {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const modules = await buildModule();
  await buildDashboard();
  await buildDocumentation();
  const service = await buildService();
  const served = createServedList();
  // Not released, but the embed's declarations are compiled against those of its texts.
  await compile({ folder: "texts", kind: "embed" });
  for (const one of packages) {
    if (one.kind !== "service") await compile(one);
    if (one.folder === "cli") writeFileSync(join(root, "packages", "cli", "dist", "served.txt"), served);
    await pack(one, listBuilt(one), join(stage, one.folder), target);
  }
  await packVectors(join(stage, "vectors"), target);
  const skipped = await packClients(stage, target);
  if (key !== undefined && skipped.length > 0)
    throw new Error(`A signed release has every package. ${skipped.join("; ")}`);
  writeFileSync(join(target, `sealpost-${version}.cdx.json`), createBillOfMaterials());
  writeFileSync(join(target, `sealpost-${version}-served.txt`), served);
  copyFileSync(join(dashboardFolder, openerFile), join(target, openerFile));
  const checksums = createChecksums(target);
  writeFileSync(join(target, checksumsFile), checksums);
  if (key !== undefined) writeFileSync(join(target, signatureFile), signChecksums(Buffer.from(checksums), key));
  console.log(
    `${checksums}${skipped.map((sentence) => `${sentence}\n`).join("")}${key === undefined ? "unsigned build" : "signed"}: ${relative(process.cwd(), target)}`,
  );

  function listBuilt({ folder, kind }: Package): readonly string[] {
    if (kind === "service") return [...service, basename(documentationFile)];
    const dist = join(root, "packages", folder, "dist");
    return kind === "embed"
      ? [...globSync("**/*.d.ts", { cwd: dist }), ...modules]
      : globSync("**/*.{js,d.ts,txt}", { cwd: dist });
  }
} finally {
  rmSync(stage, { recursive: true, force: true });
}
