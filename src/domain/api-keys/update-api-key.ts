import { and, eq, type SQL } from "drizzle-orm";
import { tokens } from "../../../db/schema/api-keys.ts";
import type { Tx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { requireKeyExpiry } from "../accounts/organizations/policies/manage-policies.ts";
import { requireProject } from "../accounts/organizations/projects/projects.ts";
import { type ApiKeyInput, readTokenInput } from "./api-key-input.ts";
import { type ApiKeyRow, type ApiKeyView, viewApiKey } from "./api-key-view.ts";
import { readBudget } from "./budget.ts";
import { TOKEN_STATUS } from "./directory/index.ts";
import { ownedBy } from "./list-api-keys.ts";
import { logKeyChange } from "./log-key-change.ts";
import { type ApiKeyDeps, holdKeyRight, type Owner, showsSecret } from "./operation.ts";

/**
 * Changes the given fields of one of the owner's keys. Its status follows, unless it is disabled: a key that was exhausted and
 * is given quota works again. Throws OperationError.
 */
export async function updateToken(deps: ApiKeyDeps, owner: Owner, id: number, input: ApiKeyInput): Promise<ApiKeyView> {
  return changeToken(deps, owner, id, (before) => {
    const { budgetRenewsAt, ...budget } = readBudget(input, deps.settings, nowSeconds(), before);
    // What a key with a budget has left is the budget's affair.
    const values = { ...readTokenInput(withoutQuota(input, before), owner, deps.settings), ...budget };
    const after = { ...before, ...values };
    const isQuotaSet = after.remainQuota !== before.remainQuota || (before.unlimitedQuota && !after.unlimitedQuota);
    return {
      ...values,
      ...(isQuotaSet && { usedBefore: before.usedQuota }),
      ...(budgetRenewsAt !== undefined && { budgetRenewsAt }),
      ...(before.status !== TOKEN_STATUS.disabled && { status: stateOf(after) }),
    };
  });
}

/** Enables or disables one of the owner's keys. Throws OperationError: a key that is used up must be filled first. */
export async function setTokenStatus(deps: ApiKeyDeps, owner: Owner, id: number, status: number): Promise<ApiKeyView> {
  if (status !== TOKEN_STATUS.enabled && status !== TOKEN_STATUS.disabled)
    throw new OperationError("token_status_invalid");
  return changeToken(deps, owner, id, (before) => {
    if (status === TOKEN_STATUS.enabled) {
      const state = stateOf(before);
      if (state === TOKEN_STATUS.expired) throw new OperationError("token_expired_cannot_enable");
      if (state === TOKEN_STATUS.exhausted) throw new OperationError("token_exhausted_cannot_enable");
    }
    return { status };
  });
}

/** Deletes one of the owner's keys: calls with it are refused from now on; its log rows stay. */
export async function deleteToken(deps: ApiKeyDeps, owner: Owner, id: number): Promise<void> {
  await changeToken(deps, owner, id, () => ({ deletedAt: nowSeconds() }));
}

/** A key keeps its budget unless its period is taken away, and with it what a form says of quota. */
function withoutQuota({ remain_quota: quota, unlimited_quota: unlimited, ...rest }: ApiKeyInput, before: ApiKeyRow) {
  const hasBudget = (rest.budget_period ?? before.budgetPeriod) !== "";
  return {
    ...rest,
    ...(quota !== undefined && !hasBudget && { remain_quota: quota }),
    ...(unlimited !== undefined && !hasBudget && { unlimited_quota: unlimited }),
  };
}

type NewValues = Omit<Partial<typeof tokens.$inferInsert>, "budgetRenewsAt"> & { budgetRenewsAt?: number | SQL };

/** Changes one of the owner's keys as `decide` says of its row. Throws OperationError when it is not theirs. */
export async function changeToken(
  { db, changes, vault }: ApiKeyDeps,
  owner: Owner,
  id: number,
  decide: (before: ApiKeyRow, tx: Tx) => NewValues | Promise<NewValues>,
): Promise<ApiKeyView> {
  const after = await db.transaction(async (tx) => {
    await holdKeyRight(tx, owner);
    const mine = and(ownedBy(owner), eq(tokens.id, id));
    const [before] = await tx.select().from(tokens).where(mine).for("update");
    if (!before) throw new OperationError("token_not_found");
    const values = await decide(before, tx);
    if (Object.keys(values).length === 0) return before;
    if (values.projectId) await requireProject(tx, owner.id, values.projectId);
    if (owner.member && (values.expiredTime !== undefined || values.projectId !== undefined)) {
      const { projectId, expiredTime } = { ...before, ...values };
      await requireKeyExpiry(tx, owner.id, projectId, expiredTime);
    }
    const [row = before] = await tx.update(tokens).set(values).where(eq(tokens.id, id)).returning();
    await logKeyChange(tx, vault, owner, before, row);
    return row;
  });
  await changes.enforce("tokens", [id]);
  return viewApiKey(after, vault, showsSecret(owner, after));
}

/** Enabled, expired or exhausted, by what the key may still do. */
export function stateOf(token: Pick<ApiKeyRow, "expiredTime" | "unlimitedQuota" | "remainQuota">): number {
  if (token.expiredTime !== -1 && token.expiredTime <= nowSeconds()) return TOKEN_STATUS.expired;
  if (!token.unlimitedQuota && token.remainQuota <= 0) return TOKEN_STATUS.exhausted;
  return TOKEN_STATUS.enabled;
}
