import {
  continuesHead,
  followList,
  type HeadStore,
  type ListHead,
  type SeenHeads,
  type Trust,
} from "@sealpost/envelope";
import type { KnownList } from "./envelope-client.ts";
import { type EnvelopeProblem, EnvelopeProblemError } from "./envelope-problem.ts";
import type { ListApi } from "./list-api.ts";

export interface ListToFind {
  readonly store: HeadStore;
  readonly heads: SeenHeads;
  readonly api: Omit<ListApi, "addEntry">;
  /** Gets how many the service has taken. */
  readonly onGivenBack?: ((count: number) => void) | undefined;
  readonly passedOn: ListHead | undefined;
  /** The key of the person whose personal key it is. */
  readonly signingKey: string | undefined;
}

const organizationName = "organization";

/**
 * The list of the organization to which a program's identity belongs: the first one that was verified. So a server can't show the list of another one,
 * in which its friends are owners. A person may be in several, in each of whose lists they have signed something.
 */
export async function findList(source: ListToFind): Promise<KnownList> {
  const { store, heads, passedOn, signingKey } = source;
  const remembered = await store.find(organizationName);
  const known = typeof remembered === "string" && signingKey === undefined ? remembered : undefined;
  const trust: Trust | undefined = passedOn ? { head: passedOn } : signingKey ? { signingKey } : undefined;
  if (known === undefined && trust === undefined) throw new EnvelopeProblemError("not_trusted");
  const { fetchNames, giveListBack: giveBack } = source.api;
  const requests = askOnce(source.api);
  const meant = known ?? (await findContinued(heads, requests, remembered)) ?? (await findOrganization(requests));
  const organizationId = meant ?? String(remembered ?? "");
  const isFirst = passedOn !== undefined && (await heads.findList(organizationId)) === undefined;
  // Without `trust` there is a head, which then is what counts.
  const first = trust ?? { signingKey: "" };
  const followed = await followList({ organizationId, heads, ...requests, fetchNames, giveBack, trust: first });
  if (followed.kind === "none") throw new EnvelopeProblemError("no_list");
  if (followed.kind === "refused")
    throw new EnvelopeProblemError(isFirst ? toFirstProblem(followed.reason) : followed.reason);
  // A program knows no signed heads: only an entry by which its key gave its place to another has been found.
  if (followed.isForReading) throw new EnvelopeProblemError("not_vouched");
  const { list, bytes, names, givenBack } = followed;
  if (givenBack > 0) source.onGivenBack?.(givenBack);
  const found = { list, bytes, names };
  if (passedOn !== undefined && list.membersAt(passedOn) === undefined)
    throw new EnvelopeProblemError(passedOn.number > list.head.number ? "old_list" : "forked");
  if (known !== undefined) return found;
  let isSame = true;
  await store.change(organizationName, (before) => {
    isSame = before === undefined || before === organizationId || signingKey !== undefined;
    return isSame && before !== organizationId ? organizationId : undefined;
  });
  if (!isSame) throw new EnvelopeProblemError("other_organization");
  return found;
}

/** Nothing was seen before the first list, so what it differs from is the head that was passed on. */
function toFirstProblem(reason: EnvelopeProblem): EnvelopeProblem {
  return reason === "forked" || reason === "old_list" ? "other_list" : reason;
}

type Requests = Pick<ListApi, "fetchList" | "fetchFrom">;

/** Each first answer serves two: it says whose list it is, and is the list. */
function askOnce({ fetchList, fetchFrom }: Requests): Requests {
  const list = serveTwice((_: undefined) => fetchList());
  return { fetchList: () => list(undefined), fetchFrom: serveTwice(fetchFrom) };
}

function serveTwice<Head extends ListHead | undefined, Answer>(ask: (head: Head) => Promise<Answer>) {
  let first: { readonly hash: string | undefined; readonly answer: Promise<Answer> } | undefined;
  return (head: Head): Promise<Answer> => {
    const before = first?.hash === head?.hash ? first : undefined;
    const answer = before?.answer ?? ask(head);
    first = before === undefined ? { hash: head?.hash, answer } : undefined;
    return answer;
  };
}

/** The organization of which a person used a list last, where the server's list of the moment continues what was seen of that one. */
async function findContinued(
  heads: SeenHeads,
  { fetchFrom }: Requests,
  remembered: unknown,
): Promise<string | undefined> {
  const seen = typeof remembered === "string" ? await heads.findList(remembered) : undefined;
  const served = seen && (await fetchFrom(seen));
  const isSame = served === "unchanged" || (served && seen && (await continuesHead(served, seen)));
  return isSame ? String(remembered) : undefined;
}

/** As the first line of the list says, which is not verified yet: it is refused where an entry is of another organization. */
async function findOrganization({ fetchList }: Requests): Promise<string | undefined> {
  const bytes = (await fetchList()) ?? new Uint8Array();
  try {
    const { organizationId } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, Math.max(bytes.indexOf(10), 0))));
    return typeof organizationId === "string" ? organizationId : undefined;
  } catch {
    return undefined;
  }
}
