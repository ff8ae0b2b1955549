import type { Scan } from "./scan.ts";

/** After these a dotted row counts versions or sections. Nothing here is a thing that has an address, as a server has. */
const versionWords = new Set(
  (
    "version,versions,versione,versao,versie,release,build,firmware,kernel,driver,v,ver,section,sections,sec,chapter,clause,oid,abschnitt,kapitel,chapitre," +
    "chrome,chromium,firefox,safari,edge,edg,opera,opr,vivaldi,brave,applewebkit,webview,windows,macos,ios,android,java,php,python"
  ).split(","),
);

/** Whether the word before `index` says that a version follows: `Chrome 101.0.4951.64`, `v1.2.3.4`, `Windows: 10.0.19045.4170`. */
export function hasVersionWord(scan: Scan, index: number): boolean {
  return scan.wordsBefore(index, 1).some((word) => versionWords.has(word));
}
