import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createBundledManifest,
  createPublishedManifest,
  findBundled,
  packages,
  readManifest,
} from "../../scripts/release/packages.ts";

for (const one of packages)
  test(`the file of ${one.folder} names no package of ours that is not inside it, and each library that those inside import`, () => {
    const manifest = readManifest(`packages/${one.folder}`);
    const published = createPublishedManifest(one, manifest);
    const { dependencies = {}, bundleDependencies = [] } = published;
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => name.startsWith("@sealpost/")),
      bundleDependencies.toSorted(),
    );
    const bundled = one.kind === "service" ? [] : findBundled(manifest);
    assert.deepEqual(
      bundled.map(({ folder }) => `@sealpost/${folder}`),
      bundleDependencies,
    );
    // npm asks for no optional peer.
    const peers = published as {
      peerDependencies?: object;
      peerDependenciesMeta?: Record<string, { optional: boolean }>;
    };
    for (const name of Object.keys(peers.peerDependencies ?? {}))
      assert.ok(peers.peerDependenciesMeta?.[name]?.optional, name);
    for (const inside of bundled) {
      assert.doesNotMatch(JSON.stringify(createBundledManifest(inside)), /ependencies/, inside.folder);
      for (const [name, wanted] of Object.entries(readManifest(`packages/${inside.folder}`).dependencies ?? {}))
        assert.equal(dependencies[name], wanted, `${inside.folder}: ${name}`);
    }
  });
