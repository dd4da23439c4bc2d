import { createHash, timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import { prometheusContentType } from "prom-client";
import type { SettingsReader } from "../../settings/settings.ts";

/** What works and what does not, as /readyz reports it. `degraded`: calls are served, but something waits. */
export type Readiness = { ready: boolean; degraded: string[] };

type Deps = Readonly<{
  readiness: () => Promise<Readiness>;
  metrics: () => Promise<string>;
  settings: SettingsReader;
  version: string;
}>;

/**
 * Liveness, readiness and metrics: for load balancers and monitors, without sign-in and without secrets. Metrics ask for a bearer
 * token where the site has set one.
 */
export function health(deps: Deps) {
  return new Elysia({ name: "health" })
    .get("/healthz", () => ({ status: "ok", version: deps.version }))
    .get("/readyz", async ({ status }) => {
      const { ready, degraded } = await deps.readiness();
      return status(ready ? 200 : 503, {
        status: ready ? (degraded.length ? "degraded" : "ok") : "unavailable",
        degraded,
      });
    })
    .get("/metrics", async ({ set, headers, status }) => {
      const token = deps.settings.get("MetricsToken");
      const [, sent = ""] = /^bearer +(.*)$/i.exec(headers.authorization ?? "") ?? [];
      if (token !== "" && !isSameSecret(sent, token)) {
        set.headers["www-authenticate"] = "Bearer";
        return status(401, "The metrics of this site need a token.\n");
      }
      set.headers["content-type"] = prometheusContentType;
      return deps.metrics();
    });
}

/** Compares digests: neither length nor time tells how much of a guess is right. */
function isSameSecret(input: string, expected: string): boolean {
  const [one = Buffer.of(), other = Buffer.of()] = [input, expected].map((text) =>
    createHash("sha256").update(text).digest(),
  );
  return timingSafeEqual(one, other);
}
