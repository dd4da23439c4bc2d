import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { matchesGlob } from "../../../catalog/catalog.ts";
import { CATALOG_FEEDS } from "../../../catalog/readers/read-source.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Settings } from "../../../settings/settings.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import type { Selection, UpdatePlan } from "./plan-update.ts";
import { recordCatalogChange } from "./record-catalog-change.ts";
import {
  applyUpdate,
  type FeedAddresses,
  previewUpdate,
  readSource,
  type UpdateSource,
  undoUpdate,
} from "./update-catalog.ts";

/** What `sluice catalog` does. */
export type CatalogAction =
  | Readonly<{
      action: "update";
      /** `models.dev`, `openrouter`, the address of another Sluice, or `settings`: the address of the settings. */
      from: string;
      /** The text of a file instead; null: none. */
      document: string | null;
      /** Models by a pattern with `*`; null: all. */
      only: string | null;
      applies: boolean;
    }>
  | Readonly<{ action: "undo" }>;

export type CatalogResult =
  | Readonly<{ plan: UpdatePlan; url: string; isApplied: boolean }>
  | Readonly<{ retained: readonly string[] }>;

type Deps = Readonly<{
  db: Db;
  settings: Settings;
  fetch: SafeFetch;
  config: Readonly<{ catalogFeeds: FeedAddresses; isOffline: boolean }>;
}>;

/** Carries a command out. Changes stand in the log of the first super administrator. Throws OperationError. */
export async function runCatalogAction(deps: Deps, action: CatalogAction): Promise<CatalogResult> {
  if (action.action === "undo") {
    let retained: readonly string[] = [];
    await record(deps, async () => {
      const undone = await undoUpdate(deps);
      retained = undone.retained;
      return undone.changed;
    });
    return { retained };
  }
  const source = await readSource(
    { ...deps, feeds: deps.config.catalogFeeds, isOffline: deps.config.isOffline },
    deps.fetch,
    sourceOf(action),
  );
  const { url } = source;
  const proposed = previewUpdate(deps, source);
  const plan = action.only === null ? proposed : only(proposed, action.only);
  if (!action.applies) return { plan, url, isApplied: false };
  let applied = plan;
  await record(deps, async () => {
    const done = await applyUpdate(deps, source, { url, nowSeconds: nowSeconds(), selection: selectionOf(plan) });
    applied = done.plan;
    return done.changed;
  });
  return { plan: applied, url, isApplied: true };
}

async function record(deps: Deps, work: () => Promise<readonly string[]>): Promise<void> {
  const [first] = await deps.db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.role, ROLE.root))
    .orderBy(users.id)
    .limit(1);
  if (first) await recordCatalogChange(deps, first, work);
  else await work();
}

function sourceOf({ from, document }: Extract<CatalogAction, { action: "update" }>): UpdateSource {
  if (document !== null) return { document };
  if (from === "settings") return { feed: null };
  const feed = CATALOG_FEEDS.find((name) => name.toLowerCase() === from.toLowerCase());
  return { feed: feed ?? "Sluice", address: from };
}

function only({ changes, prices }: UpdatePlan, pattern: string): UpdatePlan {
  const parts = pattern.toLowerCase().split("*");
  const fits = ({ model }: Readonly<{ model: string }>) => matchesGlob(parts, model.toLowerCase());
  return { changes: changes.filter(fits), prices: prices.filter(fits) };
}

/** Everything that a plan shows, own prices left out. */
function selectionOf({ changes, prices }: UpdatePlan): Selection {
  const fields = new Map<string, string[]>();
  const add = (model: string, names: readonly string[]) => fields.set(model, [...(fields.get(model) ?? []), ...names]);
  for (const { model, fields: changed } of changes)
    add(
      model,
      changed.map(({ field }) => field),
    );
  for (const { model, applies } of prices) if (applies) add(model, ["price"]);
  return [...fields].map(([model, names]) => ({ model, fields: names }));
}

/** Reads a command that a gateway was sent. Throws on anything else. */
export function readCatalogAction(text: string): CatalogAction {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "action" in value) {
    if (value.action === "undo") return { action: "undo" };
    if (value.action === "update" && "from" in value && typeof value.from === "string") {
      return {
        ...{ action: "update", from: value.from },
        document: "document" in value && typeof value.document === "string" ? value.document : null,
        only: "only" in value && typeof value.only === "string" ? value.only : null,
        applies: "applies" in value && value.applies === true,
      };
    }
  }
  throw new Error("unknown action");
}
