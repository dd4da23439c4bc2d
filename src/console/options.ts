import { Elysia, t } from "elysia";
import type { Settings } from "../settings/settings.ts";
import { done, ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

/** Site options, for super admins. Secrets can be set, never read. */
export function optionRoutes({ settings }: Readonly<{ settings: Settings }>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/option", name: "console/options" })
    .use(guarded)
    .get("/", () => ({ ...ok(settings.list()), secrets_set: settings.secretsSet() }), { role: "root" })
    .put(
      "/",
      async ({ body }) => {
        await settings.set(body.key, String(body.value));
        return ok(null);
      },
      {
        role: "root",
        body: t.Object({ key: t.String(), value: t.Union([t.String(), t.Number(), t.Boolean()]) }),
      },
    )
    .post(
      "/rest_model_ratio",
      async ({ request }) => {
        await settings.reset("ModelRatio");
        return done(request, "model_ratios_reset");
      },
      { role: "root" },
    );
}
