import { namesOf, type OrganizationQuestion } from "../envelopes/own-organization.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import { Badge } from "../ui/page.tsx";

const { ownOrganization: texts } = text.envelopes;

/** An organization that this browser has not sealed anything for: its names, its id, and who is in its list. */
export function ShownOrganization({
  organizationId,
  served,
  list,
  standing,
}: Omit<OrganizationQuestion, "standing"> & {
  readonly standing: Extract<OrganizationQuestion["standing"], { readonly kind: "unseen" }>;
}) {
  const { before, others } = standing;
  const signed = list?.list.organizationName;
  const alike = others.filter(({ names }) => namesOf(list, served).some((name) => names.includes(name)));
  const lines = [
    signed === undefined ? texts.unsigned(served) : texts.signed(signed),
    ...(signed !== undefined && served !== "" && served !== signed ? [texts.served(served)] : []),
    texts.id(organizationId),
  ];
  const warnings = [...(before.length > 0 ? [texts.before(before)] : []), ...alike.map(({ id }) => texts.alike(id))];
  return (
    <>
      <div>
        {lines.map((line) => (
          <p className="wrap-anywhere" key={line}>
            <bdi>{line}</bdi>
          </p>
        ))}
      </div>
      {warnings.length > 0 && (
        <Notice tone="warning">
          {warnings.map((line) => (
            <p className="wrap-anywhere" key={line}>
              <bdi>{line}</bdi>
            </p>
          ))}
        </Notice>
      )}
      <section aria-label={texts.members}>
        <p className="font-medium">{texts.members}</p>
        <ul className="max-h-60 divide-y divide-line overflow-y-auto">
          {[...(list?.list.members.values() ?? [])].map((member) => (
            <li className="flex flex-wrap items-center gap-2.5 py-2" key={member.id}>
              <bdi className="min-w-0 wrap-anywhere">{shownName(member)}</bdi>
              <Badge>{text.readers.roles[member.role]}</Badge>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
