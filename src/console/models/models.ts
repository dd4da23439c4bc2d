import { Elysia } from "elysia";
import { modelsOf, PRICE_SECTIONS } from "../../billing/pricing/list-prices.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { pricedNames } from "../../domain/channels/prices/priced-names.ts";
import { servedModels } from "../../domain/channels/routing/served-models.ts";
import { channelTypes } from "../../providers/registry.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Where list prices were read, and when (a day or a month). */
export type ListPriceSource = Readonly<{
  provider: string;
  as_of: string;
  sources: readonly string[];
  models: readonly string[];
}>;

/** The sources that ship with this release. */
const listPrices = PRICE_SECTIONS.map(
  (section): ListPriceSource => ({
    provider: section.provider,
    as_of: section.asOf,
    sources: section.sources,
    models: modelsOf(section),
  }),
);

type Services = Readonly<{ channels: ChannelDirectory; settings: SettingsReader }>;

/** Models built into channel types, models enabled by channels, and which of them have a price. */
export function modelRoutes({ channels, settings }: Services, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api", name: "console/models" })
    .use(guarded)
    .get("/models", () => ok(Object.fromEntries(channelTypes.map(({ id, models }) => [id, models]))), { role: "user" })
    .get("/channel_types", () => ok(channelTypes), { role: "admin" })
    .get(
      "/channel/models",
      () => {
        const names = new Set(channelTypes.flatMap(({ models }) => models));
        return ok([...names].sort().map((id) => ({ id, object: "model" as const })));
      },
      { role: "admin" },
    )
    .get("/channel/list_prices", () => ok(listPrices), { role: "admin" })
    .get("/channel/models_priced", () => ok(pricedNames(settings)), { role: "admin" })
    .get("/channel/models_served", () => ok(servedModels(channels)), { role: "admin" })
    .get("/channel/models_enabled", () => ok(servedModels(channels).map(({ model }) => model)), { role: "admin" });
}
