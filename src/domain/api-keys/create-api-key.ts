import { randomInt } from "node:crypto";
import { tokens } from "../../../db/schema/api-keys.ts";
import type { Tx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../lib/operation-error.ts";
import { randomText, type Vault } from "../../lib/security/crypto.ts";
import { findRotation, requireKeyExpiry } from "../accounts/organizations/policies/manage-policies.ts";
import { requireProject } from "../accounts/organizations/projects/projects.ts";
import { type ApiKeyInput, readTokenInput } from "./api-key-input.ts";
import { longestName, SUFFIX_LENGTH, TOKEN_LIMITS, tokenCountError, tokenNameError } from "./api-key-rules.ts";
import { type ApiKeyRow, type ApiKeyView, secretSinceOf, viewApiKey } from "./api-key-view.ts";
import { applicationsOf } from "./authorization/applications.ts";
import { readBudget } from "./budget.ts";
import { logCreatedKeys } from "./log-key-change.ts";
import { type ApiKeyDeps, holdKeyRight, type Owner, showsSecret } from "./operation.ts";
import { changeToken, stateOf } from "./update-api-key.ts";

const SUFFIX_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const NEW_KEY = { expiredTime: -1, unlimitedQuota: false, remainQuota: 0 };

/** Makes an API key and returns it with the key in clear. Throws OperationError when a field is refused. */
export async function createApiKey(deps: ApiKeyDeps, owner: Owner, input: ApiKeyInput): Promise<ApiKeyView> {
  const [made] = await createApiKeys(deps, owner, input, 1);
  if (!made) throw new Error("the API key was not created");
  return made;
}

/**
 * Makes from 1 to 100 API keys alike, all or none, and returns them: the first is called as asked, each other has a random
 * suffix of six characters. Throws OperationError when a field is refused, or keys must belong to organizations.
 */
export const createApiKeys = async (
  deps: ApiKeyDeps,
  owner: Owner,
  input: ApiKeyInput,
  count: number,
): Promise<ApiKeyView[]> =>
  (await insertKeys(deps, owner, input, { count, secretOf: newKey })).map((row) => viewApiKey(row, deps.vault));

/**
 * Makes an API key that nobody gets: an application uses it by tokens of its own. `store`: what is stored of the application in the same
 * transaction. Throws OperationError when a field is refused.
 */
export async function createApplicationKey(
  deps: ApiKeyDeps,
  owner: Owner,
  input: ApiKeyInput,
  store: (tx: Tx, key: ApiKeyRow) => Promise<void>,
): Promise<void> {
  const secretOf = (vault: Vault) => ({ keyHash: vault.keyedHash(`application ${randomText(32)}`), keyCipher: "" });
  await insertKeys(deps, owner, input, { count: 1, secretOf, store });
}

type Making = Readonly<{
  count: number;
  secretOf: (vault: Vault) => { keyHash: string; keyCipher: string };
  store?: (tx: Tx, key: ApiKeyRow) => Promise<void>;
}>;

async function insertKeys(
  deps: ApiKeyDeps,
  owner: Owner,
  input: ApiKeyInput,
  { count, secretOf, store }: Making,
): Promise<ApiKeyRow[]> {
  throwRuleError(tokenCountError(count), { max: TOKEN_LIMITS.count });
  if (!owner.member && deps.settings.get("Organizations") === "required") {
    throw new OperationError("organization_required");
  }
  const { name, ...values } = readTokenInput(input, owner, deps.settings);
  if (!name) throw new OperationError("token_name_required");
  throwRuleError(tokenNameError(name, count), { max: longestName(count) });
  const now = nowSeconds();
  const filled = { ...NEW_KEY, ...values, ...readBudget(input, deps.settings, now) };
  const createdBy = owner.member?.id ?? null;
  const common = { ...filled, status: stateOf(filled), userId: owner.id, createdBy, createdTime: now };
  const rows = await deps.db.transaction(async (tx) => {
    await holdKeyRight(tx, owner);
    if (filled.projectId) await requireProject(tx, owner.id, filled.projectId);
    if (owner.member) await requireKeyExpiry(tx, owner.id, filled.projectId ?? null, filled.expiredTime ?? -1);
    const keys = namesOf(name, count).map((one) => ({ ...common, name: one, ...secretOf(deps.vault) }));
    const created = await tx.insert(tokens).values(keys).returning();
    await logCreatedKeys(tx, owner, created);
    for (const key of store ? created : []) await store?.(tx, key);
    return created;
  });
  await deps.changes.publish(
    "tokens",
    rows.map(({ id }) => id),
  );
  return rows;
}

const namesOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}-${suffix()}`));

const suffix = (): string =>
  Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join("");

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_LENGTH = 48;

/** The columns of a key that nobody has had before. */
export function newKey(vault: Vault): { keyHash: string; keyCipher: string } {
  const key = Array.from({ length: KEY_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return { keyHash: vault.keyedHash(key), keyCipher: vault.encrypt(key) };
}

/** For so long an old key may go on working at most. */
const LONGEST_GRACE_SECONDS = 30 * 86_400;

/**
 * Gives one of the owner's keys a new secret and returns it in clear. The old one works for `graceSeconds` more, but no
 * longer than a policy of an organization lets it get old, now or later; one that an earlier rotation left working ends now. Throws
 * OperationError.
 */
export async function rotateToken(
  deps: ApiKeyDeps,
  owner: Owner,
  id: number,
  graceSeconds: number,
  nowSeconds: number,
): Promise<ApiKeyView> {
  if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > LONGEST_GRACE_SECONDS) {
    throw new OperationError("token_grace_invalid", { days: LONGEST_GRACE_SECONDS / 86_400 });
  }
  return changeToken(deps, owner, id, async (before, tx) => {
    if (!showsSecret(owner, before)) throw new OperationError("organization_right_missing", {}, { status: 403 });
    const application = (await applicationsOf(tx, [id])).get(id);
    if (application !== undefined) throw new OperationError("token_of_application", { client: application });
    const rotation = owner.member && (await findRotation(tx, owner.id, before.projectId));
    const oldest = rotation ? secretSinceOf(before) + rotation.seconds : Number.POSITIVE_INFINITY;
    const until = Math.min(nowSeconds + graceSeconds, oldest);
    const keepsOldKey = until > nowSeconds;
    return {
      ...newKey(deps.vault),
      secretSince: nowSeconds,
      previousKeyHash: keepsOldKey ? before.keyHash : null,
      previousKeyUntil: keepsOldKey ? until : 0,
      previousSecretSince: keepsOldKey ? secretSinceOf(before) : 0,
    };
  });
}
