/** A file and its SHA-256, in hexadecimal. */
export type Sum = readonly [name: string, sha256: string];

/** What a release was made from, and with. */
export type Origin = Readonly<{ version: string; commit: string; bun: string; lockSha256: string; epoch: number }>;

/** The file that `sha256sum --check` reads. */
export const sumsFile = (sums: readonly Sum[]): string => sums.map(([name, sum]) => `${sum}  ${name}\n`).join("");

/**
 * Says what the files were made from, for a signature: in-toto Statement v1 (https://github.com/in-toto/attestation) with the
 * SLSA provenance v1 predicate (https://slsa.dev/spec/v1.0/provenance). SLUICE_BUILDER and SLUICE_REPOSITORY name the builder
 * and the repository where the release is made for others.
 */
export function provenance(sums: readonly Sum[], { version, commit, bun, lockSha256, epoch }: Origin): string {
  const repository = process.env.SLUICE_REPOSITORY ?? "file:.";
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: sums.map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://bun.sh/docs/bundler/executables",
        externalParameters: { command: "bun run release", version, sourceDateEpoch: epoch },
        resolvedDependencies: [
          { uri: `git+${repository}`, digest: { gitCommit: commit } },
          { uri: `pkg:npm/bun@${bun}` },
          { uri: "bun.lock", digest: { sha256: lockSha256 } },
        ],
      },
      runDetails: { builder: { id: process.env.SLUICE_BUILDER ?? "file:scripts/build/release/release.ts" } },
    },
  };
  return `${JSON.stringify(statement)}\n`;
}
