import { Elysia } from "elysia";
import { modelsOf, PRICE_SECTIONS } from "../../billing/pricing/list-prices.ts";
import { createModelCatalog } from "../../catalog/catalog.ts";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { pricedNames } from "../../domain/channels/prices/priced-names.ts";
import { servedModels } from "../../domain/channels/routing/abilities.ts";
import { withoutRetired } from "../../domain/channels/upstream/retired-models.ts";
import { HEALTH_DAYS } from "../../domain/logs/usage/read-model-health.ts";
import type { ModelHealthReader } from "../../domain/models/model-health.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { channelTypes } from "../../providers/registry.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { mayReadStatus } from "./public-models.ts";

/** Where list prices were read, and when (a day or a month). */
type ListPriceSource = Readonly<{
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
  const catalog = createModelCatalog(settings);
  const currentTypes = () =>
    channelTypes.map((type) => ({ ...type, models: withoutRetired(catalog(), type.id, type.models) }));
  return new Elysia({ prefix: "/api", name: "console/models" })
    .use(guarded)
    .get("/models", () => ok(Object.fromEntries(currentTypes().map(({ id, models }) => [id, models]))), {
      role: "user",
    })
    .get("/channel_types", () => ok(currentTypes()), { role: "admin" })
    .get(
      "/channel/models",
      () => {
        const names = new Set(currentTypes().flatMap(({ models }) => models));
        return ok([...names].sort().map((id) => ({ id, object: "model" as const })));
      },
      { role: "admin" },
    )
    .get("/channel/list_prices", () => ok(listPrices), { role: "admin" })
    .get("/channel/models_priced", () => ok(pricedNames(settings)), { role: "admin" })
    .get("/channel/models_served", () => ok(servedModels(channels)), { role: "admin" })
    .get("/channel/models_enabled", () => ok(servedModels(channels).map(({ model }) => model)), { role: "admin" });
}

type StatusServices = Readonly<{ settings: SettingsReader; modelHealth: ModelHealthReader }>;

/**
 * GET /api/status/models: health of the models that the caller may use, for administrators and where the site publishes
 * it (StatusPageEnabled). Contains nothing about channels and no numbers of requests. `caller` resolves the signed-in
 * user, if any.
 */
export const modelStatusRoutes = (
  { settings, modelHealth }: StatusServices,
  caller: (request: Request) => Promise<UserEntry | null>,
) =>
  new Elysia({ prefix: "/api/status", name: "console/model-status" }).get("/models", async ({ request }) => {
    const user = await caller(request);
    if (!mayReadStatus(settings, user)) throw new OperationError("status_page_off");
    return ok({ days: HEALTH_DAYS, models: await modelHealth.statuses(user?.group ?? "default") });
  });
