import { applyUpdate, fetchCatalog } from "../../domain/models/catalog/update-catalog.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Settings } from "../../settings/settings.ts";

type JobDeps = Readonly<{
  settings: Settings;
  fetch: SafeFetch;
  log: Logger;
  config: Readonly<{ isOffline: boolean }>;
}>;

const DAY_SECONDS = 24 * 3600;

/**
 * Returns what fetches and applies the model catalog once a day has passed since it last tried, or since anybody applied one,
 * where ModelCatalogAutoUpdate is on and the site is not offline. An invalid document changes nothing. Rejects while the last try has failed, so that the
 * job does not look as if it had succeeded. `now`: epoch seconds.
 */
export function createCatalogUpdate({ settings, fetch, log, config }: JobDeps, now: () => number): () => Promise<void> {
  let triedAt = 0;
  let failure: unknown = null;
  return async () => {
    if (config.isOffline || !settings.get("ModelCatalogAutoUpdate")) return;
    const last = Math.max(triedAt, settings.get("ModelCatalogUpdate").applied_at);
    if (now() - last < DAY_SECONDS) {
      if (failure && triedAt === last) throw failure;
      return;
    }
    triedAt = now();
    failure = null;
    try {
      const read = await fetchCatalog({ settings }, fetch);
      const { plan } = await applyUpdate({ settings }, read, {
        url: settings.get("ModelCatalogUrl"),
        nowSeconds: now(),
      });
      const prices = plan.prices.filter(({ applies }) => applies).length;
      log.info({ models: plan.changes.length, prices }, "the model catalog was updated");
    } catch (error) {
      failure = error;
      throw error;
    }
  };
}
