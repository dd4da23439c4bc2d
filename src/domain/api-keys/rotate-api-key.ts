import { OperationError } from "../../lib/operation-error.ts";
import type { ApiKeyView } from "./api-key-view.ts";
import { newKey } from "./new-key.ts";
import type { ApiKeyDeps, Owner } from "./operation.ts";
import { changeToken } from "./update-api-key.ts";

/** For so long an old key may go on working at most. */
const LONGEST_GRACE_SECONDS = 30 * 86_400;

/**
 * Gives one of the owner's keys a new secret and returns it in clear. The old one works for `graceSeconds` more; one that
 * an earlier rotation left working ends now. Throws OperationError.
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
  const keepsOldKey = graceSeconds > 0;
  return changeToken(deps, owner, id, (before) => ({
    ...newKey(deps.vault),
    previousKeyHash: keepsOldKey ? before.keyHash : null,
    previousKeyUntil: keepsOldKey ? nowSeconds + graceSeconds : 0,
  }));
}
