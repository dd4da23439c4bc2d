import { recordOf } from "../../formats/json.ts";
import { imageCount, renamedImageFields } from "../shared/images.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Images come as URLs only. */
const images = renamedImageFields(
  ["seed", "negative_prompt", "num_inference_steps", "guidance_scale", "image"],
  (order, dropped) => {
    if (order.response_format === "b64_json") dropped.add("response_format");
    return { image_size: order.size ?? "1024x1024", batch_size: imageCount(order) };
  },
);

/** SiliconFlow, with its Chinese or its international base URL. */
export const siliconFlow = openAiCompatible({
  type: 40,
  name: "SiliconCloud",
  files: true,
  owner: "siliconflow",
  baseUrl: "https://api.siliconflow.cn",
  capabilities: ["chat", "completions", "embeddings", "rerank", "images", "speech", "transcriptions"],
  native: { images: { format: images } },
  balance: {
    path: "/v1/user/info",
    read: (answer) => recordOf(recordOf(answer)?.data)?.totalBalance,
    currency: ({ baseUrl }) => (baseUrl.includes("siliconflow.com") ? "USD" : "CNY"),
  },
  models: [
    "deepseek-ai/DeepSeek-V3.2",
    "deepseek-ai/DeepSeek-R1",
    "Qwen/Qwen3-235B-A22B-Instruct-2507",
    "Qwen/Qwen3-32B",
    "zai-org/GLM-4.6",
    "moonshotai/Kimi-K2-Instruct-0905",
    "MiniMaxAI/MiniMax-M2",
    "BAAI/bge-m3",
    "Qwen/Qwen3-Embedding-8B",
  ],
  facts: {
    documented: {
      source: "https://docs.siliconflow.cn/docs/api/chat-completions-post",
      version: "v1",
      day: "2026-11-29",
    },
    hosts: [
      { region: "CN", url: "https://api.siliconflow.cn" },
      { region: null, url: "https://api.siliconflow.com" },
    ],
    // https://docs.siliconflow.com/en/api-reference/chat-completions: models without the switch reject it.
    chat: {
      reasoning: [
        {
          models: /thinking|-R1|QwQ|-Z1|MiniMax-M/i,
          off: "lowest",
          budget: ["thinking_budget"],
          offCosts: "They always reason.",
        },
        {
          models: /DeepSeek-V[4-9]|GLM-5\.[2-9]/i,
          on: { enable_thinking: true },
          off: { enable_thinking: false },
          effort: { path: ["reasoning_effort"], efforts: ["high", "max"] },
          budget: ["thinking_budget"],
        },
        {
          models:
            /Qwen3(\.\d)?-(?!.*(Instruct|Coder|Embedding|Reranker|Omni|VL))|DeepSeek-V(3\.[1-9]|[4-9])|GLM-(4\.[5-9]|5)|Kimi-K2\.[5-9]|Hunyuan-A13B/i,
          on: { enable_thinking: true },
          off: { enable_thinking: false },
          budget: ["thinking_budget"],
        },
      ],
    },
    errors: { no_credit: [{ code: "30001" }] },
  },
});
