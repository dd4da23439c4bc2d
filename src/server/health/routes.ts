import { Elysia } from "elysia";
import { prometheusContentType } from "prom-client";

/** What works and what does not, as /readyz reports it. `degraded`: calls are served, but something waits. */
export type Readiness = { ready: boolean; degraded: string[] };

/** Liveness, readiness and metrics: for load balancers and monitors, without sign-in and without secrets. */
export function health(deps: { readiness: () => Promise<Readiness>; metrics: () => Promise<string>; version: string }) {
  return new Elysia({ name: "health" })
    .get("/healthz", () => ({ status: "ok", version: deps.version }))
    .get("/readyz", async ({ status }) => {
      const { ready, degraded } = await deps.readiness();
      return status(ready ? 200 : 503, {
        status: ready ? (degraded.length ? "degraded" : "ok") : "unavailable",
        degraded,
      });
    })
    .get("/metrics", async ({ set }) => {
      set.headers["content-type"] = prometheusContentType;
      return deps.metrics();
    });
}
