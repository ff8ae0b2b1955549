import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatChecksums, hashServed } from "../../packages/cli/src/verify/served-list.ts";
import { type Manifest as DashboardManifest, dashboardFolder } from "../../packages/dashboard/build.ts";
import { openerFile } from "../../packages/dashboard/build-opener.ts";
import { fillPath, pages } from "../../packages/dashboard/src/pages.ts";
import { browserFolder, type Manifest as EmbedManifest } from "../../packages/embed/build.ts";
import { loadDocumentation } from "../../packages/server/src/documentation/documentation-files.ts";
import { documentationFile } from "../documentation/build.ts";

/**
 * What this version serves to browsers, of which any could run or show something there: dashboard, embed, opener, documentation. A line for
 * each path with the SHA-256 of its bytes, as `SHA256SUMS` has files. `sealpost verify` compares with it. Everything must be built.
 */
export function createServedList(): string {
  const served = [...listDashboard(), ...listEmbed(), ...listDocumentation()];
  return formatChecksums(served.map(([path, bytes]) => [path, hashServed(path, bytes)] as const).sort());
}

type Served = readonly [path: string, bytes: Uint8Array];

function listDashboard(): readonly Served[] {
  const read = (file: string) => readFileSync(join(dashboardFolder, file));
  const { files } = JSON.parse(read("manifest.json").toString()) as DashboardManifest; // our build wrote it
  const assets = files.filter((file) => file.startsWith("assets/"));
  return [
    ...Object.values(pages).map(({ path }): Served => [fillPath(path, "any"), read("index.html")]),
    ...[...assets, openerFile].map((file): Served => [`/${file}`, read(file)]),
  ];
}

function listEmbed(): readonly Served[] {
  const read = (file: string) => readFileSync(join(browserFolder, file));
  const { scripts, styles } = JSON.parse(read("manifest.json").toString()) as EmbedManifest; // our build wrote it
  return [
    ...[...Object.values(scripts), ...Object.values(styles)].map(({ file }): Served => [`/embed/${file}`, read(file)]),
    ["/embed/sealpost.js", read(scripts.sealpost.file)],
    ["/embed/sealpost-key-log.js", read(scripts["sealpost-key-log"].file)],
    ["/embed/sealpost.css", read(styles.sealpost.file)],
  ];
}

/** Its pages and scripts, which have the dashboard's origin; not pictures and samples. */
function listDocumentation(): readonly Served[] {
  const documentation = loadDocumentation(documentationFile);
  const addresses = Object.keys(JSON.parse(readFileSync(documentationFile, "utf8")) as object); // our build wrote it
  return addresses.flatMap((address): readonly Served[] => {
    const bytes = documentation.find(address)?.bytes;
    return /^\/docs(?!\/(images|files)\/)/.test(address) && bytes !== undefined ? [[address, bytes]] : [];
  });
}
