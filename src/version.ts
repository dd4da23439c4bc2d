declare const SLUICE_VERSION: string | undefined;

/** The release, put in by the build; "dev" when run from source. */
export const version: string = typeof SLUICE_VERSION === "string" ? SLUICE_VERSION : "dev";
