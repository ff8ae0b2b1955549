import { roles } from "../organization/member-queries.ts";
import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";

const { members: texts } = text;

/** The rights of each role, on one screen. */
export function RolesOverview() {
  return (
    <div className="grid gap-4">
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[8rem_1fr] sm:gap-y-2">
        {roles.map((role) => (
          <div className="contents" key={role}>
            <dt className="font-medium">{texts.roles[role]}</dt>
            <dd className="text-muted max-sm:-mt-2">{texts.mayDo[role]}</dd>
          </div>
        ))}
      </dl>
      <p>
        <HelpLink page="teams">{texts.guideLink}</HelpLink>
      </p>
    </div>
  );
}
