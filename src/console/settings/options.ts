import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { ESTIMATED_MODEL_PRICE } from "../../billing/pricing/ratios/default-ratios.ts";
import { guardWaysIn } from "../../domain/accounts/sign-in/sign-in-methods.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { languageOf, say } from "../../lib/messages.ts";
import type { OperationError } from "../../lib/operation-error.ts";
import { describeOptionChanges, optionTexts } from "../../settings/record-option-changes.ts";
import { optionKeys, registry } from "../../settings/registry/index.ts";
import type { Settings } from "../../settings/settings.ts";
import { exportSettings, importSettings, planImport } from "../../settings/transfer.ts";
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

type TransferServices = Readonly<{ db: Db; settings: Settings; version: string }>;

const body = t.Object({ options: t.Record(t.String({ maxLength: 200 }), t.String()) });

/** Exports and imports all options as one document; secrets are included only on request. */
export function settingsTransferRoutes(services: TransferServices, guarded: ReturnType<typeof guard>) {
  const { db, settings, version } = services;
  const messageOf = (request: Request, { code, params }: OperationError) => say(code, languageOf(request), params);
  return new Elysia({ prefix: "/api/option", name: "console/settings-transfer" })
    .use(guarded)
    .post(
      "/export",
      async ({ actor, body: { secrets = false } }) => {
        const options = exportSettings(settings, secrets);
        await writeManagementLog(db, actor, `Exported the settings ${secrets ? "with" : "without"} secrets`, {
          note: { code: secrets ? "settings_exported_with_secrets" : "settings_exported" },
          action: "read",
        });
        return ok({ format: "sluice-settings", version, has_secrets: secrets, options });
      },
      { role: "root", body: t.Object({ secrets: t.Optional(t.Boolean()) }) },
    )
    .post(
      "/import/preview",
      ({ body: { options }, request }) => {
        const { changes, problems } = planImport(settings, options);
        return ok({
          changes: changes.map(({ isSecret, ...change }) => ({ ...change, is_secret: isSecret })),
          problems: problems.map(({ key, error }) => ({ key, message: messageOf(request, error) })),
        });
      },
      { role: "root", body },
    )
    .post(
      "/import",
      async ({ actor, body: { options }, request }) => {
        await guardWaysIn(services, options);
        const before = optionTexts(settings);
        const { saved, refused } = await importSettings(settings, options);
        if (saved.length > 0) {
          const note = { code: "settings_imported", params: { keys: saved.join(", ") } } as const;
          await writeManagementLog(db, actor, `Imported settings: ${saved.join(", ")}`, {
            note,
            action: "update",
            ...describeOptionChanges(saved, before, optionTexts(settings)),
          });
        }
        return ok({ saved, refused: refused.map(({ key, error }) => ({ key, message: messageOf(request, error) })) });
      },
      { role: "root", body },
    );
}
