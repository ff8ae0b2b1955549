import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { organizationsQuery, useMay, useMembership } from "../organization/membership.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/page.tsx";
import { CreateOrganization } from "./create-organization.tsx";
import { DeleteOrganization } from "./delete-organization.tsx";

const RenameOrganization = lazy(loading(() => import("./rename-organization.tsx")));

const { members: texts } = text;

/** The name of the organization, and making another one. */
export function OrganizationSection() {
  const { data } = useQuery(organizationsQuery);
  const may = useMay();
  const name = useMembership()?.name ?? "";
  const [asked, setAsked] = useState<"rename" | "create">();
  const close = () => setAsked(undefined);
  return (
    <Section intro={texts.organizationIntro} title={texts.organizationTitle}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 wrap-anywhere font-medium">
          <bdi>{name || texts.unnamed}</bdi>
        </p>
        <div className="flex flex-wrap gap-2">
          {may("renameOrganization") && <Button onClick={() => setAsked("rename")}>{texts.rename}</Button>}
          {may("deleteOrganization") && <DeleteOrganization name={name || texts.unnamed} />}
          {data?.canCreate && <Button onClick={() => setAsked("create")}>{texts.create}</Button>}
        </div>
      </div>
      {asked === "rename" && (
        <Suspense>
          <RenameOrganization name={name} onClose={close} />
        </Suspense>
      )}
      {asked === "create" && <CreateOrganization onClose={close} />}
    </Section>
  );
}
