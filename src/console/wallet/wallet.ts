import { Elysia, t } from "elysia";
import { checkIn, dayIn, listCheckIns, readCheckIns } from "../../domain/wallet/check-ins.ts";
import { redeemCode } from "../../domain/wallet/codes/redeem-code.ts";
import { readInvitation, setInviteCode } from "../../domain/wallet/invitations/invitation.ts";
import { transferRewards } from "../../domain/wallet/invitations/rebates.ts";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import type { PlanDeps } from "../../domain/wallet/plans/subscribe.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { createSerial } from "../../lib/runtime/serial.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { agentRoutes } from "./agents.ts";
import { paymentCallbackRoutes } from "./payments/payment-callbacks.ts";
import { autoTopUpRoutes, type PaymentServices, paymentRoutes } from "./payments/payments.ts";
import { planRoutes } from "./plans.ts";
import { statementRoutes } from "./statements.ts";

/** Routes for balances, rewards and payments. */
export function walletRoutes(services: PaymentServices & PlanDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ name: "console/wallet" })
    .use(checkInRoutes(services, guarded))
    .use(invitationRoutes(services, guarded))
    .use(redeemRoutes(services, guarded))
    .use(paymentRoutes(services, guarded))
    .use(autoTopUpRoutes(services, guarded))
    .use(agentRoutes(services, guarded))
    .use(statementRoutes(services, guarded))
    .use(planRoutes(services, guarded))
    .use(paymentCallbackRoutes(services));
}

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

/** Daily check-in, also under the alternative name `checkin` that some clients use. */
export function checkInRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  const { db, settings } = services;
  const today = () => dayIn(settings.get("CheckInTimeZone"), Date.now());
  return new Elysia({ prefix: "/api/user", name: "console/check-in" })
    .use(guarded)
    .guard({ role: "user" })
    .get("/check_in_status", async ({ actor }) => ok(await readCheckIns(services, actor.id)))
    .post("/check_in", async ({ actor }) => ok({ quota: await checkIn(services, actor.id) }))
    .get(
      "/checkin",
      async ({ actor, query }) => {
        const rows = await listCheckIns(db, actor.id, query.month ?? today().slice(0, 7));
        const { enabled, can_check_in, least, most, streak } = await readCheckIns(services, actor.id);
        return ok({
          enabled,
          min_quota: least,
          max_quota: most,
          stats: {
            checked_in_today: enabled && least > 0 && !can_check_in,
            checkin_count: streak,
            total_checkins: rows.length,
            total_quota: rows.reduce((sum, { quota }) => sum + quota, 0),
            records: rows.map(({ day, quota }) => ({ checkin_date: day, quota_awarded: quota })),
          },
        });
      },
      { query: t.Object({ month: t.Optional(t.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$" })) }) },
    )
    .post("/checkin", async ({ actor }) => {
      const quota = await checkIn(services, actor.id);
      return ok({ quota_awarded: quota, checkin_date: today() });
    });
}

/** Invitations and their rewards. */
export function invitationRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/user", name: "console/invitation" })
    .use(guarded)
    .guard({ role: "user" })
    .get("/aff", async ({ actor }) => ok((await readInvitation(services, actor.id)).code))
    .get("/invitation", async ({ actor }) => ok(await readInvitation(services, actor.id)))
    .post(
      "/set_invite_code",
      async ({ actor, request, body }) => {
        await setInviteCode(services, actor.id, body.code);
        return done(request, "invite_code_set");
      },
      { body: t.Object({ code: t.String({ maxLength: 100 }) }) },
    )
    .post(
      "/aff_transfer",
      async ({ actor, request, body }) => {
        await transferRewards(services, actor.id, body.quota);
        return done(request, "transferred");
      },
      { body: t.Object({ quota: t.Number() }) },
    );
}
