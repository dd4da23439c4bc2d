import { Elysia, t } from "elysia";
import type { Notifier } from "../../domain/notifications/notifier.ts";
import { bindPush, createPushCode, type PushDeps, unbindPush } from "../../domain/notifications/wxpusher.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import type { NotifyAddresses } from "../../server/config.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { type rateLimit, refuseTooMany } from "../http/rate-limit.ts";

export type NotificationServices = Omit<PushDeps, "address"> &
  Readonly<{ notifier: Notifier; notifyAddresses: NotifyAddresses }>;

/** Limit of a user's test messages, which could go to any address. */
const TRIALS = { count: 10, windowMs: 3_600_000 };

/** Sends test notifications, and binds the push service by a QR code. */
export function notificationRoutes(
  services: NotificationServices,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const push = { ...services, address: services.notifyAddresses.wxpusher };
  const trials = createRateLimiter(TRIALS);
  return new Elysia({ prefix: "/api/user", name: "console/notification" })
    .use(guarded)
    .use(limits)
    .post(
      "/setting/test",
      async ({ actor, request }) => {
        refuseTooMany(trials.take(String(actor.id)));
        await services.notifier.test(actor.id);
        return done(request, "notify_test_sent");
      },
      { role: "user", critical: true },
    )
    .post("/push/code", async ({ actor }) => ok(await createPushCode(push, actor.id)), { role: "user", critical: true })
    .post("/push/bind", async ({ actor, body }) => ok({ bound: await bindPush(push, actor.id, body.code) }), {
      role: "user",
      body: t.Object({ code: t.String({ maxLength: 200 }) }),
    })
    .delete(
      "/push",
      async ({ actor, request }) => {
        await unbindPush(services, actor.id);
        return done(request, "unbound");
      },
      { role: "user" },
    );
}
