import { join } from "node:path";
import type { Plugin } from "vite";
import { writeDashboard } from "../build.ts";

const texts = join(import.meta.dirname, "..", "..", "texts");

/** Adds the made-up language to the list of languages: its row exists in the apps of tests alone. */
const withMadeUpLanguage: Plugin = {
  name: "with-made-up-language",
  enforce: "pre",
  transform(code, id) {
    if (id !== join(texts, "src", "languages.ts")) return undefined;
    const module = JSON.stringify(join(texts, "testing", "made-up.ts"));
    return `${code}\nimport { makeUpLanguage } from ${module};\nlanguages.push(makeUpLanguage(languages[0]));`;
  },
};

/** Builds the app, with the made-up language among the others, into this folder. */
export async function buildMadeUpDashboard(folder: string): Promise<void> {
  await writeDashboard(folder, "with the made-up language", [withMadeUpLanguage]);
}
