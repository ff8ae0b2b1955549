/**
 * A program's version as its `--version` prints it. Until version 0.2.0 it says that what is stored and signed may still change:
 * `0.1.0 (pre-release: formats and tables may change until 0.2.0)`.
 *
 * @param version as https://semver.org has it; `0.2.0-rc.1` comes before `0.2.0`.
 */
export function describeVersion(version: string): string {
  const isPreRelease = /^0\.[01]\.|^0\.2\.0-/.test(version);
  return isPreRelease ? `${version} (pre-release: formats and tables may change until 0.2.0)` : version;
}
