import { Elysia } from "elysia";
import type { Db } from "../../../db/types.ts";
import { createPriceTable } from "../../billing/pricing/price-table.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { readDecisions } from "../../domain/system/decisions.ts";
import { readFirstSteps } from "../../domain/system/first-steps.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type Services = Readonly<{ db: Db; channels: Pick<ChannelDirectory, "all">; settings: SettingsReader }>;

/** Progress of a new gateway toward its first successful request, and what waits for a decision of an administrator. */
export function firstStepsRoutes({ db, channels, settings }: Services, guarded: ReturnType<typeof guard>) {
  const prices = createPriceTable(settings);
  const priced = () => ({ db, channels, prices, needsPrices: !settings.get("SelfUseModeEnabled") });
  return new Elysia({ prefix: "/api/system", name: "console/first-steps" })
    .use(guarded)
    .get("/first_steps", async ({ actor }) => ok(await readFirstSteps(priced(), actor.id)), { role: "root" })
    .get("/decisions", async () => ok(await readDecisions(priced())), { role: "admin" });
}
