import { Elysia, t } from "elysia";
import { previewCharge } from "../../../billing/pricing/preview-charge.ts";
import { createPriceTable } from "../../../billing/pricing/price-table.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { decimal } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { integer } from "../../http/integers.ts";

const tokens = t.Optional(integer({ minimum: 0, maximum: 1_000_000_000 }));

/** The prices in force. */
export function ratioRoutes({ settings }: Readonly<{ settings: SettingsReader }>, guarded: ReturnType<typeof guard>) {
  const table = createPriceTable(settings);
  return new Elysia({ prefix: "/api/ratio", name: "console/ratios" }).use(guarded).post(
    "/preview",
    ({ body }) => {
      const usage = {
        promptTokens: body.prompt_tokens ?? 0,
        completionTokens: body.completion_tokens ?? 0,
        cachedTokens: body.cached_tokens ?? 0,
        cacheCreationTokens: body.cache_creation_tokens ?? 0,
        longCacheCreationTokens: body.cache_creation_1h_tokens ?? 0,
        audioInputTokens: body.audio_input_tokens ?? 0,
        audioOutputTokens: body.audio_output_tokens ?? 0,
        imageInputTokens: body.image_input_tokens ?? 0,
        imageOutputTokens: body.image_output_tokens ?? 0,
      };
      const { model, group, service_tier: tier } = body;
      const preview = previewCharge(table(), decimal(settings.get("QuotaPerUnit")), { model, group, usage, tier });
      if (!preview) throw new OperationError("invalid_request", { detail: "model" });
      const { isUnset, ...rest } = preview;
      return ok({ ...rest, is_unset: isUnset });
    },
    {
      role: "root",
      body: t.Object({
        model: t.String({ minLength: 1, maxLength: 255 }),
        group: t.String({ minLength: 1, maxLength: 64 }),
        service_tier: t.Optional(t.String({ maxLength: 64 })),
        prompt_tokens: tokens,
        completion_tokens: tokens,
        cached_tokens: tokens,
        cache_creation_tokens: tokens,
        cache_creation_1h_tokens: tokens,
        audio_input_tokens: tokens,
        audio_output_tokens: tokens,
        image_input_tokens: tokens,
        image_output_tokens: tokens,
      }),
    },
  );
}
