import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { build } from "esbuild";
import { findSections } from "./pages.ts";
import { fileAddress, pictureAddress, type RenderedPage, renderPage } from "./render.ts";
import { createSearchIndex } from "./search-index.ts";
import { type Assets, createDocument } from "./template.ts";

const root = join(import.meta.dirname, "..", "..");
/** Everything that is served below `/docs`, in one file, so that a service that starts meanwhile finds one whole site. */
export const documentationFile = join(root, "packages", "server", "dist", "documentation.json");

/** A file of the site: text, or bytes in base64. */
export interface SiteFile {
  readonly contentType: string;
  readonly text?: string;
  readonly base64?: string;
  /** The SHA-256 of the one style element of a picture or page, for its policy. */
  readonly styleHash?: string;
}

export interface Site {
  readonly pages: readonly RenderedPage[];
  /** By address; `404` is what an unknown address gets. */
  readonly files: ReadonlyMap<string, SiteFile>;
}

/** Makes the site of `docs/` and of what it leans on. The same sources give the same bytes. */
export async function createSite(folder: string = root): Promise<Site> {
  const sections = findSections(folder);
  const all = sections.flatMap(({ pages }) => pages);
  const pages = all.map((page) => renderPage(page, all, folder));
  const files = new Map<string, SiteFile>();
  const style = ["frame.css", "search.css", "content.css"].map(readStyle).join("\n");
  const assets: Assets = {
    style: `<link rel="stylesheet" href="${addAsset(files, "style.css", style)}">`,
    search: {
      script: addAsset(files, "search.js", await bundleScript()),
      index: addAsset(files, "search.json", createSearchIndex(pages)),
    },
  };
  for (const page of pages)
    files.set(page.page.address, {
      contentType: "text/html; charset=utf-8",
      text: createDocument(page, sections, assets),
    });
  files.set("404", {
    contentType: "text/html; charset=utf-8",
    text: createDocument(
      {
        page: { address: "404", title: "No such page" },
        html: '<h1>No such page</h1>\n<p>There is nothing at this address. <a href="/docs">The first page</a> lists what there is.</p>\n',
        headings: [],
      },
      sections,
      assets,
    ),
  });
  // The service puts its API reference into this, which knows its routes.
  files.set("reference", {
    contentType: "text/html; charset=utf-8",
    text: createDocument(
      {
        page: { address: "/api/docs", title: "API reference" },
        html: "<!-- content -->",
        headings: "<!-- contents -->",
      },
      sections,
      // In an origin of its own it may load nothing of this one, a style sheet included.
      { style: `<style>${style}</style>` },
    ),
    styleHash: hashStyle(style),
  });
  for (const picture of new Set(pages.flatMap((page) => page.pictures)))
    files.set(pictureAddress(picture), readPicture(join(folder, picture)));
  for (const path of new Set(pages.flatMap((page) => page.files)))
    files.set(fileAddress(path), { contentType: typeOf(path), text: readFileSync(join(folder, path), "utf8") });
  return { pages, files };
}

/** Writes the site to where the service finds it. */
export async function buildDocumentation(): Promise<Site> {
  const site = await createSite();
  await mkdir(dirname(documentationFile), { recursive: true });
  const temporary = `${documentationFile}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(Object.fromEntries(site.files)));
  await rename(temporary, documentationFile);
  return site;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

function typeOf(file: string): string {
  const contentType = contentTypes[extname(file)];
  if (contentType === undefined) throw new Error(`${file} is of a kind that the documentation does not serve`);
  return contentType;
}

/** Its name holds a hash of its content, and it may be kept for ever. */
function addAsset(files: Map<string, SiteFile>, file: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const address = `/docs/assets/${basename(file, extname(file))}-${hash}${extname(file)}`;
  files.set(address, { contentType: typeOf(file), text });
  return address;
}

function readPicture(path: string): SiteFile {
  const bytes = readFileSync(path);
  const contentType = typeOf(path);
  if (contentType !== "image/svg+xml") return { contentType, base64: bytes.toString("base64") };
  const text = bytes.toString("utf8");
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1];
  if (style === undefined) return { contentType, text };
  return { contentType, text, styleHash: hashStyle(style) };
}

function hashStyle(style: string): string {
  return createHash("sha256").update(style).digest("base64");
}

async function bundleScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "browser", "search.ts")],
    bundle: true,
    charset: "utf8",
    format: "esm",
    legalComments: "none",
    logLevel: "error",
    minify: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    banner: { js: `/*!\nContains MiniSearch:\n${licence("minisearch")}\n*/` },
    write: false,
  });
  const [output] = outputFiles;
  if (output === undefined || outputFiles.length !== 1)
    throw new Error("The search of the documentation is not one file");
  return output.text;
}

function readStyle(file: string): string {
  return readFileSync(join(import.meta.dirname, "style", file), "utf8");
}

/** MIT asks for its text with every copy. */
function licence(name: string): string {
  return readFileSync(join(root, "node_modules", name, "LICENSE.txt"), "utf8").trim();
}
