import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { BlockList, isIPv6 } from "node:net";
import { join } from "node:path";
import { parse } from "yaml";
import { loadConfig } from "../../packages/server/src/config/config-files.ts";

const root = join(import.meta.dirname, "..", "..");

interface Service {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  /** Names, or addresses by name. */
  readonly networks?: readonly string[] | Readonly<Record<string, Addresses>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly restart?: string;
  readonly init?: boolean;
  readonly mem_limit?: string;
  readonly depends_on?: Readonly<Record<string, unknown>>;
}
interface Addresses {
  readonly ipv4_address?: string;
  readonly ipv6_address?: string;
}
interface Network {
  readonly enable_ipv6?: boolean;
  readonly ipam?: { readonly config: readonly { readonly subnet: string }[] };
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, Network>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
}

/** Everything that a service names is there, every container is closed and bounded, and the service takes the settings. */
export async function checkCompose(folder: string): Promise<void> {
  const base = parse(readFileSync(join(root, "compose.yaml"), "utf8")) as Compose; // as Docker's own schema has it
  const over = parse(readFileSync(join(root, "deploy/compose.postgres.yaml"), "utf8")) as Compose;
  for (const files of [[base], [base, over]]) {
    const names = (part: "networks" | "volumes" | "secrets" | "services") =>
      files.flatMap((file) => Object.keys(file[part] ?? {}));
    const services = new Map<string, Service>();
    for (const file of files)
      for (const [name, service] of Object.entries(file.services)) {
        const known = services.get(name);
        services.set(name, { ...known, ...service, environment: { ...known?.environment, ...service.environment } });
      }
    for (const [name, service] of services) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ["ALL"], name);
      assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
      // A service that ends for want of memory, or because it hangs, starts again.
      assert.match(service.mem_limit ?? "", /^[0-9]+[mg]$/, `${name}: mem_limit`);
      assert.equal(service.restart, "unless-stopped", name);
      for (const secret of service.secrets ?? []) assert.ok(names("secrets").includes(secret), `${name}: ${secret}`);
      for (const network of networksOf(service)) assert.ok(names("networks").includes(network), `${name}: ${network}`);
      for (const other of Object.keys(service.depends_on ?? {})) assert.ok(services.has(other), `${name}: ${other}`);
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        assert.ok(source.startsWith("./") ? existsSync(join(root, source)) : names("volumes").includes(source), volume);
      }
    }
    assert.equal(services.get("sealpost")?.stop_grace_period, "45s");
    assert.equal(services.get("sealpost")?.init, true);
    checkSettings(services.get("sealpost"), folder);
    checkAddresses(base, services.get("sealpost"), services.get("caddy"));
  }
}

const networksOf = ({ networks = [] }: Service): readonly string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks);

/** Who is published is reached by IPv4 and by IPv6 as themselves, and the service believes it alone about the visitor. */
function checkAddresses(compose: Compose, service: Service | undefined, proxy: Service | undefined): void {
  const [network = ""] = networksOf(proxy ?? {});
  const { enable_ipv6: hasIpv6, ipam } = compose.networks?.[network] ?? {};
  assert.equal(hasIpv6, true, network);
  assert.ok(networksOf(service ?? {}).includes(network));
  const { ipv4_address: ipv4 = "", ipv6_address: ipv6 = "" } =
    (proxy?.networks as Readonly<Record<string, Addresses>> | undefined)?.[network] ?? {};
  const inside = new BlockList();
  for (const { subnet } of ipam?.config ?? []) {
    const [address = "", bits] = subnet.split("/");
    inside.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
  }
  assert.ok(inside.check(ipv4, "ipv4") && inside.check(ipv6, "ipv6"), `${ipv4} ${ipv6}`);
  assert.equal(service?.environment?.SEALPOST_TRUSTED_PROXIES, `${ipv4}/32,${ipv6}/128`);
}

/** The settings as the container has them, with its files of secrets in `folder`. */
function checkSettings(service: Service | undefined, folder: string): void {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(service?.environment ?? {})) {
    // As Docker fills them in where the site alone is named.
    environment[name] = value.replace(/\$\{SEALPOST_SITE:\?[^}]*\}/, "forms.example.com").replace(/\$\{\w+:-\}/, "");
    const secret = /^\/run\/secrets\/(\w+)$/.exec(value)?.[1];
    if (secret === undefined) continue;
    assert.ok(service?.secrets?.includes(secret), `${secret} is not handed to the service`);
    writeSecret(folder, secret);
    environment[name] = join(folder, secret);
  }
  const config = loadConfig(environment);
  assert.equal(config.baseUrl, "https://forms.example.com");
  assert.equal(config.secrets?.[0]?.length, 32);
  assert.equal(config.trustedProxies.length, 2);
}

function writeSecret(folder: string, name: string): void {
  const url = "postgres://sealpost:password@postgres/sealpost\n";
  writeFileSync(join(folder, name), name.endsWith("url") ? url : `${randomBytes(32).toString("base64")}\n`);
}
