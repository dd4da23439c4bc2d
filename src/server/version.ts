declare const SLUICE_VERSION: string | undefined;
declare const SLUICE_COMMIT: string | undefined;

/** The release, put in by the build; "dev" when run from source. */
export const version: string = typeof SLUICE_VERSION === "string" ? SLUICE_VERSION : "dev";

/** The commit that it was built from; "unknown" from source, or where the build had no repository. */
export const commit: string = typeof SLUICE_COMMIT === "string" ? SLUICE_COMMIT : "unknown";
