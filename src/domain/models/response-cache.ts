import type { Settings } from "../../settings/settings.ts";

/** Leaves all responses in the caches of all replicas behind: nothing of them is used any more. */
export const clearResponseCache = (settings: Pick<Settings, "change">): Promise<unknown> =>
  settings.change(["ResponseCacheGeneration"], (textOf) => {
    const next = Number(textOf("ResponseCacheGeneration")) + 1;
    return new Map([["ResponseCacheGeneration", String(next)]]);
  });
