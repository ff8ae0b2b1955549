import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { browserFolder, buildEmbed } from "../../packages/embed/build.ts";
import { type Half, halfOf } from "../../packages/pii/corpus/corpus.ts";
import { launchBrowser } from "../../tests/support/chromium.ts";

/** The kind of a field, as the pages' collectors scored it: these are personal, `unknown` is a search, a voucher or the like. */
const personal: Readonly<Record<string, readonly string[]>> = {
  "email address": ["emailAddress"],
  "phone number": ["phone"],
  name: ["firstName", "middleName", "lastName", "fullName", "cardName"],
  address: ["addressStreet", "addressStreet2", "addressCity", "addressPostalCode"],
  "date of birth": ["birthday", "birthdayDay", "birthdayMonth", "birthdayYear"],
  "user name, or email address to sign in": ["username", "username OR emailAddress"],
  password: ["password", "password.new", "password.current", "totp"],
  "card number": ["cardNumber"],
  "card details": ["cardSecurityCode", "expiration", "expirationMonth", "expirationYear"],
};
const notPersonal = "unknown";
const typed = "qwertz";

interface FieldResult {
  readonly page: string;
  readonly half: Half;
  readonly kind: string;
  readonly what: string;
  readonly isEmptied: boolean;
}

/** Each page in Chromium, its own scripts off, through the script that browsers load for forms that strip. */
export async function printPages(folder: string, showMisses: boolean): Promise<void> {
  const { scripts } = await buildEmbed();
  const script = readFileSync(join(browserFolder, scripts["sealpost-pii"]?.file ?? ""), "utf8");
  const pages = readdirSync(join(folder, "test-forms")).filter((file) => file.endsWith(".html"));
  const browser = await launchBrowser();
  const results: FieldResult[] = [];
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.route("**/*", (route) => route.abort());
  for (const file of pages) {
    const page = await context.newPage();
    await page.setContent(readFileSync(join(folder, "test-forms", file), "utf8"), { waitUntil: "commit" });
    await page.evaluate(script);
    const fields = await page.evaluate(lookAtFields, { typed, mark: "sealpost.strip-in-slices" });
    for (const { scoring, what, isEmptied } of fields)
      results.push({ page: file, half: halfOf(file), kind: scoring, what, isEmptied });
    await page.close();
  }
  await browser.close();
  print(pages.length, results);
  if (!showMisses) return;
  for (const { page, kind, what, half, isEmptied } of results)
    if (half === "tune" && isEmptied !== (kind !== notPersonal))
      console.log(`${isEmptied ? "EMPTIED" : "KEPT"} ${kind}: ${what} (${page})`);
}

/** Runs in the page. Fields without a name are never sent, so they are left out. */
async function lookAtFields({ typed, mark }: { typed: string; mark: string }) {
  type Strip = (form: object, fields: object, options: object) => Promise<{ fields: Record<string, unknown> }>;
  const strip = Reflect.get(window, Symbol.for(mark)) as Strip; // the script just run left it there
  // Where a page's scripts are off no message arrives, and here nothing has to happen between two pieces of work.
  const createChannel = () => {
    const port1 = { onmessage() {}, close() {} };
    return { port1, port2: { postMessage: () => Promise.resolve().then(() => port1.onmessage()) } };
  };
  Reflect.set(window, "MessageChannel", function MessageChannel() {
    return createChannel();
  });
  const scored = Array.from(document.querySelectorAll<HTMLInputElement>("[data-manual-scoring][name]:not([name=''])"));
  const results = scored
    .filter((control) => /^(?:INPUT|TEXTAREA|SELECT)$/.test(control.nodeName))
    .map(async (control) => {
      const form = control.form ?? document.body.appendChild(document.createElement("form"));
      if (!control.form) {
        form.id = `form-${Math.random()}`;
        control.setAttribute("form", form.id);
      }
      const name = control.name.replace(/(.)\[\]$/, "$1");
      const { fields } = await strip(form, { [name]: typed }, {});
      const label = control.labels?.[0]?.textContent?.trim().slice(0, 60) ?? "";
      return {
        scoring: control.getAttribute("data-manual-scoring") ?? "",
        what: JSON.stringify([
          control.type,
          control.name,
          control.getAttribute("autocomplete"),
          label,
          control.getAttribute("placeholder"),
        ]),
        isEmptied: fields[name] !== typed,
      };
    });
  return Promise.all(results);
}

function print(pages: number, results: readonly FieldResult[]): void {
  const halves: readonly Half[] = ["tune", "report"];
  const row = (title: string, kinds: readonly string[]) => {
    const cells = halves.map((half) => {
      const own = results.filter((result) => result.half === half && kinds.includes(result.kind));
      return `${own.filter((result) => result.isEmptied).length} of ${own.length}`;
    });
    console.log(`| ${title} | ${cells.join(" | ")} |`);
  };
  console.log(`\n| fields of ${pages} pages that ask for | emptied, tuned half | reported half |\n|---|---|---|`);
  for (const [title, kinds] of Object.entries(personal)) row(title, kinds);
  row("nothing personal", [notPersonal]);
}
