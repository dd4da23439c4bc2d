import { Elysia } from "elysia";
import { checkIn } from "../wallet/check-in.ts";
import type { WalletDeps } from "../wallet/operation.ts";
import { readCheckIns } from "../wallet/read-check-ins.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

/** Daily check-in. */
export function checkInRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/user", name: "console/check-in" })
    .use(guarded)
    .guard({ role: "user" })
    .get("/check_in_status", async ({ actor }) => ok(await readCheckIns(services, actor.id)))
    .post("/check_in", async ({ actor }) => ok({ quota: await checkIn(services, actor.id) }));
}
