import { Elysia } from "elysia";
import type { UserEntry } from "../accounts/directory.ts";
import { createPriceTable } from "../billing/pricing/price-table.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import { listPrices } from "../channels/list-prices.ts";
import type { SettingsReader } from "../settings/settings.ts";
import { ok } from "./envelope.ts";

type Services = Readonly<{ settings: SettingsReader; channels: ChannelDirectory }>;

/** GET /api/pricing: open to visitors, who see the default group's prices. `caller` finds who is signed in, if anybody. */
export function pricingRoutes(
  { settings, channels }: Services,
  caller: (request: Request) => Promise<UserEntry | null>,
) {
  const deps = { settings, channels, prices: createPriceTable(settings) };
  return new Elysia({ prefix: "/api", name: "console/pricing" }).get("/pricing", async ({ request }) => {
    const group = (await caller(request))?.group ?? "default";
    const { models, groupRatio, usableGroups } = listPrices(deps, group);
    return { ...ok(models), group_ratio: groupRatio, usable_group: usableGroups, group };
  });
}
