import { relative } from "node:path";
import { buildDashboard, dashboardFolder } from "../packages/dashboard/build.ts";
import { browserFolder, buildEmbed, buildModule } from "../packages/embed/build.ts";
import { buildService, serviceFolder } from "../packages/server/build.ts";
import { buildDocumentation, documentationFile } from "./documentation/build.ts";

// Builds what a browser loads, and the service as machines run it; everything else runs from its sources. `--quiet` says
// nothing when all is well.
const quiet = process.argv.includes("--quiet");

const { scripts } = await buildEmbed();
await buildModule();
if (!quiet) {
  const folder = relative(process.cwd(), browserFolder);
  for (const { file, integrity } of Object.values(scripts)) console.log(`${folder}/${file}  ${integrity}`);
}

const { built, manifest } = await buildDashboard();
if (!quiet) {
  const folder = relative(process.cwd(), dashboardFolder);
  console.log(`${folder}  ${manifest.files.length} files${built ? "" : ", unchanged"}`);
}

const site = await buildDocumentation();
if (!quiet) console.log(`${relative(process.cwd(), documentationFile)}  ${site.pages.length} pages`);

const service = await buildService();
if (!quiet) console.log(`${relative(process.cwd(), serviceFolder)}  ${service.length} files`);
