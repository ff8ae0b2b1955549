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
 * The page names what the app consists of, though `main.ts` imports it only once there are texts: it is fetched meanwhile. A dynamic import's own
 * `modulepreload` would begin after the texts.
 */
function preloadApp(): Plugin {
  return {
    name: "preload-app",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {}, chunk }) {
        const main = chunk?.fileName;
        const app = Object.values(bundle).find(
          (file) => file.type === "chunk" && file.facadeModuleId?.endsWith("/src/app.tsx"),
        );
        if (app === undefined) return [];
        const files = [app.fileName];
        for (const name of files) {
          const file = bundle[name];
          if (file?.type === "chunk") files.push(...file.imports.filter((one) => !files.includes(one)));
        }
        const [, ...others] = [...new Set([main, ...files])];
        return others.map((file) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${file}` },
          injectTo: "head" as const,
        }));
      },
    },
  };
}
