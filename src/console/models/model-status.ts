import { Elysia } from "elysia";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import { HEALTH_DAYS } from "../../domain/logs/usage/read-model-health.ts";
import type { ModelHealthReader } from "../../domain/models/model-health.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import { mayReadStatus } from "./public-models.ts";

type Services = Readonly<{ settings: SettingsReader; modelHealth: ModelHealthReader }>;

/**
 * GET /api/status/models: health of the models that the caller may use, for administrators and where the site publishes
 * it (StatusPageEnabled). Contains nothing about channels and no numbers of requests. `caller` resolves the signed-in
 * user, if any.
 */
export const modelStatusRoutes = (
  { settings, modelHealth }: Services,
  caller: (request: Request) => Promise<UserEntry | null>,
) =>
  new Elysia({ prefix: "/api/status", name: "console/model-status" }).get("/models", async ({ request }) => {
    const user = await caller(request);
    if (!mayReadStatus(settings, user)) throw new OperationError("status_page_off");
    return ok({ days: HEALTH_DAYS, models: await modelHealth.statuses(user?.group ?? "default") });
  });
