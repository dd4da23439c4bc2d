import { Elysia, t } from "elysia";
import { redeemCode } from "../../domain/codes/redeem-code.ts";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { createSerial } from "../../lib/runtime/serial.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Failed attempts per user: codes that operators choose themselves could be guessed. */
const WRONG_CODES = { count: 20, windowMs: 600_000 };

/** Redeems codes. */
export function redeemRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  const wrongCodes = createRateLimiter(WRONG_CODES);
  const inTurn = createTurns();
  const redeem = async (person: number, userId: number, key: string) => {
    const seconds = wrongCodes.check(String(person));
    if (seconds > 0) throw new OperationError("redeem_too_often", { seconds });
    try {
      return await redeemCode(services, userId, key);
    } catch (error) {
      if (error instanceof OperationError && error.code === "redeem_invalid") wrongCodes.take(String(person));
      throw error;
    }
  };
  return new Elysia({ prefix: "/api/user", name: "console/redeem" }).use(guarded).post(
    "/topup",
    async ({ actor, person, body }) => {
      // One at a time per person, whichever account they act for: parallel guesses gain nothing, and valid codes aren't
      // rejected.
      const { quota, isGift, plan } = await inTurn(person.id, () => redeem(person.id, actor.id, body.key));
      return ok({ quota, is_gift: isGift, plan });
    },
    { account: "wallet.topUp", body: t.Object({ key: t.String({ maxLength: 200 }) }) },
  );
}

/** Runs tasks of the same user one after another, and of different users in parallel. */
function createTurns() {
  const lines = new Map<number, { serial: ReturnType<typeof createSerial>; waiting: number }>();
  return async <T>(userId: number, task: () => Promise<T>): Promise<T> => {
    const line = lines.get(userId) ?? { serial: createSerial(), waiting: 0 };
    lines.set(userId, line);
    line.waiting += 1;
    try {
      return await line.serial(task);
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(userId);
    }
  };
}
