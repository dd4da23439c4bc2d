import { asc, eq } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { usageSinks } from "../../../../db/schema/logs/sinks.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type Language, say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { reasonOf, sayReason, sayStored } from "../../../lib/reason.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import {
  type ConfigInput,
  type ConfigView,
  decryptConfig,
  encryptConfig,
  mergeConfig,
  viewConfig,
} from "./destination-config.ts";
import { readBacklog, readLogEnd } from "./read-calls.ts";
import type { ExportedCall, SinkDeps } from "./sink-type.ts";
import { isSinkType, type SinkTypeName, sinkType } from "./types/index.ts";

type Deps = Readonly<{ db: Db; vault: Vault }>;
type SinkRow = typeof usageSinks.$inferSelect & { type: SinkTypeName };

/** A destination as an administrator sends it. A secret that is missing or empty keeps its stored value. */
export type SinkInput = Readonly<{ name: string; enabled: boolean; config: ConfigInput }>;

/** A destination on the wire; secrets only by whether they are set. */
export type SinkView = ConfigView &
  Readonly<{
    id: number;
    type: SinkTypeName;
    name: string;
    enabled: boolean;
    exported: number;
    /** Calls that wait, counted up to `MOST_COUNTED`. */
    waiting: number;
    /** Seconds since the first of them arrived. */
    lag_seconds: number;
    failures: number;
    last_error: string;
    /** Epoch seconds; null: nothing has been delivered. */
    last_success_at: number | null;
    /** Epoch seconds of the next attempt after a failure; 0: none failed. */
    retry_at: number;
    created_at: number;
  }>;

const MOST_SINKS = 20;
const LONGEST_NAME = 60;
const MOST_COUNTED = 1000;

/** All destinations, oldest first, with what waits for them. */
export async function listSinks({ db, vault }: Deps, language: Language): Promise<SinkView[]> {
  const rows = await db.select().from(usageSinks).orderBy(asc(usageSinks.id));
  const views: SinkView[] = [];
  for (const row of rows) {
    if (isSinkType(row.type)) views.push(await viewSink({ db, vault }, { ...row, type: row.type }, language));
  }
  return views;
}

/**
 * Adds a destination. `fromStart`: it receives all calls that the log has; else those from now on. Throws OperationError.
 */
export async function addSink(
  deps: Deps,
  { type, from_start: fromStart, ...input }: SinkInput & Readonly<{ type: string; from_start: boolean }>,
  language: Language,
): Promise<SinkView> {
  const { db, vault } = deps;
  if (!isSinkType(type)) throw new OperationError("alert_type_invalid");
  const config = mergeConfig(sinkType(type), {}, input.config);
  const columns = columnsOf(input);
  const present = await db.select({ id: usageSinks.id }).from(usageSinks);
  if (present.length >= MOST_SINKS) throw new OperationError("alert_destinations_full", { max: MOST_SINKS });
  const position = fromStart ? 0 : await readLogEnd(logOf(db));
  const values = {
    ...{ ...columns, type, position },
    configCipher: encryptConfig(vault, config),
    createdAt: nowSeconds(),
  };
  const row = requireRow(await db.insert(usageSinks).values(values).returning());
  return viewSink(deps, { ...row, type }, language);
}

/** Changes a destination; its type and position stay, and it is tried at once. Throws OperationError. */
export async function changeSink(
  deps: Deps,
  id: number,
  input: SinkInput,
  language: Language,
): Promise<{ before: SinkView; after: SinkView }> {
  const { db, vault } = deps;
  const stored = await getSink(db, id);
  const config = mergeConfig(sinkType(stored.type), decryptConfig(vault, stored.configCipher), input.config);
  const before = await viewSink(deps, stored, language);
  const changed = { ...columnsOf(input), configCipher: encryptConfig(vault, config), nextAt: 0 };
  const row = requireRow(await db.update(usageSinks).set(changed).where(eq(usageSinks.id, id)).returning());
  return { before, after: await viewSink(deps, { ...row, type: stored.type }, language) };
}

/** Deletes a destination and returns it. Throws OperationError when there is none. */
export async function deleteSink(deps: Deps, id: number, language: Language): Promise<SinkView> {
  const stored = await viewSink(deps, await getSink(deps.db, id), language);
  await deps.db.delete(usageSinks).where(eq(usageSinks.id, id));
  return stored;
}

/** Sends a destination one made-up call. Throws OperationError with the reason when it is refused. */
export async function testSink({ db, vault, ...deps }: Deps & SinkDeps, id: number, language: Language): Promise<void> {
  const { type, configCipher } = await getSink(db, id);
  const testId = `test-${Bun.randomUUIDv7()}`;
  try {
    await sinkType(type).send(decryptConfig(vault, configCipher), { id: testId, calls: [testCall(testId)] }, deps);
  } catch (error) {
    throw new OperationError("sink_refused", { reason: sayReason(reasonOf(error), language) });
  }
}

const testCall = (id: string): ExportedCall => ({
  ...{ id, log_id: 0, created_at: nowSeconds(), request_id: id, user_id: 0, username: "test" },
  ...{ token_id: 0, token_name: "test", group: "default", model: "test", requested_model: "test", channel_id: 0 },
  ...{ is_stream: false, failed: false, status: 200, elapsed_ms: 0, first_token_ms: null },
  ...{ prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, reasoning_tokens: 0, quota: 0, uncovered: 0 },
  service_tier: "",
  tags: ["test"],
  end_user: "",
});

async function getSink(db: Db, id: number): Promise<SinkRow> {
  const [row] = await db.select().from(usageSinks).where(eq(usageSinks.id, id));
  if (!row || !isSinkType(row.type)) throw new OperationError("sink_not_found");
  return { ...row, type: row.type };
}

function columnsOf({ name, enabled }: SinkInput) {
  const trimmed = name.trim();
  if (trimmed === "" || [...trimmed].length > LONGEST_NAME) {
    throw new OperationError("alert_name_invalid", { max: LONGEST_NAME });
  }
  return { name: trimmed, enabled };
}

async function viewSink({ db, vault }: Deps, row: SinkRow, language: Language): Promise<SinkView> {
  const type = sinkType(row.type);
  const config = readConfig(vault, row.configCipher);
  const { waiting, oldest } = await readBacklog(logOf(db), row.position, MOST_COUNTED);
  return {
    ...viewConfig(type, config ?? {}),
    target: config ? type.target(config) : "",
    ...{ id: row.id, type: row.type, name: row.name, enabled: row.enabled, exported: row.exported, waiting },
    lag_seconds: oldest === null ? 0 : Math.max(0, nowSeconds() - oldest),
    failures: row.failures,
    last_error: config ? sayStored(row.lastError, language) : say("sink_config_unreadable", language),
    last_success_at: row.lastSuccessAt,
    retry_at: row.failures > 0 ? row.nextAt : 0,
    created_at: row.createdAt,
  };
}

/** Null: encrypted under another key. */
function readConfig(vault: Vault, cipher: string) {
  try {
    return decryptConfig(vault, cipher);
  } catch {
    return null;
  }
}
