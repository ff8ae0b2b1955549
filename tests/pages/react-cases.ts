import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import type { PageCase } from "./page-case.ts";
import type { ReactSettings } from "./react-page.tsx";

const folder = import.meta.dirname;
const views: readonly ReactSettings["view"][] = [
  "Plain",
  "Locked",
  "Spinner",
  "Steps",
  "Component",
  "Slots",
  "Controlled",
];

const versions = [
  { name: "React 19", home: join(folder, "../../packages/dashboard/package.json") },
  { name: "React 18", home: join(folder, "../react-18/package.json") },
];

/** The pages of React 18 and 19, bundled as a page's author does. */
export function createReactCases(): readonly PageCase[] {
  return versions.flatMap(({ name, home }) => {
    const script = bundle(home);
    return views.map((view) => createReactCase(name, script, view));
  });
}

function createReactCase(name: string, script: string, view: ReactSettings["view"]): PageCase {
  return {
    title: `of a form in ${name}: ${view}`,
    ending: { kind: "sent" },
    html: ({ formId, serviceUrl }) => {
      const settings: ReactSettings = { view, formId, endpoint: serviceUrl };
      return `<div id="root"></div><script>window.reactSettings = ${JSON.stringify(settings)}</script><script>${script}</script>`;
    },
    async steps(tab) {
      await tab.fill("Message", "whether it rains");
      await tab.click({ button: "Send" });
    },
    isSent: () => {
      const [output, loading] = ["output, [role=status]", "[data-sealpost-unavailable]"].map((selector) =>
        document.querySelector<HTMLElement>(selector),
      );
      const isAtItsPlace = !document.querySelector("#success") || output?.id === "success";
      return (
        output?.textContent === "Thank you, your answers were sent." && isAtItsPlace && !loading?.checkVisibility()
      );
    },
  };
}

/** With the React that the package file `home` depends on. */
function bundle(home: string): string {
  const require = createRequire(home);
  const find = (name: string) => dirname(require.resolve(`${name}/package.json`));
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, "react-page.tsx")],
    bundle: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: "automatic",
    alias: { react: find("react"), "react-dom": find("react-dom") },
    write: false,
  });
  return (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
}
