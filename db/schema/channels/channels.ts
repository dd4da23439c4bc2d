import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, jsonb, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Sentence } from "../../../src/lib/messages.ts";
import { epochSeconds, quotaUnits } from "../columns.ts";

/** Epoch seconds. `recovered`: it came back without an administrator who enabled the channel. */
export type ChannelOutage = { off: number; on: number; recovered: boolean };

export type ChannelOtherInfo = {
  status_reason?: string;
  /** The same by its code, where it is a sentence of ours. */
  status_note?: Sentence;
  status_time?: number;
  /** The last times that it was disabled automatically and came back, oldest first. */
  outages?: readonly ChannelOutage[];
  [key: string]: unknown;
};

/** Values of the column `status`. */
export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Upstream provider connections. JSON given by operators is kept as the text they wrote, validated on save. */
export const channels = pgTable(
  "channels",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    type: integer("type").notNull(),
    name: text("name").notNull(),
    /** All keys of the channel as entered (comma-separated, but for type 41), encrypted. */
    keyCipher: text("key_cipher").notNull(),
    /** 1 enabled, 2 manually disabled, 3 auto disabled. */
    status: integer("status").notNull().default(1),
    priority: bigint("priority", { mode: "number" }).notNull().default(0),
    weight: integer("weight").notNull().default(0),
    baseUrl: text("base_url").notNull().default(""),
    other: text("other").notNull().default(""),
    openaiOrganization: text("openai_organization").notNull().default(""),
    /** 0: no limit. */
    maxInputTokens: integer("max_input_tokens").notNull().default(0),
    models: text("models").array().notNull().default([]),
    groups: text("groups").array().notNull().default(["default"]),
    modelMapping: text("model_mapping").notNull().default(""),
    statusCodeMapping: text("status_code_mapping").notNull().default(""),
    setting: text("setting").notNull().default(""),
    paramOverride: text("param_override").notNull().default(""),
    headerOverride: text("header_override").notNull().default(""),
    modelPrefix: text("model_prefix").notNull().default(""),
    tag: text("tag").notNull().default(""),
    testModel: text("test_model").notNull().default(""),
    autoBan: boolean("auto_ban").notNull().default(true),
    otherInfo: jsonb("other_info").$type<ChannelOtherInfo>().notNull().default({}),
    usedQuota: quotaUnits("used_quota").notNull().default(0),
    /** As the provider reports it, in its own currency; shown only. */
    balance: numeric("balance").notNull().default("0"),
    balanceUpdatedTime: epochSeconds("balance_updated_time").notNull().default(0),
    /** ISO code of the balance's currency; empty: not known. */
    balanceCurrency: text("balance_currency").notNull().default(""),
    /** Why the last query failed; empty: it did not. */
    balanceError: text("balance_error").notNull().default(""),
    /** Below this, in the balance's currency, the super admin is notified; null: as the settings have it. */
    balanceWarnBelow: numeric("balance_warn_below"),
    /** When the notification of a low balance was sent; 0 while it is not. */
    balanceWarnedTime: epochSeconds("balance_warned_time").notNull().default(0),
    /** Milliseconds of the last test; 0 untested. */
    responseTime: integer("response_time").notNull().default(0),
    testTime: epochSeconds("test_time").notNull().default(0),
    createdTime: epochSeconds("created_time").notNull(),
  },
  (t) => [
    index("channels_tag_idx").on(t.tag),
    index("channels_order_idx").on(t.priority, t.id),
    index("channels_status_idx").on(t.status),
    check("channels_status_known", sql`${t.status} in (1, 2, 3)`),
    check("channels_weight_not_negative", sql`${t.weight} >= 0`),
  ],
);

/** State of single keys of a channel; a key without a row is enabled. */
export const channelKeys = pgTable(
  "channel_keys",
  {
    channelId: integer("channel_id")
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    /** Keyed hash of the key, hex. */
    keyHash: text("key_hash").notNull(),
    status: integer("status").notNull(),
    reason: text("reason").notNull().default(""),
    statusTime: epochSeconds("status_time").notNull(),
    /** When it was last tried whether the key works again; 0: never. */
    probedTime: epochSeconds("probed_time").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.keyHash] })],
);

/** What an upstream offers, as of its last answer; compared with the channel's own models when shown. */
export const channelModelLists = pgTable("channel_model_lists", {
  channelId: integer("channel_id")
    .primaryKey()
    .references(() => channels.id, { onDelete: "cascade" }),
  models: text("models").array().notNull().default([]),
  /** Offered names that are not to be reported again. */
  ignored: text("ignored").array().notNull().default([]),
  checkedTime: epochSeconds("checked_time").notNull().default(0),
  /** Why the last query failed; empty: it did not. */
  error: text("error").notNull().default(""),
});

/** Which group may call which model on which channel: derived from channels, kept for queries. */
export const abilities = pgTable(
  "abilities",
  {
    group: text("group").notNull(),
    model: text("model").notNull(),
    channelId: integer("channel_id")
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    enabled: boolean("enabled").notNull(),
    priority: bigint("priority", { mode: "number" }).notNull().default(0),
    weight: integer("weight").notNull().default(0),
    tag: text("tag").notNull().default(""),
  },
  (t) => [
    primaryKey({ columns: [t.group, t.model, t.channelId] }),
    index("abilities_channel_idx").on(t.channelId),
    index("abilities_model_idx").on(t.model),
  ],
);

/** What was found when it was checked whether a channel serves the model that it claims to. */
export const channelChecks = pgTable(
  "channel_checks",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedByDefaultAsIdentity(),
    channelId: integer("channel_id")
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    model: text("model").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** From 0 to 100; null: the channel answered nothing that could be checked. */
    score: integer("score"),
    findings: jsonb("findings").$type<readonly Readonly<Record<string, unknown>>[]>().notNull(),
    /** The version of the questions. */
    probes: text("probes").notNull(),
    cost: quotaUnits("cost").notNull(),
  },
  (t) => [index("channel_checks_of_idx").on(t.channelId, t.model, t.id)],
);
