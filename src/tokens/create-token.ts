import { randomInt } from "node:crypto";
import { tokens } from "../../db/schema/tokens.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { Owner, TokenDeps } from "./operation.ts";
import { readTokenInput, type TokenInput } from "./token-input.ts";
import { type TokenView, viewToken } from "./token-view.ts";

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_LENGTH = 48;

/** Makes an API key and returns it with the key in clear. Throws OperationError when a field is refused. */
export async function createToken(deps: TokenDeps, owner: Owner, input: TokenInput): Promise<TokenView> {
  const { name, ...values } = readTokenInput(input, owner, deps.settings);
  if (!name) throw new OperationError("token_name_required");
  const key = randomKey();
  const [row] = await deps.db
    .insert(tokens)
    .values({
      ...values,
      name,
      userId: owner.id,
      keyHash: deps.vault.keyedHash(key),
      keyCipher: deps.vault.encrypt(key),
      createdTime: nowSeconds(),
    })
    .returning();
  if (!row) throw new Error("the API key was not created");
  await deps.changes.publish("tokens", [row.id]);
  return viewToken(row, deps.vault);
}

const randomKey = (): string => Array.from({ length: KEY_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
