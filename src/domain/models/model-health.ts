import type { LRUCache } from "lru-cache";
import type { Reads } from "../../../db/server/replica.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { recentEntries } from "../../lib/values/tables/recent-entries.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { usableGroups } from "../accounts/users/usable-groups.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import { type Health, type ModelHealth, readModelHealth } from "../logs/usage/read-model-health.ts";
import { type Performance, readPerformance } from "../logs/usage/read-overview.ts";
import {
  COMPLETE,
  DEGRADED_BELOW,
  DOWN_BELOW,
  MIN_CALLS,
  type ModelIncident,
  readModelIncidents,
  successShare,
} from "./model-incidents.ts";

type Deps = Readonly<{
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

/** How fast a model was in the last days; null: no requests that have the figure. */
export type ModelSpeed = Pick<
  Performance,
  "first_token_p50_ms" | "first_token_p95_ms" | "duration_p50_ms" | "duration_p95_ms" | "tokens_per_second"
>;

export type ModelHealthReader = Readonly<{
  /** The status of every model that the groups usable by `ownGroup` offer, by name. */
  statuses(ownGroup: string): Promise<ModelStatus[]>;
  /** Speed over the last seven days. */
  speedOf(model: string): Promise<ModelSpeed>;
  /** Its incidents in the last 90 days, newest first. */
  incidentsOf(model: string): Promise<readonly ModelIncident[]>;
}>;

const KEEP_MS = 60_000;
const MOST_MODELS = 2000;
const SPEED_DAYS = 7;
const DAY_S = 86_400;
const NO_HEALTH: ModelHealth = { days: [], recent: { count: 0, failed: 0 } };

/** Reads how models do. Figures are at most a minute old, however many readers ask. */
export function createModelHealth({ reads, settings, channels }: Deps): ModelHealthReader {
  const health = memoizeFor(KEEP_MS, () => reads.read((db) => readModelHealth(db, nowSeconds())));
  const speeds = recentEntries<string, Promise<ModelSpeed>>(MOST_MODELS, KEEP_MS);
  const incidents = recentEntries<string, Promise<readonly ModelIncident[]>>(MOST_MODELS, KEEP_MS);
  return {
    async statuses(ownGroup) {
      const groups = [...usableGroups(settings, ownGroup).keys()];
      const names = [...new Set(groups.flatMap((group) => channels.modelsOf(group)))].toSorted();
      const known = await health();
      const canServe = (model: string) =>
        groups.some((group) => (channels.candidates(group, model)?.tiers.length ?? 0) > 0);
      return names.map((name) => statusOf(name, known.get(name) ?? NO_HEALTH, canServe(name)));
    },
    speedOf: (model) =>
      readOnce(speeds, model, () => {
        const end = nowSeconds();
        const filter = { modelNames: [model], start: end - SPEED_DAYS * DAY_S, end };
        return reads.read((db) => readPerformance(db, filter)).then(({ total }) => speedView(total));
      }),
    incidentsOf: (model) =>
      readOnce(incidents, model, () => reads.read((db) => readModelIncidents(db, model, nowSeconds()))),
  };
}

/** What is known of a model, or read now; what could not be read is read again by the next caller. */
function readOnce<Value>(known: LRUCache<string, Promise<Value>>, model: string, read: () => Promise<Value>) {
  const found = known.get(model);
  if (found) return found;
  const reading = read();
  known.set(model, reading);
  reading.catch(() => known.delete(model));
  return reading;
}

const speedView = ({
  first_token_p50_ms,
  first_token_p95_ms,
  duration_p50_ms,
  duration_p95_ms,
  tokens_per_second,
}: Performance): ModelSpeed => ({
  first_token_p50_ms,
  first_token_p95_ms,
  duration_p50_ms,
  duration_p95_ms,
  tokens_per_second,
});

function statusOf(name: string, { days, recent }: ModelHealth, canServe: boolean): ModelStatus {
  // Too few calls now say nothing: then those of today do, though not that it is down.
  const isQuiet = recent.count < MIN_CALLS;
  const latest = isQuiet ? (days.at(-1) ?? recent) : recent;
  const now = latest.count >= MIN_CALLS ? (shareOf(latest) ?? COMPLETE) : COMPLETE;
  return {
    model_name: name,
    state: !canServe || (!isQuiet && now < DOWN_BELOW) ? "down" : now < DEGRADED_BELOW ? "degraded" : "up",
    availability: shareOf({
      count: days.reduce((sum, { count }) => sum + count, 0),
      failed: days.reduce((sum, { failed }) => sum + failed, 0),
    }),
    days: days.map(shareOf),
  };
}

const shareOf = (health: Health): number | null => (health.count === 0 ? null : successShare(health));

/** The result of `read`, read again when it is older than `keepMs`; concurrent callers share one read. */
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
