import { bigint, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";
import { users } from "./users.ts";

/**
 * A sign-in, binding or registration of a device that is under way, known to one browser by a cookie: an OAuth state, a
 * passkey's challenge, a password that was right and waits for its second factor.
 */
export const signInFlows = pgTable(
  "sign_in_flows",
  {
    /** Keyed hash of the cookie's value. */
    id: text("id").primaryKey(),
    kind: text("kind").notNull(),
    /** Whose flow it is; null where the user is yet to be found. */
    userId: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
    data: jsonb("data").$type<Readonly<Record<string, string>>>().notNull(),
    attempts: integer("attempts").notNull().default(0),
    expiresAt: epochSeconds("expires_at").notNull(),
  },
  (t) => [index("sign_in_flows_expires_idx").on(t.expiresAt)],
);

export const passkeys = pgTable(
  "passkeys",
  {
    /** The credential's id, base64url. */
    id: text("id").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** COSE key, base64url. */
    publicKey: text("public_key").notNull(),
    counter: bigint("counter", { mode: "number" }).notNull().default(0),
    transports: jsonb("transports").$type<readonly string[]>().notNull().default([]),
    createdAt: epochSeconds("created_at").notNull(),
    lastUsedAt: epochSeconds("last_used_at"),
  },
  (t) => [index("passkeys_user_idx").on(t.userId)],
);

/** The second factor of a user: one-time passwords by time (RFC 6238). */
export const totpSecrets = pgTable("totp_secrets", {
  userId: integer("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  secretCipher: text("secret_cipher").notNull(),
  /** Null until a first code has proven that the user's device has the secret. */
  confirmedAt: epochSeconds("confirmed_at"),
  /** The time step of the last code that was accepted: a code works once. */
  lastStep: bigint("last_step", { mode: "number" }).notNull().default(0),
});

/** Each lets somebody in once who has lost the device with the second factor. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    codeHash: text("code_hash").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

/** When a user last got a notification of a kind, so that nobody gets it too often. */
export const noticesSent = pgTable(
  "notices_sent",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: text("kind").notNull(),
    sentAt: epochSeconds("sent_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.kind] })],
);

/** Notices that could not be handed over at once: tried again by a job, also after a restart. */
export const pendingNotices = pgTable(
  "pending_notices",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The notice, in both languages; no secrets. */
    notice: jsonb("notice").$type<Record<string, unknown>>().notNull(),
    tries: integer("tries").notNull().default(0),
    /** Not before; whoever takes it moves this on, so that one process tries at a time. */
    nextAt: epochSeconds("next_at").notNull(),
  },
  (t) => [index("pending_notices_next_idx").on(t.nextAt)],
);

/** Where a user has signed in before: guesses from elsewhere don't keep the user out from there. */
export const signInOrigins = pgTable(
  "sign_in_origins",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** `address:` and an IPv4 address or the /64 of an IPv6 address; `device:` and the hash of a cookie. */
    origin: text("origin").notNull(),
    lastUsedAt: epochSeconds("last_used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.origin] }), index("sign_in_origins_last_used_idx").on(t.lastUsedAt)],
);
