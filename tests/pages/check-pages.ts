import { after, before, describe, test } from "node:test";
import type { Engine } from "../browsers/driver.ts";
import { buttonCases } from "./button-cases.ts";
import { compare } from "./compare.ts";
import { escapeCases } from "./escape-cases.ts";
import { fieldCases } from "./field-cases.ts";
import { jqueryCases } from "./jquery-cases.ts";
import { navigationCases } from "./navigation-cases.ts";
import { createReactCases } from "./react-cases.ts";
import { scriptCases } from "./script-cases.ts";
import { installTinymce } from "./tinymce.ts";
import { type PageVisit, startPageVisit } from "./visit.ts";
import { tinymceCases, widgetCases } from "./widget-cases.ts";

const plainCases = [...buttonCases, ...fieldCases, ...scriptCases, ...escapeCases];

/** Pages of plain JavaScript and of other people's libraries, in one browser. */
export function checkPages(engine: Engine): void {
  const tinymce = installTinymce();
  if (tinymce === undefined) console.log("NOT TESTED with TinyMCE: the npm registry was not reached");
  const libraryCases = [...jqueryCases, ...navigationCases, ...widgetCases, ...createReactCases()];
  describe(`in ${engine.name} ${engine.version} the opened fields equal the browser's own post`, () => {
    let visit: PageVisit;
    before(async () => {
      visit = await startPageVisit(await engine.start(), { isSecure: true });
      if (tinymce !== undefined) visit.site.addLibrary(tinymce);
    });
    after(() => visit.close());
    for (const page of [...plainCases, ...libraryCases, ...(tinymce === undefined ? [] : tinymceCases)])
      for (const markup of page.markups ?? (["bare"] as const))
        test(`${page.title} (${markup})`, () => compare(visit, page, markup));
  });
}
