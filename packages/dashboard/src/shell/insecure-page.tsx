import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { Mark } from "../ui/icons.tsx";
import { useTitle } from "../ui/page.tsx";

/** The one page of an address where browsers offer no cryptography, such as `http://nas:8080`: why, and how to get out. */
export function InsecurePage() {
  const { insecure } = text.common;
  const { origin, hostname, port } = window.location;
  useTitle(insecure.title);
  return (
    <main className="mx-auto grid max-w-2xl gap-6 px-4 py-12">
      <Mark className="size-10" />
      <div>
        <h1 className="font-semibold text-2xl tracking-tight">{insecure.title}</h1>
        <p className="mt-2 font-mono text-muted text-sm">{insecure.here(origin)}</p>
      </div>
      <p>{insecure.intro}</p>
      <h2 className="font-semibold text-lg">{insecure.ways}</h2>
      <div className="card p-5">
        <h3 className="font-semibold">{insecure.tunnel}</h3>
        <p className="mb-3 text-muted">{insecure.tunnelHint}</p>
        <Command>{insecure.tunnelCommand(hostname, port || "80")}</Command>
      </div>
      <div className="card p-5">
        <h3 className="font-semibold">{insecure.proxy}</h3>
        <p className="mb-3 text-muted">{insecure.proxyHint}</p>
        <Command>{`${insecure.proxyVariable}\n${insecure.proxyCommand(port || "80")}`}</Command>
      </div>
      <p>
        <HelpLink page="selfHosting">{insecure.more}</HelpLink>
      </p>
    </main>
  );
}

function Command({ children }: { readonly children: string }) {
  return (
    <pre translate="no" className="overflow-x-auto rounded-lg border border-line bg-sunken p-3 font-mono text-sm">
      {children}
    </pre>
  );
}
