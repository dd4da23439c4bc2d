import { createPriceTable } from "../../billing/pricing/price-table.ts";
import { createModelCatalog, type ModelInfo } from "../../catalog/catalog.ts";
import { ROLE } from "../../domain/accounts/access/roles.ts";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import {
  listPrices,
  openPrices,
  type PriceBook,
  type PricedModel,
  type PriceList,
} from "../../domain/channels/prices/list-prices.ts";
import type { ModelHealthReader, ModelSpeed, ModelStatus } from "../../domain/models/model-health.ts";
import type { ModelIncident } from "../../domain/models/model-incidents.ts";
import type { SettingsReader } from "../../settings/settings.ts";

type Services = Readonly<{ settings: SettingsReader; channels: ChannelDirectory; modelHealth: ModelHealthReader }>;

/** What a model's page says besides its price; null: not known. */
type ModelFactsView = Pick<ModelInfo, "name" | "provider" | "description" | "tools" | "structured_output"> &
  Readonly<{ reasoning: boolean | null; efforts: readonly string[] }>;

/** Everything that the public page of a model shows. */
export type ModelPageView = Readonly<{
  model: PricedModel;
  facts: ModelFactsView;
  /** Whether the caller's groups offer what its provider recommends in its place. */
  offers_successor: boolean;
  /** Null: the site does not publish how models do. */
  status: ModelStatus | null;
  speed: ModelSpeed | null;
  /** Of the last 90 days, newest first. */
  incidents: readonly ModelIncident[] | null;
}>;

/** Whether a caller may read how models do: administrators, and everybody where the site publishes it. */
export const mayReadStatus = (settings: SettingsReader, user: UserEntry | null): boolean =>
  settings.get("StatusPageEnabled") || (user !== null && user.role >= ROLE.admin);

/** Reads what visitors may know of models; visitors see what the default group may use. */
export function createPublicModels({ settings, channels, modelHealth }: Services) {
  const deps = { settings, channels, prices: createPriceTable(settings), catalog: createModelCatalog(settings) };
  return {
    prices: (group: string): PriceList => listPrices(deps, group),
    book: (group: string): PriceBook => openPrices(deps, group),
    /** The page of a model; null where the caller's groups do not offer it. */
    async page(name: string, user: UserEntry | null): Promise<ModelPageView | null> {
      const group = user?.group ?? "default";
      const book = openPrices(deps, group);
      if (book.groupsOf(name).length === 0) return null;
      const model = book.priceOf(name);
      const offersSuccessor = model.successor !== null && book.groupsOf(model.successor).length > 0;
      const known = { model, facts: factsView(deps.catalog().find(name)), offers_successor: offersSuccessor };
      if (!mayReadStatus(settings, user)) return { ...known, status: null, speed: null, incidents: null };
      const [statuses, speed, incidents] = await Promise.all([
        modelHealth.statuses(group),
        modelHealth.speedOf(name),
        modelHealth.incidentsOf(name),
      ]);
      return { ...known, status: statuses.find(({ model_name }) => model_name === name) ?? null, speed, incidents };
    },
  };
}

export type PublicModels = ReturnType<typeof createPublicModels>;

const factsView = ({
  name,
  provider,
  description,
  tools,
  structured_output,
  reasoning,
}: ModelInfo): ModelFactsView => ({
  name,
  provider,
  description,
  tools,
  structured_output,
  reasoning: reasoning && reasoning.style !== "none",
  efforts: reasoning?.efforts ?? [],
});
