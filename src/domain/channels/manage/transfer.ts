import { asc, gt } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ChannelRow } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { type ChannelInput, checkReferences, readChannelInput } from "./channel-input.ts";
import { checkKeyStays, destinationOf } from "./key-destination.ts";
import { createChannel, updateChannel } from "./write-channel.ts";

/** A channel in a file: what an operator entered, in the names of the API. */
export type ChannelFileEntry = ChannelInput & Readonly<{ type: number; name: string }>;

/** What an import would do with one entry of a file. */
export type PlannedChannel = Readonly<{
  name: string;
  action: "new" | "changed" | "same" | "refused";
  /** The channel it means; null: a new one. */
  id: number | null;
  /** Names of the fields that would change. */
  fields: readonly string[];
  /** Why it is refused. */
  error: OperationError | null;
}>;

type ReadDeps = Readonly<{ db: Db; vault: Vault }>;

const SLICE = 500;

/** Channels for a file, by id; keys, and proxies with a password in their address, only `withSecrets`. No ids: all. */
export async function exportChannels(
  deps: ReadDeps,
  actor: Actor,
  ids: readonly number[] | null,
  withSecrets: boolean,
): Promise<ChannelFileEntry[]> {
  const rows = await readRows(deps.db, ids);
  await writeManagementLog(
    deps.db,
    actor,
    `Exported ${rows.length} channels ${withSecrets ? "with" : "without"} their keys`,
    {
      note: {
        code: withSecrets ? "channels_exported_with_keys" : "channels_exported",
        params: { count: rows.length },
      },
      action: "read",
    },
  );
  return rows.map((row) => {
    const entry = entryOf(row);
    if (withSecrets) return { ...entry, key: deps.vault.decrypt(row.keyCipher) };
    return { ...entry, setting: withoutPassword(entry.setting) };
  });
}

/** What it would do if `actor` imported these entries, without doing it. An entry means the channel that has its name and type. */
export async function planChannelImport(
  deps: ReadDeps,
  actor: Actor,
  input: readonly ChannelFileEntry[],
): Promise<PlannedChannel[]> {
  const known = Map.groupBy(await readRows(deps.db, null), nameAndType);
  return input.map((entry): PlannedChannel => {
    const row = known.get(nameAndType(entry))?.shift();
    const plan = { name: entry.name, id: row?.id ?? null, fields: [], error: null };
    try {
      checkReferences(actor, entry.key, entry.type);
      if (!row) return { ...plan, action: "new", fields: checkNew(entry, deps.vault) };
      const fields = changedFields(actor, row, entry, deps.vault);
      return { ...plan, action: fields.length > 0 ? "changed" : "same", fields };
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      return { ...plan, action: "refused", error };
    }
  });
}

/** Creates and changes what the plan of these entries says. Returns how many of each, and what was refused. */
export async function importChannels(
  deps: ChannelDeps,
  actor: Actor,
  input: readonly ChannelFileEntry[],
): Promise<Readonly<{ created: number; changed: number; refused: PlannedChannel[] }>> {
  const plans = await planChannelImport(deps, actor, input);
  const refused = plans.filter(({ action }) => action === "refused");
  const done = { created: 0, changed: 0 };
  for (const [index, plan] of plans.entries()) {
    const entry = input[index];
    if (!entry || plan.action === "refused" || plan.action === "same") continue;
    try {
      if (plan.id === null) {
        await createChannel(deps, actor, entry);
        done.created += 1;
      } else {
        await updateChannel(deps, actor, plan.id, pick(entry, plan.fields));
        done.changed += 1;
      }
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      refused.push({ ...plan, action: "refused", error });
    }
  }
  await writeManagementLog(deps.db, actor, `Imported channels: ${done.created} new, ${done.changed} changed`, {
    note: { code: "channels_imported", params: { created: done.created, changed: done.changed } },
    action: "update",
    after: { ...done, refused: refused.length },
  });
  return { ...done, refused };
}

async function readRows(db: Db, ids: readonly number[] | null): Promise<ChannelRow[]> {
  if (ids) return db.select().from(channels).where(isOneOf(channels.id, ids)).orderBy(asc(channels.id));
  const rows: ChannelRow[] = [];
  for (let last = 0; ; last = rows.at(-1)?.id ?? 0) {
    const slice = await db.select().from(channels).where(gt(channels.id, last)).orderBy(asc(channels.id)).limit(SLICE);
    rows.push(...slice);
    if (slice.length < SLICE) return rows;
  }
}

/** Everything but the key. Switched off automatically counts as on: the trouble need not go along. */
const entryOf = (row: ChannelRow) => ({
  type: row.type,
  name: row.name,
  status: row.status === 2 ? 2 : 1,
  priority: row.priority,
  weight: row.weight,
  base_url: row.baseUrl,
  other: row.other,
  openai_organization: row.openaiOrganization,
  max_input_tokens: row.maxInputTokens,
  models: row.models.join(","),
  group: row.groups.join(","),
  model_mapping: row.modelMapping,
  status_code_mapping: row.statusCodeMapping,
  setting: row.setting,
  param_override: row.paramOverride,
  header_override: row.headerOverride,
  model_prefix: row.modelPrefix,
  tag: row.tag,
  test_model: row.testModel,
  auto_ban: row.autoBan ? 1 : 0,
  balance_warn_below: row.balanceWarnBelow === null ? null : Number(row.balanceWarnBelow),
});

const nameAndType = ({ name, type }: Pick<ChannelFileEntry, "name" | "type">): string => `${type} ${name.trim()}`;

function checkNew(entry: ChannelFileEntry, vault: Vault): string[] {
  const { name, keyCipher, models } = readChannelInput({ other: "", ...entry }, entry.type, vault);
  if (!name || !keyCipher) throw new OperationError("channel_name_and_key_required");
  if (!models?.length) throw new OperationError("channel_model_required");
  return Object.keys(entry);
}

/**
 * Fields that are present in the entry and differ; an empty or masked key means the one there is. Throws OperationError where
 * that must be entered again.
 */
function changedFields(actor: Actor, row: ChannelRow, entry: ChannelFileEntry, vault: Vault): string[] {
  const values = readChannelInput(entry, entry.type, vault);
  checkKeyStays(actor, row, values, vault);
  const { keyCipher } = values;
  const present: Readonly<Record<string, unknown>> = entryOf(row);
  const fields = Object.entries(entry)
    .filter(([field, value]) => Object.hasOwn(present, field) && String(value ?? "") !== String(present[field] ?? ""))
    .map(([field]) => field);
  if (keyCipher === undefined) return fields;
  const isNewKey = vault.decrypt(keyCipher) !== vault.decrypt(row.keyCipher);
  // The same key for another destination has been entered again.
  return isNewKey || destinationOf(row) !== destinationOf({ ...row, ...values }) ? [...fields, "key"] : fields;
}

const pick = (entry: ChannelFileEntry, fields: readonly string[]): ChannelInput =>
  Object.fromEntries(Object.entries(entry).filter(([field]) => fields.includes(field)));

function withoutPassword(setting: string): string {
  try {
    const { proxy, ...rest } = JSON.parse(setting) as Record<string, unknown>;
    return typeof proxy === "string" && URL.parse(proxy)?.password ? JSON.stringify(rest) : setting;
  } catch {
    return setting;
  }
}
