import { Elysia, t } from "elysia";
import { redeemCode } from "../codes/redeem-code.ts";
import { OperationError } from "../lib/operation-error.ts";
import { createRateLimiter } from "../lib/rate-limiter.ts";
import type { WalletDeps } from "../wallet/operation.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

/** Wrong codes, and codes at once, that a user may try: codes with words of their own could be guessed. */
const WRONG_CODES = { count: 20, windowMs: 600_000 };

/** Redeeming codes. */
export function redeemRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  const wrongCodes = createRateLimiter(WRONG_CODES);
  return new Elysia({ prefix: "/api/user", name: "console/redeem" }).use(guarded).post(
    "/topup",
    async ({ actor, body }) => {
      // Counted before it is tried and given back unless it was a guess: many at once get no further than one by one.
      const seconds = wrongCodes.take(String(actor.id));
      if (seconds > 0) throw new OperationError("redeem_too_often", { seconds });
      let isGuess = false;
      try {
        const { quota, isGift } = await redeemCode(services, actor.id, body.key);
        return ok({ quota, is_gift: isGift });
      } catch (error) {
        isGuess = error instanceof OperationError && error.code === "redeem_invalid";
        throw error;
      } finally {
        if (!isGuess) wrongCodes.add(String(actor.id), -1);
      }
    },
    { role: "user", body: t.Object({ key: t.String({ maxLength: 200 }) }) },
  );
}
