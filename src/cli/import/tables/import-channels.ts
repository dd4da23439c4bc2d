import { channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import {
  type ChannelInput,
  type ChannelValues,
  readChannelInput,
} from "../../../domain/channels/manage/channel-input.ts";
import { rebuildAbilities } from "../../../domain/channels/routing/abilities.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { decimal, toText } from "../../../lib/values/decimal.ts";
import { providerOf } from "../../../providers/registry.ts";
import { mappingForDeployments, type Translated, translateChannel, translateKin } from "../channels.ts";
import type { Family } from "../coverage/detect-family.ts";
import { type IdMap, inStatements, type Migration } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, createFreeIds, flagOf, integerIn, objectOf, textOf } from "../values.ts";
import { type KeyState, keyStatesOf, overridesOf, settingsOf, splitServiceAccounts } from "./channel-details.ts";

const KIND = "channels";
const ENABLED = 1;
const DISABLED = 2;

/** one-api, new-api and Veloera share calls by weight + 10, this one by weight. */
const WEIGHT_FLOOR = 10;
const ADDS_TO_WEIGHTS: ReadonlySet<Family> = new Set(["one-api", "new-api", "Veloera"]);

type Ready = Readonly<{ id: number; values: ChannelValues; mark: string; keyStates: readonly KeyState[] }>;

/** Imports channels with encrypted keys, and rebuilds which group may call which model on them. */
export async function importChannels(migration: Migration): Promise<IdMap> {
  const { source, database, report, isDry } = migration;
  const ids = await createFreeIds(migration, "channels", "channels");
  const map = new Map<number, number>();
  const section = report.section(KIND);
  const known = await marksHere(migration);
  const addsToWeights = ADDS_TO_WEIGHTS.has(migration.family) && (await haveDifferentWeights(migration));
  if (addsToWeights) report.remark(KIND, `weights are ${WEIGHT_FLOOR} higher, so that shares stay as they were`);
  const toHere = addsToWeights ? withWeightFloor : (row: SourceRow) => row;
  for await (const rows of source.slices("channels")) {
    section.read += rows.length;
    const ready = rows.flatMap((row) => prepareAll(migration, toHere(row)));
    const fresh = ready.filter(({ mark }) => !known.has(mark));
    const assigned = await ids.assign(fresh.map(({ id }) => id));
    for (const { id, mark } of ready) {
      const here = known.get(mark) ?? assigned.get(id);
      if (here !== undefined && id > 0) map.set(id, here);
    }
    section.present += ready.length - fresh.length;
    section.added += fresh.length;
    if (isDry) continue;
    await database.db.transaction(async (tx) => {
      const added = fresh.map(({ id, values }) => ({ ...complete(values), id: assigned.get(id) ?? 0 }));
      await inStatements(added, (part) => tx.insert(channels).values(part));
      const off = fresh.flatMap(({ id, keyStates }) =>
        keyStates.map(({ key, ...state }) => ({
          ...{ channelId: assigned.get(id) ?? 0, keyHash: migration.vault.keyedHash(key) },
          ...state,
        })),
      );
      await inStatements(off, (part) => tx.insert(channelKeys).values(part).onConflictDoNothing());
      await rebuildAbilities(
        tx,
        added.map(({ id }) => id),
      );
    });
  }
  await ids.finish();
  return map;
}

/** Whether weights decide anything at the source: equal ones mean equal shares, by either rule. */
async function haveDifferentWeights({ source }: Migration): Promise<boolean> {
  const weights = new Set<number>();
  for await (const rows of source.slices("channels")) for (const row of rows) weights.add(integerIn(row, "weight"));
  return weights.size > 1;
}

const withWeightFloor = (row: SourceRow): SourceRow => ({
  ...row,
  weight: Math.max(0, integerIn(row, "weight")) + WEIGHT_FLOOR,
});

/**
 * What a channel is known by when it comes again; those made in one go differ by their keys only. A channel without a time at the
 * source has that of its import here.
 */
const markOf = ({ vault }: Migration, createdTime: number, name: string, key: string): string =>
  `${createdTime}:${name}:${vault.keyedHash(key)}`;

async function marksHere(migration: Migration): Promise<Map<string, number>> {
  const { database, vault } = migration;
  const rows = await database.db
    .select({ id: channels.id, name: channels.name, cipher: channels.keyCipher, createdTime: channels.createdTime })
    .from(channels);
  return new Map(
    rows.flatMap(({ id, name, cipher, createdTime }) =>
      [0, createdTime].map((time) => [markOf(migration, time, name, vault.decrypt(cipher)), id] as const),
    ),
  );
}

function prepareAll(migration: Migration, row: SourceRow): Ready[] {
  const { family, report } = migration;
  const translated = translate(family, row);
  if (typeof translated === "string") {
    report.skip(KIND, `#${integerIn(row, "id")} ${textOf(row, "name")}: ${translated}`);
    return [];
  }
  return splitServiceAccounts({ ...row, key: translated.key }, translated.type, report).flatMap(
    (each) => prepare(migration, each, { ...translated, key: textOf(each, "key") }) ?? [],
  );
}

function prepare(migration: Migration, row: SourceRow, translated: Translated): Ready | null {
  const { family, vault, report } = migration;
  const id = integerIn(row, "id");
  const label = `#${id} ${textOf(row, "name")}`;
  try {
    const { setting, isSafe } = settingsOf(row, report);
    const input = { ...inputOf(row, translated, family), setting, ...overridesOf(row, report) };
    const values = readChannelInput(input, translated.type, vault);
    if (!values.name || !values.keyCipher) return skip(report, `${label}: without a name or key`);
    const createdTime = integerIn(row, "created_time");
    const isKnown = providerOf(translated.type) !== undefined;
    if (!isKnown) report.remark(KIND, `disabled, type ${translated.type} is unknown here (${label})`);
    const status = integerIn(row, "status", ENABLED);
    return {
      id,
      mark: markOf(migration, createdTime, values.name, vault.decrypt(values.keyCipher)),
      keyStates: keyStatesOf(row),
      values: {
        ...values,
        createdTime: createdTime || nowSeconds(),
        status: isKnown && isSafe && status >= 1 && status <= 3 ? status : DISABLED,
        otherInfo: objectOf(row, "other_info"),
        usedQuota: balanceOf(row, "used_quota"),
        balance: balanceText(row),
        balanceUpdatedTime: integerIn(row, "balance_updated_time"),
        responseTime: integerIn(row, "response_time"),
        testTime: integerIn(row, "test_time"),
      },
    };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return skip(report, `${label}: ${say(error.code, "en", error.params)}`);
  }
}

function translate(family: Family, row: SourceRow): Translated | string {
  if (family === "one-api") return translateChannel(row);
  // What LiteLLM, one-hub and done-hub have has been made channels of this gateway already.
  if (family === "new-api" || family === "Veloera") return translateKin(row);
  const [key, baseUrl, other] = ["key", "base_url", "other"].map((column) => textOf(row, column));
  return { type: integerIn(row, "type"), key: key ?? "", baseUrl: baseUrl ?? "", other: other ?? "" };
}

function skip(report: Migration["report"], reason: string): null {
  report.skip(KIND, reason);
  return null;
}

const inputOf = (row: SourceRow, { type, key, baseUrl, other }: Translated, family: string): ChannelInput => ({
  type,
  key,
  other,
  base_url: baseUrl,
  name: textOf(row, "name"),
  models: textOf(row, "models"),
  group: textOf(row, "group") || "default",
  priority: integerIn(row, "priority"),
  weight: integerIn(row, "weight"),
  openai_organization: textOf(row, "openai_organization") || textOf(row, "open_ai_organization"),
  model_mapping: mappingForDeployments(row, type, family),
  status_code_mapping: textOf(row, "status_code_mapping"),
  model_prefix: textOf(row, "model_prefix"),
  tag: textOf(row, "tag"),
  test_model: textOf(row, "test_model"),
  auto_ban: flagOf(row, "auto_ban", true),
});

function balanceText(row: SourceRow): string {
  try {
    return toText(decimal(textOf(row, "balance") || "0"));
  } catch {
    return "0";
  }
}

/** readChannelInput leaves out what a form may leave out; here name, key and type are there. */
const complete = ({ type = 1, name = "", keyCipher = "", createdTime = 0, ...rest }: ChannelValues) => ({
  ...rest,
  type,
  name,
  keyCipher,
  createdTime,
});
