import assert from "node:assert/strict";
import { createId } from "@sealpost/wire";
import { addPerson, invite, switchTo } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { person } from "./dashboard.ts";
import {
  button,
  dialog,
  fillDialog,
  inDialog,
  item,
  type LostCases,
  noDialog,
  opened,
  section,
  status,
  title,
} from "./lost-case.ts";

/** By the names of the rows in `change-rows.ts`. */
export const memberCases: LostCases = {
  "api-keys/create-api-key.tsx#NewApiKey.fields": {
    path: "/api-keys",
    open: opened("New API key", (page) => dialog(page).getByLabel("Name").fill("Backup")),
    press: (page) => inDialog(page, "Create key"),
    shows: (page) => dialog(page).getByText(/^The key “Backup” \(sp_\w+…\) was made, and nobody has seen its value$/),
    says: (page) => title(page, "Copy the key now"),
  },
  "api-keys/api-keys-page.tsx#RevokeApiKey.revoking": {
    path: "/api-keys",
    begin: ({ client }) => client.apiKeys.create({ name: "Old program" }),
    open: async (page) => item(page, "Old program").getByRole("button", { name: "Revoke" }).click(),
    press: (page) => inDialog(page, "Revoke"),
    shows: (page) => page.getByRole("alert"),
    says: (page) => noDialog(page),
  },
  "members/invite-dialog.tsx#useInviting.inviting": {
    path: "/members",
    open: opened("Invite somebody", async (page) => {
      await dialog(page).getByLabel("Email address").fill("newcomer@example.com");
      await dialog(page).getByRole("radio", { name: "Auditor" }).check();
    }),
    press: (page) => inDialog(page, "Make the invitation"),
    shows: (page) => item(page, "newcomer@example.com"),
    says: (page) => title(page, "The invitation is ready"),
    holds: async ({ client }) => {
      const { invitations } = await client.invitations.list();
      assert.equal(invitations.filter(({ email }) => email === "newcomer@example.com").length, 1);
    },
  },
  "members/invitation-list.tsx#InvitationList.revoking": {
    path: "/members",
    press: (page) => button(page, "Take back: invited@example.com"),
    shows: (page) => page.getByRole("alert"),
  },
  "members/member-dialogs.tsx#ChangeMember.fields": {
    path: "/members",
    begin: ({ dashboard, owner }) =>
      addPerson(dashboard.service, owner, "bo@example.com", { role: "auditor" }, "Bo Example"),
    open: opened("Change role: Bo Example", (page) => dialog(page).getByRole("radio", { name: "Manager" }).check()),
    press: (page) => inDialog(page, "Save changes"),
    shows: (page) => item(page, "bo@example.com").filter({ hasText: "Manager" }),
    says: (page) => status(page, "The role is changed."),
  },
  "members/member-dialogs.tsx#RemoveMember.removing": {
    path: "/members",
    open: opened("Remove: Bo Example"),
    press: (page) => inDialog(page, "Remove"),
    shows: (page) => page.getByRole("alert"),
    says: (page) => status(page, "Bo Example was removed already."),
  },
  "members/rename-organization.tsx#Rename.fields": {
    path: "/members",
    open: opened("Rename", async (page) => {
      await inDialog(page, "Rename without signing").click();
      await fillDialog("Guild")(page);
    }),
    press: (page) => inDialog(page, "Save changes"),
    shows: (page) => page.getByText("Guild").first(),
    says: noDialog,
  },
  "members/second-factor-rule.tsx#SecondFactorRule.saving": {
    path: "/members",
    open: async (page) =>
      section(page, "Second factor for all members").getByRole("button", { name: "Require" }).click(),
    press: (page) => inDialog(page, "Require it"),
    shows: (page) => page.getByText(/^Required from .* Until then members are reminded/),
    says: (page) => status(page, "The rule is saved."),
    holds: ({ client }) => client.organizations.requireSecondFactor(null).then(() => undefined),
  },
  "admissions/bring-in-section.tsx#BringInSection.revoking": {
    path: "/members",
    press: (page) => item(page, "has not answered yet").getByRole("button", { name: "Take back" }),
    shows: (page) => page.getByRole("alert"),
  },
  "admissions/link-dialog.tsx#NewLink.making": {
    path: "/members",
    begin: ({ dashboard, owner }) =>
      addPerson(dashboard.service, owner, "lin@example.com", { role: "manager" }, "Lin Example"),
    open: async (page, { sheet }) => {
      await button(page, "Bring in: Lin Example").click();
      await unlockWithSheet(page, sheet ?? assert.fail());
    },
    press: (page) => inDialog(page, "By a messenger: make a link"),
    shows: (page) => dialog(page).getByRole("alert"),
    says: (page) => inDialog(page, "I have passed it on"),
    holds: async ({ dashboard, client }) => {
      const { members } = await client.members.list();
      const lin = members.find(({ name }) => name === "Lin Example") ?? assert.fail();
      const { database } = dashboard.service;
      const made = database.selectFrom("admission").select("ended_at").where("person_id", "=", lin.id);
      const links = await made.execute();
      assert.equal(links.filter(({ ended_at }) => ended_at === null).length, 1, "the one before has ended");
    },
  },
  "recovery/recovery-rule.tsx#RecoveryRule.saving": {
    path: "/recovery",
    open: (page, { sheet }) => unlockWithSheet(page, sheet ?? assert.fail()),
    press: (page) => page.getByRole("button", { name: /^(Require it|Stop requiring it)$/ }),
    shows: (page) => status(page, "Your organization requires a recovery key."),
    says: (page) => status(page, "Your organization does not require"),
  },
  "usage/shared-usage.tsx#SharedUsage.taking": {
    path: "/account",
    begin: ({ dashboard, owner }) =>
      dashboard.service.database
        .updateTable("organization")
        .set({ counts_for: null, left_by: createId("account") })
        .where("id", "=", owner.id)
        .execute(),
    press: (page) => button(page, "Count it for me"),
    shows: (page) => page.getByRole("alert"),
  },
  "members/create-organization.tsx#NewOrganization.fields": {
    path: "/",
    open: async (page) => {
      await button(page, "Account menu").click();
      await page.getByRole("menuitem", { name: "Members" }).click();
      await opened("New organization", fillDialog("Workshop"))(page);
    },
    press: (page) => inDialog(page, "Make and switch"),
    shows: (page) => title(page, "Create your first form"),
    holds: async ({ client, owner }) => {
      const { organizations } = await client.organizations.list();
      assert.equal(organizations.filter(({ name }) => name === "Workshop").length, 1);
      await client.organizations.switchTo(owner.id);
    },
  },
  "members/organization-items.tsx#OrganizationItems.switching": {
    path: "/",
    open: (page) => button(page, "Account menu").click(),
    press: (page) => page.getByRole("menuitemradio", { name: "Workshop" }),
    shows: (page) => title(page, "Create your first form"),
    holds: ({ client, owner }) => client.organizations.switchTo(owner.id).then(() => undefined),
  },
  "organization/leave-section.tsx#LeaveOrganization.leaving": {
    path: "/members",
    begin: async ({ dashboard, owner }) => {
      const other = await dashboard.service.signUp("other@example.com", "Other");
      const token = await invite(other, person.email, { role: "manager" });
      const { body } = await owner.request("POST", "/api/invitations/accept", { token });
      await switchTo(owner, body.organizationId);
    },
    open: opened("Leave"),
    press: (page) => inDialog(page, "Leave"),
    shows: (page) => title(page, "You no longer belong to this organization"),
    holds: ({ client, owner }) => client.organizations.switchTo(owner.id).then(() => undefined),
  },
  "members/delete-organization.tsx#DeleteOrganization.deleting": {
    path: "/members",
    open: opened("Delete"),
    press: (page) => inDialog(page, "Delete the organization"),
    shows: (page) => page.getByText("This organization will be deleted"),
  },
  "members/ending-banner.tsx#EndingBanner.keeping": {
    path: "/members",
    press: (page) => button(page, "Keep the organization"),
    shows: (page) => button(page, "Delete"),
  },
};
