import { isOffered, type Offer, type Role } from "../../packages/dashboard/src/organization/offers.ts";
import { type Page, type PageName, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import { operationRoles } from "../../packages/server/src/access/roles.ts";
import type { AskedOperation } from "./watch-operations.ts";

export const rows: Readonly<Record<PageName, Page>> = pages;
export const roles: readonly Role[] = ["owner", "manager", "reader", "developer", "auditor"];

/** Whether the row offers the page to the role. */
export function isFor(role: Role, name: PageName): boolean {
  const { offers } = rows[name];
  return offers === undefined || offers.some((offer) => isOffered(role, offer as Offer)); // the router's types hold them to be
}

/** Pages that are for what they change, and read what other roles may read as well. */
const forChanges: readonly PageName[] = ["newForm", "embed", "formKeys", "settings", "useRecovery", "lookAtForms"];
/** Pages for members that send no request about the organization until something is pressed. */
const askNothing: readonly PageName[] = ["recovery", "useRecovery", "join", "newForm", "lookAtForms"];

/**
 * What is wrong with rows of the manifest by the operations that their pages ask for: by a person of each role, and by `nobody`, who
 * belongs to no organization. Everything that an operation may answer is known from the service's table of roles.
 */
export function findWrongRows(asked: readonly AskedOperation[]): readonly string[] {
  const refused = asked
    .filter(({ status }) => status === 401 || status === 403)
    .map(({ page, by, operation }) => `${page} asks for ${operation.operationId}, which refuses the ${by}`);
  const byOwner = pageNames.map((name) => ({
    name,
    operations: asked.filter(({ page, by }) => page === name && by === "owner").map(({ operation }) => operation),
  }));
  return [...new Set([...refused, ...byOwner.flatMap(({ name, operations }) => compare(name, operations))])];
}

function compare(name: PageName, asked: readonly AskedOperation["operation"][]): readonly string[] {
  const { audience } = rows[name];
  const wrong: string[] = [];
  const isOfOperators = asked.some(({ access }) => access === "operator");
  if (isOfOperators !== (audience === "operator"))
    wrong.push(`${name} is for ${audience}s, and ${isOfOperators ? "asks" : "does not ask"} for what operators may`);
  if (audience !== "member") return wrong;
  const allowed = asked.flatMap(({ operationId }) => {
    const found: readonly Role[] | undefined = operationRoles[operationId as keyof typeof operationRoles];
    return found === undefined ? [] : [found];
  });
  if (allowed.length === 0)
    return askNothing.includes(name) ? wrong : [...wrong, `${name} asks for nothing of an organization`];
  const missed = roles.filter((role) => allowed.every((some) => some.includes(role)) && !isFor(role, name));
  if (missed.length > 0 && !forChanges.includes(name))
    wrong.push(`${name} is not offered to ${missed}, who may do all that it asks for`);
  return wrong;
}
