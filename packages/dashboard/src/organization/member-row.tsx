import type { Member } from "@sealpost/sdk";
import { useSession } from "../session/session.ts";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Skeleton } from "../ui/page.tsx";
import { isLastOwner, manageableRoles, useAllForms } from "./member-queries.ts";
import { useMembership } from "./membership.ts";
import { nameOf } from "./names.ts";

const { members: texts, secondFactorRule } = text;

/** A member: who, with which role for what, since when; and what one's own role allows to do about it. */
export function MemberRow({
  member,
  members,
  onChange,
  onRemove,
}: {
  readonly member: Member;
  readonly members: readonly Member[];
  readonly onChange: () => void;
  readonly onRemove: () => void;
}) {
  const { user } = useSession();
  const isSelf = member.id === user.id;
  const isManageable = manageableRoles(useMembership()?.role).includes(member.role);
  const isRequired = typeof useMembership()?.secondFactorRequiredFrom === "number";
  const name = nameOf(member);
  const inviter = members.find(({ id }) => id === member.addedBy);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 grow basis-64">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <bdi className="wrap-anywhere min-w-0 font-medium">{name}</bdi>
          <Badge tone={member.role === "owner" ? "good" : "neutral"}>{texts.roles[member.role]}</Badge>
          {isSelf && <Badge>{texts.you}</Badge>}
          {isRequired && !member.secondFactor && <Badge tone="warning">{secondFactorRule.none}</Badge>}
          {member.disabled && <Badge tone="warning">{texts.disabled}</Badge>}
          {member.unprovenAddress !== undefined && <Badge tone="warning">{texts.unproven}</Badge>}
        </div>
        {name !== member.email && <p className="mt-0.5 break-all text-muted text-sm">{member.email}</p>}
        {member.unprovenAddress !== undefined && (
          <p className="wrap-anywhere text-sm text-warning">{texts.unprovenHint(member.unprovenAddress)}</p>
        )}
        {member.forms !== null && <NamedForms ids={member.forms} />}
        <p className="text-muted text-sm">
          {texts.since}
          {formatDate(member.since)}
          {member.addedBy === null && texts.founder}
          {inviter !== undefined && <bdi>{texts.invitedBy(nameOf(inviter))}</bdi>}
        </p>
      </div>
      {isManageable && !isLastOwner(members, member) && (
        <div className="flex flex-wrap gap-2">
          <Button aria-label={texts.changeOf(name)} onClick={onChange} small>
            {texts.change}
          </Button>
          {!isSelf && (
            <Button aria-label={texts.removeOf(name)} onClick={onRemove} small>
              {texts.remove}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

const shownForms = 5;

/** The forms that a membership or an invitation names. */
export function NamedForms({ ids }: { readonly ids: readonly string[] }) {
  const { forms, isComplete, error } = useAllForms();
  const names = forms.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (names.length === 0 && isComplete) return <p className="text-sm text-warning">{texts.noneLeft}</p>;
  // As high as the names, so that nothing moves when they come.
  if (names.length === 0) return error === null && <Skeleton className="my-0.5 h-4 w-40" />;
  const hidden = names.length - shownForms;
  return (
    <p className="wrap-anywhere min-w-0 text-sm">
      {names.slice(0, shownForms).map((name, index) => (
        // Names of forms are unique.
        <span key={name}>
          {index > 0 && ", "}
          <bdi>{name}</bdi>
        </span>
      ))}
      {hidden > 0 && ` ${texts.moreForms(hidden)}`}
    </p>
  );
}
