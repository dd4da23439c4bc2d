import { shippedCatalog } from "../../catalog/catalog.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import type { NativeFormat } from "../contract/chat.ts";
import type { CallParams } from "../contract/provider.ts";
import { aspectOf, editedImages, imageCount, imageList, isImageField } from "../shared/images.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

const requestsPlugin = (plugins: unknown): boolean => recordsOf(plugins).some(({ id }) => id === "web");

/** OpenRouter searches the web for any model with a plugin (https://openrouter.ai/docs/features/web-search). */
function webPlugin({ plugins }: JsonObject, { model, catalog = shippedCatalog }: CallParams): JsonObject {
  const searches = model.endsWith(":online") || catalog.find(model).built_in_search;
  if (searches || requestsPlugin(plugins)) return {};
  return { plugins: [...recordsOf(plugins), { id: "web" }] };
}

/**
 * `/key` reports what is left of the key's own limit. A key without a limit spends the account's credits, which
 * `/credits` reports to management keys only; other keys get zeros.
 */
const balance = {
  path: "/v1/key",
  fallbackPath: "/v1/credits",
  read(answer: unknown) {
    const data = recordOf(recordOf(answer)?.data);
    const remaining = numberOf(data?.limit_remaining);
    if (remaining !== null) return remaining;
    const credits = numberOf(data?.total_credits);
    return credits ? credits - Number(data?.total_usage) : null;
  },
};

const IMAGE_FIELDS = [
  ...["n", "quality", "seed", "background", "output_format", "output_compression"],
  ...["aspect_ratio", "resolution", "provider"],
];

/**
 * Images of every model at an endpoint of its own, which takes aspect ratios instead of sizes, images to edit as references, and
 * responds in base64 with the usage of chats. Source: https://openrouter.ai/docs/client-sdks/typescript/sdks/images/README
 */
const images: NativeFormat = {
  encode(order, model, dropped, files) {
    const known = ["prompt", "size", "response_format", "image", "images", "mask", "input_references"];
    recordDropped(order, [...known, ...IMAGE_FIELDS, ...Object.keys(order).filter(isImageField)], dropped);
    const edited = editedImages(order, files);
    if (edited.mask !== null) dropped.add("mask");
    if (order.response_format === "url") dropped.add("response_format");
    const references = edited.images.map((url) => ({ type: "image_url", image_url: { url } }));
    const isSized = order.size != null && order.size !== "auto" && order.aspect_ratio == null;
    return compact({
      ...Object.fromEntries(IMAGE_FIELDS.map((name) => [name, order[name]])),
      model,
      prompt: order.prompt,
      n: order.n == null ? undefined : imageCount(order),
      ...(isSized && { aspect_ratio: aspectOf(order) }),
      input_references: references.length > 0 ? references : order.input_references,
    });
  },
  decode({ data, usage }) {
    const drawn = recordsOf(data).flatMap(({ b64_json, url }): JsonObject[] =>
      textOf(b64_json) ? [{ b64_json }] : textOf(url) ? [{ url }] : [],
    );
    const { prompt_tokens, completion_tokens, total_tokens } = recordOf(usage) ?? {};
    const counted = completion_tokens != null;
    return imageList(
      drawn,
      counted ? { input_tokens: prompt_tokens ?? 0, output_tokens: completion_tokens, total_tokens } : undefined,
    );
  },
};

/** OpenRouter, which also knows Anthropic's prompt cache markers. */
export const openRouter = openAiCompatible({
  type: 20,
  name: "OpenRouter",
  owner: "openrouter",
  baseUrl: "https://openrouter.ai/api",
  capabilities: ["chat", "completions", "embeddings", "rerank", "images", "image-edits"],
  native: { images: { path: "/images", format: images }, "image-edits": { path: "/images", format: images } },
  keyHint: "sk-or-…",
  headers: { "http-referer": "https://github.com/sluice", "x-title": "Sluice" },
  facts: {
    documented: { source: "https://openrouter.ai/docs/api-reference/overview", version: "v1", day: "2026-11-29" },
    // https://openrouter.ai/docs/use-cases/reasoning-tokens
    chat: {
      cacheMarks: true,
      topMark: true,
      reasoningName: "reasoning",
      reasoning: [
        {
          on: { reasoning: { enabled: true } },
          off: { reasoning: { enabled: false } },
          effort: { path: ["reasoning", "effort"] },
          budget: ["reasoning", "max_tokens"],
          accepts: ["reasoning_effort"],
        },
      ],
    },
    requests: {
      search: {
        fields: webPlugin,
        supports: ["search_context_size", "user_location"],
        isRequestedBy: ({ plugins }, model) => requestsPlugin(plugins) || model.endsWith(":online"),
        pricedAs: () => "openrouter_search",
      },
    },
    // https://openrouter.ai/docs/api-reference/errors
    errors: { no_credit: [{ status: 403, message: /^key limit exceeded/i }] },
  },
  balance,
  models: [
    "openai/gpt-5.4",
    "anthropic/claude-sonnet-5",
    "google/gemini-3.6-flash",
    "deepseek/deepseek-v3.2",
    "meta-llama/llama-3.3-70b-instruct",
  ],
});
