import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createClient } from "@sealpost/sdk";
import type { BrowserContext } from "playwright-core";
import type { TestAccount, TestService } from "../../packages/server/src/testing/test-service.ts";
import { openBrowserOf } from "../support/people.ts";
import { type Dashboard, person, startDashboard } from "./dashboard.ts";
import { filledEnvironment, fillOrganization } from "./filled-organization.ts";
import { loseAnswers } from "./lose-answers.ts";
import { accountCases, mailCases } from "./lost-account-cases.ts";
import type { LostCases, World } from "./lost-case.ts";
import { formCases } from "./lost-form-cases.ts";
import { memberCases } from "./lost-member-cases.ts";

const fill = (service: TestService, owner: TestAccount) =>
  fillOrganization(service, owner, { form: "Works council", person: "Somebody" });

const signIn = (service: TestService) =>
  service.request("POST", "/api/auth/sign-in/email", { body: { email: person.email, password: person.password } });

const worlds = {
  "in a filled organization": {
    environment: filledEnvironment,
    prepare: fill,
    cases: { ...formCases, ...memberCases, ...accountCases },
  },
  "on an instance that sends emails": {
    // Nobody listens there.
    environment: { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off", SEALPOST_MAIL_FROM: "Forms <forms@example.com>" },
    async prepare(service: TestService, owner: TestAccount) {
      await service.database.updateTable("person").set({ verification: "trusted" }).execute();
      const form = { name: "Contact", settings: { encryption: false } };
      const { id } = await createClient({ baseUrl: service.url, token: owner.token }).forms.create(form);
      return { formId: id, sheet: undefined };
    },
    cases: mailCases,
  },
};

for (const [where, { environment, prepare, cases }] of Object.entries(worlds))
  describe(`a change whose answer was lost, ${where}`, () => {
    let dashboard: Dashboard;
    let world: World;
    let context: BrowserContext;

    before(async () => {
      dashboard = await startDashboard({ environment });
      const { service } = dashboard;
      const owner = await service.signUp(person.email, person.name);
      await signIn(service); // another session
      const client = createClient({ baseUrl: service.url, token: owner.token });
      const prepared = await prepare(service, owner);
      world = { dashboard, owner, client, own: undefined, ...prepared };
      const own = "ownKey" in prepared && { own: prepared.ownKey };
      context = (await openBrowserOf({ account: owner, ...own }, dashboard)).context();
    });
    after(() => dashboard.close());
    afterEach(() => assert.deepEqual(dashboard.complaints, []));

    // In this order: a case finds what those before have left.
    for (const [name, { path, begin, open, press, shows, says, holds }] of Object.entries<LostCases[string]>(cases))
      test(`is shown truly, and harms nothing when it is pressed again: ${name}`, async () => {
        await begin?.(world);
        const page = await context.newPage();
        await page.goto(typeof path === "string" ? path : path(world));
        await open?.(page, world);
        const find = await loseAnswers(page);
        const lost = page.waitForEvent("requestfailed", (request) => request.method() !== "GET");
        await press(page).click();
        await lost;
        await shows(page).first().waitFor();
        await find();
        if (says === undefined) await press(page).waitFor({ state: "detached" });
        else {
          await press(page).click();
          await says(page).first().waitFor();
        }
        await holds?.(world);
        await page.close();
      });
  });
