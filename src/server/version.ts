declare const SLUICE_VERSION: string | undefined;
declare const SLUICE_COMMIT: string | undefined;

/** The bill of materials: inside the executable, or where the build leaves it. */
export const SBOM_FILE: string = Bun.isStandaloneExecutable
  ? "/$bunfs/root/sbom/sluice.cdx.json"
  : `${import.meta.dir}/../../dist/sbom/sluice.cdx.json`;

/** The release, put in by the build; "dev" when run from source. */
export const version: string = typeof SLUICE_VERSION === "string" ? SLUICE_VERSION : "dev";

/** The commit that it was built from; "unknown" from source, or where the build had no repository. */
export const commit: string = typeof SLUICE_COMMIT === "string" ? SLUICE_COMMIT : "unknown";
