import { and, asc, count, eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { providerKeys } from "../../../../db/schema/channels/provider-keys.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { toText } from "../../../lib/values/decimal.ts";
import { refuseBrokenPatterns } from "../../../lib/values/patterns/name-patterns.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Acting } from "../../accounts/organizations/members/acting.ts";
import { holdRight } from "../../accounts/organizations/membership.ts";
import { writeOrganizationLog } from "../../accounts/organizations/operation.ts";
import { findKeyProvider, type KeyProvider, keyProviderOf, keyProviders } from "./key-providers.ts";
import { isKeyText, type KeyMode } from "./own-keys.ts";

/** What operations on keys of callers at providers need. */
export type ProviderKeyDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

type KeyRow = typeof providerKeys.$inferSelect;

/** A key as it is saved. `key` absent: the stored one stays. */
export type ProviderKeyInput = Readonly<{
  name: string;
  /** The provider's name, such as `openai`. */
  provider: string;
  key?: string | undefined;
  models: readonly string[];
  mode: KeyMode;
  enabled: boolean;
}>;

/** A key as the management API lists it; its secret is never sent. */
export type ProviderKeyView = Readonly<{
  id: number;
  name: string;
  provider: string;
  provider_name: string;
  models: readonly string[];
  mode: KeyMode;
  enabled: boolean;
  created_at: number;
  /** Why the provider refused it last; empty: it did not since it last worked. */
  last_error: string;
  /** Epoch seconds; null: it was not refused. */
  failed_at: number | null;
}>;

const MAX_KEYS = 50;
const MAX_NAME = 60;
const MAX_MODELS = 200;
const MAX_MODEL_CHARACTERS = 200;

/** What callers of a group may do with keys of their own. */
export type ProviderKeyOffer = Readonly<{
  /** They may store keys, or send them with calls. */
  stored: boolean;
  sent: boolean;
  /** What a call costs: percent of the model's price, and dollars per call. */
  fee_percent: string;
  fee_per_call: string;
  providers: readonly Readonly<{ provider: string; name: string; key_hint: string; models: readonly string[] }>[];
}>;

/** What the site offers an account. */
export function offerOf({ values }: SettingsReader, group: string): ProviderKeyOffer {
  const { ProviderKeys: allowed, ProviderKeyGroups: groups } = values;
  const isOpen = groups.length === 0 || groups.includes(group);
  return {
    stored: isOpen && (allowed === "stored" || allowed === "both"),
    sent: isOpen && (allowed === "call" || allowed === "both"),
    fee_percent: toText(values.ProviderKeyFeePercent),
    fee_per_call: toText(values.ProviderKeyFeePerCall),
    providers: keyProviders
      .filter((provider) => isOffered(values, provider))
      .map(({ slug, name, keyHint, models }) => ({ provider: slug, name, key_hint: keyHint, models })),
  };
}

const isOffered = ({ ProviderKeyProviders: only }: SettingsReader["values"], { slug }: KeyProvider): boolean =>
  only.length === 0 || only.includes(slug);

/** The keys of an account, oldest first. */
export async function listProviderKeys(
  { db }: Pick<ProviderKeyDeps, "db">,
  userId: number,
): Promise<ProviderKeyView[]> {
  const rows = await db
    .select()
    .from(providerKeys)
    .where(eq(providerKeys.userId, userId))
    .orderBy(asc(providerKeys.id));
  return rows.map(viewOf);
}

const viewOf = ({
  id,
  name,
  type,
  models,
  mode,
  isEnabled,
  createdAt,
  lastError,
  failedAt,
}: KeyRow): ProviderKeyView => {
  const provider = keyProviderOf(type);
  return {
    ...{ id, name, models, enabled: isEnabled, created_at: createdAt, last_error: lastError, failed_at: failedAt },
    provider: provider?.slug ?? String(type),
    provider_name: provider?.name ?? String(type),
    mode: mode === "only" ? "only" : "first",
  };
};

/** How many keys there are on the site, of how many accounts, by provider. */
export async function countProviderKeys({ db }: Pick<ProviderKeyDeps, "db">) {
  const rows = await db
    .select({ type: providerKeys.type, isEnabled: providerKeys.isEnabled, keys: count() })
    .from(providerKeys)
    .groupBy(providerKeys.type, providerKeys.isEnabled);
  const byType = Map.groupBy(rows, ({ type }) => type);
  return [...byType].map(([type, parts]) => ({
    provider_name: keyProviderOf(type)?.name ?? String(type),
    keys: parts.reduce((sum, { keys }) => sum + keys, 0),
    enabled: parts.reduce((sum, { keys, isEnabled }) => sum + (isEnabled ? keys : 0), 0),
  }));
}

/** Stores a key. Throws OperationError: the site does not let the account, there are too many, or it is invalid. */
export async function createProviderKey(
  deps: ProviderKeyDeps,
  acting: Acting,
  input: ProviderKeyInput,
): Promise<number> {
  const { db, changes, vault, settings } = deps;
  const userId = acting.actor.id;
  refuseUnlessStored(settings, acting);
  const { type, ...values } = readInput(settings, input);
  const { key = "" } = input;
  if (!isKeyText(key)) throw new OperationError("provider_key_invalid");
  const id = await db.transaction(async (tx) => {
    await holdKeyRight(tx, acting);
    // Those that are added at the same time count, too.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    const present = await tx.select({ keys: count() }).from(providerKeys).where(eq(providerKeys.userId, userId));
    if (requireRow(present).keys >= MAX_KEYS) throw new OperationError("provider_keys_full", { max: MAX_KEYS });
    const row = { ...values, userId, type, keyCipher: vault.encrypt(key), createdAt: nowSeconds() };
    const created = requireRow(await tx.insert(providerKeys).values(row).returning({ id: providerKeys.id }));
    await log(tx, acting, "added", values.name, { after: { ...values, type } });
    return created.id;
  });
  await changes.publish("provider_keys", [id]);
  return id;
}

/**
 * Replaces what is stored of a key. The secret stays only with its provider. Throws OperationError: the account has no such key, or
 * the new values are invalid.
 */
export async function updateProviderKey(
  deps: ProviderKeyDeps,
  acting: Acting,
  id: number,
  input: ProviderKeyInput,
): Promise<void> {
  const { db, changes, vault, settings } = deps;
  refuseUnlessStored(settings, acting);
  const { type, ...values } = readInput(settings, input);
  const { key = "" } = input;
  if (key !== "" && !isKeyText(key)) throw new OperationError("provider_key_invalid");
  await db.transaction(async (tx) => {
    await holdKeyRight(tx, acting);
    const [stored] = await tx.select().from(providerKeys).where(ownedBy(acting, id)).for("update");
    if (!stored) throw new OperationError("provider_key_not_found");
    if (stored.type !== type && key === "") throw new OperationError("provider_key_required_again");
    const secret = key === "" ? {} : { keyCipher: vault.encrypt(key), lastError: "", failedAt: null };
    await tx
      .update(providerKeys)
      .set({ ...values, type, ...secret })
      .where(eq(providerKeys.id, id));
    const { name, models, mode, isEnabled } = stored;
    await log(tx, acting, "changed", values.name, {
      before: { name, models, mode, isEnabled, type: stored.type },
      after: { ...values, type, ...(key !== "" && { secret_replaced: true }) },
    });
  });
  await changes.enforce("provider_keys", [id]);
}

/** Deletes a key. Throws OperationError if the account has no such key. */
export async function deleteProviderKey(
  { db, changes }: Pick<ProviderKeyDeps, "changes" | "db">,
  acting: Acting,
  id: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdKeyRight(tx, acting);
    const [stored] = await tx.delete(providerKeys).where(ownedBy(acting, id)).returning();
    if (!stored) throw new OperationError("provider_key_not_found");
    const { name, models, mode, type } = stored;
    await log(tx, acting, "deleted", name, { before: { name, models, mode, type } });
  });
  await changes.enforce("provider_keys", [id]);
}

/** The secret of a key with its provider, for a test. Throws OperationError if the account has no such key. */
export async function readProviderKey(
  { db, vault }: Pick<ProviderKeyDeps, "db" | "vault">,
  acting: Acting,
  id: number,
): Promise<Readonly<{ type: number; key: string }>> {
  const [stored] = await db.select().from(providerKeys).where(ownedBy(acting, id));
  if (!stored) throw new OperationError("provider_key_not_found");
  return { type: stored.type, key: vault.decrypt(stored.keyCipher) };
}

/** Keeps what a test found. */
export async function noteProviderKey(
  { db, changes }: Pick<ProviderKeyDeps, "changes" | "db">,
  id: number,
  error: string,
): Promise<void> {
  const failedAt = error === "" ? null : nowSeconds();
  await db.update(providerKeys).set({ lastError: error, failedAt }).where(eq(providerKeys.id, id));
  await changes.publish("provider_keys", [id]);
}

/** The key with that id, if the account has it. */
const ownedBy = ({ actor }: Acting, id: number) => and(eq(providerKeys.id, id), eq(providerKeys.userId, actor.id));

function refuseUnlessStored(settings: SettingsReader, { actor }: Acting): void {
  if (!offerOf(settings, actor.group).stored) throw new OperationError("provider_keys_off");
}

function readInput({ values }: SettingsReader, { name, provider, models, mode, enabled }: ProviderKeyInput) {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > MAX_NAME)
    throw new OperationError("provider_key_name_invalid", { max: MAX_NAME });
  const found = findKeyProvider(provider);
  if (!found || !isOffered(values, found)) throw new OperationError("provider_key_provider_invalid");
  const names = [...new Set(models.map((model) => model.trim()))].filter((model) => model !== "");
  const isFine = names.length > 0 && names.length <= MAX_MODELS;
  if (!isFine || names.some((model) => model.length > MAX_MODEL_CHARACTERS))
    throw new OperationError("provider_key_models_invalid", { max: MAX_MODELS });
  refuseBrokenPatterns(names);
  return { name: trimmed, type: found.type, models: names, mode, isEnabled: enabled };
}

/** A member keeps the right until the commit. */
async function holdKeyRight(tx: Tx, { actor, person, role }: Acting): Promise<void> {
  if (role === null || person.kind === "service") return;
  await holdRight(tx, actor.id, person.id, "keys.all");
}

const ACTIONS = { added: "create", changed: "update", deleted: "delete" } as const;

/** Writes into an organization's log what a member did; people's own keys are not logged. */
async function log(
  tx: Tx,
  { actor, person, role }: Acting,
  change: keyof typeof ACTIONS,
  name: string,
  values: Readonly<{ before?: Record<string, unknown>; after?: Record<string, unknown> }>,
): Promise<void> {
  if (role === null) return;
  await writeOrganizationLog(tx, actor.id, person, {
    content: `${person.username} ${change} the provider key ${name}`,
    note: { code: `organization_provider_key_${change}`, params: { by: person.username, name } },
    action: ACTIONS[change],
    ...values,
  });
}
