import { tokens } from "../../db/schema/tokens.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import { readBudget } from "./budget.ts";
import { newKey } from "./new-key.ts";
import type { Owner, TokenDeps } from "./operation.ts";
import { readTokenInput, type TokenInput } from "./token-input.ts";
import { type TokenView, viewToken } from "./token-view.ts";

/** Makes an API key and returns it with the key in clear. Throws OperationError when a field is refused. */
export async function createToken(deps: TokenDeps, owner: Owner, input: TokenInput): Promise<TokenView> {
  const { name, ...values } = readTokenInput(input, owner, deps.settings);
  if (!name) throw new OperationError("token_name_required");
  const now = nowSeconds();
  const [row] = await deps.db
    .insert(tokens)
    .values({
      ...values,
      ...readBudget(input, deps.settings, now),
      name,
      userId: owner.id,
      ...newKey(deps.vault),
      createdTime: now,
    })
    .returning();
  if (!row) throw new Error("the API key was not created");
  await deps.changes.publish("tokens", [row.id]);
  return viewToken(row, deps.vault);
}
