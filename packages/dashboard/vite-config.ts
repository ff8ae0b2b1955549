import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, type InlineConfig, type Plugin } from "vite";

/** All of 2024: `light-dark()` in style sheets, modules in workers and `AbortSignal.any`, which the app is built on. */
export const browserTargets = ["chrome123", "firefox124", "safari17.5"];

/** Options of the builds and of the development server. */
export function createViteConfig(plugins: readonly Plugin[] = []): InlineConfig {
  return {
    root: import.meta.dirname,
    configFile: false,
    envDir: false,
    logLevel: "error",
    plugins: [...plugins, preloadApp(), react(), tailwind()],
    resolve: { conditions: ["@sealpost/source", ...defaultClientConditions] },
    // One file for each worker. A lazy chunk that shares a module with the worker imports the worker's entry, and WebKit evaluates
    // that entry a second time: two modules with their own state, so that what one of them holds is missing in the other.
    worker: { format: "es", rolldownOptions: { output: { codeSplitting: false } } },
  };
}

/**
 * The page names the files of the app, and the texts if there is one language, though `main.ts` imports them later: they are fetched meanwhile. A
 * dynamic import's own `modulepreload` would begin once the script before it has run.
 */
function preloadApp(): Plugin {
  return {
    name: "preload-app",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {}, chunk: main }) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const having = (path: string) => chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(path)));
        const texts = having("/dashboard/first.ts");
        const files = new Set(
          [...having("/src/app.tsx"), ...(texts.length === 1 ? texts : [])].map((file) => file.fileName),
        );
        for (const name of files)
          for (const one of chunks.find((file) => file.fileName === name)?.imports ?? []) files.add(one);
        return [...files]
          .filter((file) => file !== main?.fileName)
          .map((file) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `/${file}` },
            injectTo: "head" as const,
          }));
      },
    },
  };
}
