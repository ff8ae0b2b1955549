import { join, relative } from "node:path";
import type { ViteDevServer } from "vite";
import { buildEmbed } from "../../packages/embed/build.ts";
import { buildDocumentation } from "../documentation/build.ts";
import type { DevDocumentation } from "./documentation.ts";
import type { DevService } from "./service.ts";
import type { Site } from "./site.ts";

const root = join(import.meta.dirname, "..", "..");
const pageSources = ["packages/embed/src", "packages/wire/src", "packages/pii/src", "packages/texts/src"];
const serviceSources = ["packages/server/src", ...pageSources];
const watched = [...serviceSources, "docs"];
const isTest = (path: string) => /\.test\.tsx?$|\/testing\//.test(path);
/** An editor that saves all files gives many changes at once. */
const gatherMilliseconds = 100;

export interface WatchOptions {
  readonly vite: ViteDevServer;
  readonly service: DevService;
  readonly documentation: DevDocumentation;
  readonly site: Site;
  readonly say: (line: string) => void;
}

/** Rebuilds and restarts what a changed file is part of. The dashboard's own modules are Vite's business. */
export function watchSources({ vite, service, documentation, site, say }: WatchOptions): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();

  async function apply(): Promise<void> {
    const paths = [...changed];
    changed.clear();
    const has = (folders: readonly string[]) =>
      paths.some((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
    const began = performance.now();
    const tell = (done: string) =>
      say(
        `${paths[0]}${paths.length > 1 ? ` and ${paths.length - 1} more` : ""}: ${done} in ${Math.round(performance.now() - began)} ms`,
      );
    try {
      if (has(pageSources)) await buildEmbed();
      if (has(["docs"])) {
        await buildDocumentation();
        documentation.reload();
      }
    } catch (error) {
      // esbuild has printed what it does not understand; what is served stays as it was.
      return say(`Not rebuilt: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
    }
    if (!has(serviceSources)) return tell("documentation rebuilt");
    await service.restart();
    await service.whenReady().then(
      () => {
        if (has(pageSources)) site.reload();
        tell("service restarted");
      },
      (error: Error) => say(error.message),
    );
  }

  vite.watcher.add(watched.map((folder) => join(root, folder)));
  vite.watcher.on("all", (_event, path) => {
    const name = relative(root, path).replaceAll("\\", "/");
    if (isTest(name) || !watched.some((folder) => name.startsWith(`${folder}/`))) return;
    changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(apply);
    }, gatherMilliseconds);
  });
}
