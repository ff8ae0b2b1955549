import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Package, root } from "./packages.ts";

const run = promisify(execFile);

/**
 * Compiles a package's sources to `dist`: JavaScript and types, or the types alone where a bundler makes the JavaScript. It is
 * compiled against the other packages' `dist`, which is what an installed package sees.
 */
export async function compile({ folder, kind }: Pick<Package, "folder" | "kind">): Promise<void> {
  const home = join(root, "packages", folder);
  const outDir = join(home, "dist");
  if (kind === "modules") await rm(outDir, { recursive: true, force: true });
  else for (const file of globSync("**/*.d.ts", { cwd: outDir })) await rm(join(outDir, file));
  await mkdir(outDir, { recursive: true });
  const project = join(outDir, "tsconfig.json");
  const options = {
    extends: "../tsconfig.json",
    compilerOptions: {
      rootDir: "../src",
      outDir: ".",
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: kind === "embed",
      rewriteRelativeImportExtensions: true,
      // The sources' condition is for this repository only.
      customConditions: [],
    },
    include: ["../src"],
    exclude: ["../**/*.test.ts", "../**/*.test.tsx", "../src/testing", "../src/**/testing"],
  };
  await writeFile(project, JSON.stringify(options));
  try {
    await run(join(root, "node_modules", ".bin", "tsc"), ["-p", project], { cwd: root });
  } catch (error) {
    throw new Error(`packages/${folder} does not compile:\n${(error as { stdout?: string }).stdout}`, { cause: error });
  } finally {
    await rm(project);
  }
  for (const file of globSync("**/*.d.ts", { cwd: outDir })) await nameBuiltFiles(join(outDir, file));
}

/** The compiler leaves `./form.ts` in declarations, and there is no such file in the package. */
async function nameBuiltFiles(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const changed = text.replaceAll(/((?:from|import)\s*\(?\s*"\.[^"]*)\.tsx?"/g, '$1.js"');
  if (changed !== text) await writeFile(file, changed);
}
