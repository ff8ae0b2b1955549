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
    plugins: [...plugins, react(), tailwind()],
    resolve: { conditions: ["@sealpost/source", ...defaultClientConditions] },
    // One file for each worker. A lazy chunk that shares a module with the worker imports the worker's entry, and WebKit evaluates
    // that entry a second time: two modules with their own state, so that what one of them holds is missing in the other.
    worker: { format: "es", rolldownOptions: { output: { codeSplitting: false } } },
  };
}
