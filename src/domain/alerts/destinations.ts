import { and, asc, count, eq, isNull, type SQL } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { alertDestinations } from "../../../db/schema/alerts.ts";
import type { DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { WrittenLanguage } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import {
  type ConfigInput,
  type ConfigView,
  decryptConfig,
  encryptConfig,
  mergeConfig,
  viewConfig,
} from "../logs/sinks/destination-config.ts";
import { type DestinationTypeName, destinationType, isDestinationType } from "./destinations/destination-types.ts";
import { readDigestMinutes, readQuietHours } from "./timing.ts";

/** Whose destinations: a user's by the id, or the site's. */
export type AlertOwner = number | "site";

export type DestinationRow = typeof alertDestinations.$inferSelect;

/** A destination as it is sent by whoever sets it up. */
export type DestinationInput = Readonly<{
  name: string;
  language: WrittenLanguage;
  enabled: boolean;
  /** `22:00`; empty: no quiet hours. */
  quiet_from: string;
  quiet_until: string;
  time_zone: string;
  /** Alerts of so many minutes become one message; 0: each is sent at once. */
  digest_minutes: number;
  config: ConfigInput;
}>;

/** A destination on the wire. */
export type DestinationView = ConfigView &
  Readonly<{
    id: number;
    type: DestinationTypeName;
    name: string;
    language: WrittenLanguage;
    enabled: boolean;
    quiet_from: string;
    quiet_until: string;
    time_zone: string;
    digest_minutes: number;
    /** Epoch seconds. */
    created_at: number;
  }>;

type Deps = Readonly<{ db: DbOrTx; vault: Vault }>;

const MOST_DESTINATIONS = 20;
const LONGEST_NAME = 60;

/** The condition that a destination is the owner's. */
export const ownedBy = (owner: AlertOwner): SQL =>
  owner === "site" ? isNull(alertDestinations.userId) : eq(alertDestinations.userId, owner);

/** All destinations of an owner, oldest first. */
export async function listDestinations({ db, vault }: Deps, owner: AlertOwner): Promise<DestinationView[]> {
  const rows = await db.select().from(alertDestinations).where(ownedBy(owner)).orderBy(asc(alertDestinations.id));
  return rows.flatMap((row) => (isDestinationType(row.type) ? [viewDestination(vault, row, row.type)] : []));
}

/** Adds a destination. Throws OperationError for a bad field, or when the owner has as many as allowed. */
export async function addDestination(
  { db, vault }: Deps,
  owner: AlertOwner,
  { type, ...input }: DestinationInput & Readonly<{ type: string }>,
): Promise<DestinationView> {
  if (!isDestinationType(type)) throw new OperationError("alert_type_invalid");
  const config = mergeConfig(destinationType(type), {}, input.config);
  const { total } = requireRow(await db.select({ total: count() }).from(alertDestinations).where(ownedBy(owner)));
  if (total >= MOST_DESTINATIONS) throw new OperationError("alert_destinations_full", { max: MOST_DESTINATIONS });
  const [row] = await db
    .insert(alertDestinations)
    .values({
      ...columnsOf(input),
      type,
      userId: owner === "site" ? null : owner,
      configCipher: encryptConfig(vault, config),
      createdAt: nowSeconds(),
    })
    .returning();
  return viewDestination(vault, requireRow([row]), type);
}

/** Changes an owner's destination; its type stays. Throws OperationError. */
export async function changeDestination(
  { db, vault }: Deps,
  owner: AlertOwner,
  id: number,
  input: DestinationInput,
): Promise<{ before: DestinationView; after: DestinationView }> {
  const { type, ...stored } = await getDestination(db, owner, id);
  const config = mergeConfig(destinationType(type), decryptConfig(vault, stored.configCipher), input.config);
  const [row] = await db
    .update(alertDestinations)
    .set({ ...columnsOf(input), configCipher: encryptConfig(vault, config) })
    .where(and(ownedBy(owner), eq(alertDestinations.id, id)))
    .returning();
  if (!row) throw new OperationError("alert_destination_not_found");
  return { before: viewDestination(vault, { ...stored, type }, type), after: viewDestination(vault, row, type) };
}

/** Deletes an owner's destination with its deliveries, and returns it. Throws OperationError when there is none. */
export async function deleteDestination({ db, vault }: Deps, owner: AlertOwner, id: number): Promise<DestinationView> {
  const destination = await getDestination(db, owner, id);
  await db.delete(alertDestinations).where(and(ownedBy(owner), eq(alertDestinations.id, id)));
  return viewDestination(vault, destination, destination.type);
}

/** An owner's destination. Throws OperationError when there is none. */
export async function getDestination(
  db: DbOrTx,
  owner: AlertOwner,
  id: number,
): Promise<DestinationRow & { type: DestinationTypeName }> {
  const [row] = await db
    .select()
    .from(alertDestinations)
    .where(and(ownedBy(owner), eq(alertDestinations.id, id)));
  if (!row || !isDestinationType(row.type)) throw new OperationError("alert_destination_not_found");
  return { ...row, type: row.type };
}

function columnsOf({
  name,
  language,
  enabled,
  quiet_from,
  quiet_until,
  time_zone,
  digest_minutes,
}: Omit<DestinationInput, "config">) {
  const trimmed = name.trim();
  if (trimmed === "" || [...trimmed].length > LONGEST_NAME) {
    throw new OperationError("alert_name_invalid", { max: LONGEST_NAME });
  }
  const quiet = readQuietHours({ quietFrom: quiet_from, quietUntil: quiet_until, timeZone: time_zone });
  return { name: trimmed, language, enabled, ...quiet, digestMinutes: readDigestMinutes(digest_minutes) };
}

const viewDestination = (vault: Vault, row: DestinationRow, type: DestinationTypeName): DestinationView => ({
  id: row.id,
  type,
  name: row.name,
  language: languageOfRow(row),
  enabled: row.enabled,
  quiet_from: row.quietFrom,
  quiet_until: row.quietUntil,
  time_zone: row.timeZone,
  digest_minutes: row.digestMinutes,
  created_at: row.createdAt,
  ...viewConfig(destinationType(type), decryptConfig(vault, row.configCipher)),
});

/** The language of a destination's messages. */
export const languageOfRow = ({ language }: Pick<DestinationRow, "language">): WrittenLanguage =>
  language === "zh" ? "zh" : "en";
