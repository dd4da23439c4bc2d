import { Elysia } from "elysia";
import type { Reads } from "../../../db/server/replica.ts";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import { ROLE } from "../../domain/accounts/roles.ts";
import { usableGroups } from "../../domain/accounts/usable-groups.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import {
  HEALTH_DAYS,
  type Health,
  type ModelHealth,
  readModelHealth,
} from "../../domain/logs/usage/read-model-health.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";

type Services = Readonly<{
  reads: Reads;
  settings: SettingsReader;
  channels: Pick<ChannelDirectory, "modelsOf" | "candidates">;
}>;

/** Health of a model, as success rates in ten-thousandths, never as numbers of requests. */
export type ModelStatus = Readonly<{
  model_name: string;
  state: "up" | "degraded" | "down";
  /** Over all days; null: no requests. */
  availability: number | null;
  /** By day (UTC), oldest first, today last; null: no requests. */
  days: readonly (number | null)[];
}>;

const KEEP_MS = 60_000;
const COMPLETE = 10_000;
/** Below this many requests a current rate is not meaningful. */
const TELLING_CALLS = 5;
const DEGRADED_BELOW = 9000;
const DOWN_BELOW = 1000;
const NO_HEALTH: ModelHealth = { days: [], recent: { count: 0, failed: 0 } };

/**
 * GET /api/status/models: health of the models that the caller may use, for administrators and where the site publishes
 * it (StatusPageEnabled). Contains nothing about channels and no numbers of requests. `caller` resolves the signed-in
 * user, if any.
 */
export function modelStatusRoutes(
  { reads, settings, channels }: Services,
  caller: (request: Request) => Promise<UserEntry | null>,
) {
  const health = memoizeFor(KEEP_MS, () => reads.read((db) => readModelHealth(db, nowSeconds())));
  return new Elysia({ prefix: "/api/status", name: "console/model-status" }).get("/models", async ({ request }) => {
    const user = await caller(request);
    const isAdmin = user !== null && user.role >= ROLE.admin;
    if (!isAdmin && !settings.get("StatusPageEnabled")) throw new OperationError("status_page_off");
    const groups = [...usableGroups(settings, user?.group ?? "default").keys()];
    const names = [...new Set(groups.flatMap((group) => channels.modelsOf(group)))].toSorted();
    const known = await health();
    const canServe = (model: string) =>
      groups.some((group) => (channels.candidates(group, model)?.tiers.length ?? 0) > 0);
    const models = names.map((name) => statusOf(name, known.get(name) ?? NO_HEALTH, canServe(name)));
    return ok({ days: HEALTH_DAYS, models });
  });
}

function statusOf(name: string, { days, recent }: ModelHealth, canServe: boolean): ModelStatus {
  const now = recent.count >= TELLING_CALLS ? (shareOf(recent) ?? COMPLETE) : COMPLETE;
  return {
    model_name: name,
    state: !canServe || now < DOWN_BELOW ? "down" : now < DEGRADED_BELOW ? "degraded" : "up",
    availability: shareOf({
      count: days.reduce((sum, { count }) => sum + count, 0),
      failed: days.reduce((sum, { failed }) => sum + failed, 0),
    }),
    days: days.map(shareOf),
  };
}

/** Rounded down, so that only a model without any failure reaches 100 %. */
const shareOf = ({ count, failed }: Health): number | null =>
  count === 0 ? null : Math.floor(((count - failed) * COMPLETE) / count);

/** What `read` resolves with, asked again when that is older than `keepMs`; many who ask at once wait for one answer. */
function memoizeFor<Value>(keepMs: number, read: () => Promise<Value>): () => Promise<Value> {
  let readAt = Number.NEGATIVE_INFINITY;
  let retained: Promise<Value> | null = null;
  return () => {
    if (retained && performance.now() - readAt < keepMs) return retained;
    readAt = performance.now();
    const reading = read();
    retained = reading;
    reading.catch(() => {
      if (retained === reading) retained = null;
    });
    return reading;
  };
}
