import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { users } from "./accounts/users.ts";
import { epochSeconds } from "./columns.ts";

/** Where alerts go: a chat, a pager or a webhook of the site or of a user. */
export const alertDestinations = pgTable(
  "alert_destinations",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** Whose it is; null: the site's. */
    userId: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
    type: text("type").notNull(),
    name: text("name").notNull(),
    /** Of its messages: `en` or `zh`. */
    language: text("language").notNull().default("en"),
    /** Addresses, tokens and keys as JSON, encrypted. */
    configCipher: text("config_cipher").notNull(),
    enabled: boolean("enabled").notNull().default(true),
    /** `22:00`: from then on until `quietUntil` only critical alerts are sent, in `timeZone`; empty: no quiet hours. */
    quietFrom: text("quiet_from").notNull().default(""),
    quietUntil: text("quiet_until").notNull().default(""),
    timeZone: text("time_zone").notNull().default("UTC"),
    /** Alerts of so many minutes are sent as one message; 0: each at once. */
    digestMinutes: integer("digest_minutes").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [
    index("alert_destinations_user_idx").on(t.userId),
    check("alert_destinations_language_known", sql`${t.language} in ('en', 'zh')`),
  ],
);

/** What was sent or is to be sent to a destination: the log and the queue of retries. */
export const alertDeliveries = pgTable(
  "alert_deliveries",
  {
    /** Begins with the time; the same for each attempt, so that receivers can recognize one that arrives twice. */
    id: text("id").primaryKey(),
    destinationId: integer("destination_id")
      .notNull()
      .references(() => alertDestinations.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** The alert, in both languages; no secrets. */
    alert: jsonb("alert").$type<Record<string, unknown>>().notNull(),
    status: text("status").notNull().default("pending"),
    /** What the last attempt got; null: no response. */
    httpStatus: integer("http_status"),
    /** Why the last attempt failed; empty: it didn't, or there was none. */
    error: text("error").notNull().default(""),
    attempts: integer("attempts").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
    /** While pending: not before. Who takes it moves this on, so that one process tries at a time. */
    nextAt: epochSeconds("next_at").notNull(),
    /** When it was delivered or given up; null: pending. */
    finishedAt: epochSeconds("finished_at"),
  },
  (t) => [
    index("alert_deliveries_destination_idx").on(t.destinationId, t.id.desc()),
    index("alert_deliveries_next_idx").on(t.nextAt).where(sql`${t.status} = 'pending'`),
    index("alert_deliveries_created_idx").on(t.createdAt),
    check("alert_deliveries_status_known", sql`${t.status} in ('pending', 'delivered', 'failed')`),
  ],
);

/** Which events are alerts, of the site or of a user, and where they go. */
export const alertRules = pgTable(
  "alert_rules",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** Whose it is; null: the site's. */
    userId: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** In the event's unit; 0 where it has none. */
    threshold: doublePrecision("threshold").notNull().default(0),
    /** Over which the event is measured; 0 where it isn't. */
    windowMinutes: integer("window_minutes").notNull().default(0),
    /**
     * Of spending: `day`, `week` or `month`, whose spending, and the name of the only one that is meant; else empty. Of failures the
     * last is the only cause that is meant, of guardrails the only one.
     */
    period: text("period").notNull().default(""),
    per: text("per").notNull().default(""),
    subject: text("subject").notNull().default(""),
    /** Empty: all destinations of the owner. */
    destinationIds: integer("destination_ids").array().notNull().default([]),
    enabled: boolean("enabled").notNull().default(true),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [index("alert_rules_user_idx").on(t.userId)],
);

/** What a rule found: from when it was first seen until it is over. Each is sent once when it begins and once when it ends. */
export const alertIncidents = pgTable(
  "alert_incidents",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    ruleId: integer("rule_id")
      .notNull()
      .references(() => alertRules.id, { onDelete: "cascade" }),
    /** What it is about: `channel/7`. */
    subject: text("subject").notNull(),
    /** The alert, in both languages; no secrets. */
    alert: jsonb("alert").$type<Record<string, unknown>>().notNull(),
    /** Not sent, because another one of the same rule says more. */
    isQuiet: boolean("is_quiet").notNull().default(false),
    startedAt: epochSeconds("started_at").notNull(),
    /** Null: it goes on. */
    resolvedAt: epochSeconds("resolved_at"),
  },
  (t) => [
    uniqueIndex("alert_incidents_open_key").on(t.ruleId, t.subject).where(sql`${t.resolvedAt} is null`),
    index("alert_incidents_resolved_idx").on(t.resolvedAt),
  ],
);
