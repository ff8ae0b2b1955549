import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

export interface DashboardFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Compressed by the first call. */
  readonly gzip: () => Uint8Array;
}

/** Whether the sign-up page is for the first account (and after it for nobody, or for anybody), for anybody, or for nobody. */
export type SignUpState = "first" | "first-open" | "open" | "closed";

/** Facts about the instance, for its pages. */
export interface PageSettings {
  readonly signUp: SignUpState;
  readonly hasMail: boolean;
  readonly hasProvider: boolean;
  readonly deliveryLogDays: number;
}

export interface Dashboard {
  /** The one HTML document, which every page of the app starts from. */
  page(settings: PageSettings): string;
  /** A script, style sheet or picture by its path below `/assets/`. */
  findAsset(file: string): DashboardFile | undefined;
  /** `sealpost-opener.html`, the page that opens sealed files without a server. */
  readonly opener: DashboardFile;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const mailMark = '<meta name="sealpost-mail" content="off"';
const providerMark = '<meta name="sealpost-oidc" content="off"';
const logMark = '<meta name="sealpost-delivery-log-days" content="30"';
const signUpMark = '<meta name="sealpost-sign-up" content="closed"';

/** Reads the built app (`npm run build`) into memory: fewer than fifty files, served by their exact names and no others. */
export function loadDashboard(folder: string): Dashboard {
  const files = readManifest(folder);
  const html = readFileSync(join(folder, "index.html"), "utf8");
  if (!html.includes(signUpMark)) throw new Error("The page of the dashboard is not the one that this version builds");
  const assets = new Map<string, DashboardFile>();
  for (const file of files.filter((name) => name.startsWith("assets/"))) {
    const contentType = contentTypes[extname(file)];
    if (contentType === undefined) throw new Error(`${file} of the dashboard is of a kind that is not served`);
    assets.set(file.slice("assets/".length), readDashboardFile(join(folder, file), contentType));
  }
  return {
    page: ({ signUp, hasMail, hasProvider, deliveryLogDays }) =>
      html
        .replace(signUpMark, signUpMark.replace("closed", signUp))
        .replace(logMark, logMark.replace("30", String(deliveryLogDays)))
        .replace(providerMark, hasProvider ? providerMark.replace("off", "on") : providerMark)
        .replace(mailMark, hasMail ? mailMark.replace("off", "on") : mailMark),
    findAsset: (file) => assets.get(file),
    opener: readDashboardFile(join(folder, "sealpost-opener.html"), "text/html; charset=utf-8"),
  };
}

function readDashboardFile(path: string, contentType: string): DashboardFile {
  const bytes = readFileSync(path);
  let gzipped: Uint8Array | undefined;
  const gzip = () => {
    gzipped ??= gzipSync(bytes);
    return gzipped;
  };
  return { contentType, bytes, gzip };
}

function readManifest(folder: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(join(folder, "manifest.json"), "utf8");
  } catch (cause) {
    throw new Error("The dashboard is not built. Run npm run build (npm start does it by itself)", { cause });
  }
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== "object" || manifest === null || !("files" in manifest) || !Array.isArray(manifest.files))
    throw new Error("The manifest of the dashboard is broken. Run npm run build");
  return manifest.files.filter((file) => typeof file === "string");
}
