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
    worker: { format: "es" },
  };
}
