import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { ESTIMATED_MODEL_PRICE } from "../../billing/pricing/ratios/default-ratios.ts";
import { guardWaysIn } from "../../domain/accounts/sessions/sign-in-methods.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { describeOptionChanges, optionTexts } from "../../settings/record-option-changes.ts";
import { optionKeys, registry } from "../../settings/registry/index.ts";
import type { Settings } from "../../settings/settings.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Default values of options; secrets are empty. */
const defaults = Object.fromEntries(
  optionKeys.filter((key) => !registry[key].traits.secret).map((key) => [key, registry[key].initial]),
);

/** Site options, for super admins. Secrets can be set but never read. */
export function optionRoutes(
  { db, settings }: Readonly<{ db: Db; settings: Settings }>,
  guarded: ReturnType<typeof guard>,
) {
  return new Elysia({ prefix: "/api/option", name: "console/options" })
    .use(guarded)
    .get(
      "/",
      () => ({
        ...ok(settings.list()),
        secrets_set: settings.secretsSet(),
        defaults,
        estimates: ESTIMATED_MODEL_PRICE,
      }),
      {
        role: "root",
      },
    )
    .put(
      "/",
      async ({ actor, body }) => {
        await guardWaysIn({ db, settings }, { [body.key]: String(body.value) });
        const before = optionTexts(settings);
        await settings.set(body.key, String(body.value));
        const reported = describeOptionChanges([body.key], before, optionTexts(settings));
        // Saving an unchanged value is not logged.
        if (Object.keys({ ...reported.before, ...reported.after }).length === 0) return ok(null);
        await writeManagementLog(db, actor, `Changed the option ${body.key}`, {
          note: { code: "option_changed", params: { key: body.key } },
          action: "update",
          ...reported,
        });
        return ok(null);
      },
      {
        role: "root",
        body: t.Object({ key: t.String(), value: t.Union([t.String(), t.Number(), t.Boolean()]) }),
      },
    )
    .post(
      "/rest_model_ratio",
      async ({ actor, request }) => {
        const before = optionTexts(settings);
        await settings.reset("ModelRatio");
        await writeManagementLog(db, actor, "Reset the option ModelRatio to its default", {
          note: { code: "option_reset", params: { key: "ModelRatio" } },
          action: "update",
          ...describeOptionChanges(["ModelRatio"], before, optionTexts(settings)),
        });
        return done(request, "model_ratios_reset");
      },
      { role: "root" },
    );
}
