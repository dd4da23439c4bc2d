import { describe, expect, test } from "bun:test";
import { formatFor } from "../../../src/providers/contract/chat.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";

/** The URL of a chat at an address as it was typed. */
function chatUrl(type: number, baseUrl: string, { model = "m", key = "key", other = "", stream = false } = {}): string {
  const provider = providerOf(type);
  if (!provider) throw new Error(`no provider ${type}`);
  const channel = { baseUrl, other, openaiOrganization: "" };
  const dialect = formatFor(provider, model, key, model, undefined, baseUrl);
  return provider.url(channel, { capability: "chat", dialect, model, stream, key });
}

const VIDEO = { capability: "video", dialect: "openai-chat", model: "m", stream: false } as const;
const CHAT = "/chat/completions";
/** Addresses that the services' pages print, by channel type, and the URL of a chat there. */
const PRINTED: Readonly<Record<number, readonly (readonly [typed: string, url: string])[]>> = {
  1: [
    ["https://api.openai.com/v1", `https://api.openai.com/v1${CHAT}`],
    ["https://api.openai.com/v1/", `https://api.openai.com/v1${CHAT}`],
    ["https://api.openai.com/v1/chat/completions", `https://api.openai.com/v1${CHAT}`],
    ["https://api.openai.com/v1/responses", `https://api.openai.com/v1${CHAT}`],
    ["https://api.openai.com/v1/models", `https://api.openai.com/v1${CHAT}`],
    ["https://eu.api.openai.com", `https://eu.api.openai.com/v1${CHAT}`],
    ["https://bedrock-mantle.us-east-1.api.aws", `https://bedrock-mantle.us-east-1.api.aws/v1${CHAT}`],
    ["https://bedrock-mantle.us-east-1.api.aws/v1", `https://bedrock-mantle.us-east-1.api.aws/v1${CHAT}`],
    ["https://bedrock-mantle.us-east-1.api.aws/openai/v1", `https://bedrock-mantle.us-east-1.api.aws/openai/v1${CHAT}`],
    [
      "https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1",
      `https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1${CHAT}`,
    ],
    ["https://api.z.ai/api/coding/paas/v4", `https://api.z.ai/api/coding/paas/v4${CHAT}`],
    ["https://ark.cn-beijing.volces.com/api/coding/v3", `https://ark.cn-beijing.volces.com/api/coding/v3${CHAT}`],
    ["https://coding.dashscope.aliyuncs.com/v1", `https://coding.dashscope.aliyuncs.com/v1${CHAT}`],
    [
      "https://generativelanguage.googleapis.com/v1beta/openai/",
      `https://generativelanguage.googleapis.com/v1beta/openai${CHAT}`,
    ],
    [
      "https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi",
      `https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi${CHAT}`,
    ],
    ["https://api.deepinfra.com/v1/openai", `https://api.deepinfra.com/v1/openai${CHAT}`],
    ["https://models.github.ai/inference", `https://models.github.ai/inference${CHAT}`],
    ["https://gateway.ai.cloudflare.com/v1/a/g/openai", `https://gateway.ai.cloudflare.com/v1/a/g/openai${CHAT}`],
    ["https://gateway.ai.cloudflare.com/v1/a/g/compat", `https://gateway.ai.cloudflare.com/v1/a/g/compat${CHAT}`],
    ["https://r.services.ai.azure.com/openai/v1/", `https://r.services.ai.azure.com/openai/v1${CHAT}`],
    ["https://proxy.example/some/path", `https://proxy.example/some/path/v1${CHAT}`],
    ["https://proxy.example/some/path/chat/completions", `https://proxy.example/some/path${CHAT}`],
    ["https://proxy.example/v1?token=a", `https://proxy.example/v1${CHAT}`],
  ],
  3: [
    ...["", "/", "/openai", "/openai/deployments/m", "/openai/deployments/m/chat/completions", "/models"].map(
      (path) =>
        [
          `https://r.openai.azure.com${path}`,
          `https://r.openai.azure.com/openai/deployments/m${CHAT}?api-version=2024-12-01-preview`,
        ] as const,
    ),
    [
      "https://r.openai.azure.com/openai/deployments/m/chat/completions?api-version=2025-01-01-preview",
      `https://r.openai.azure.com/openai/deployments/m${CHAT}?api-version=2025-01-01-preview`,
    ],
    ...["/openai/v1", "/openai/v1/", "/openai/v1/chat/completions", "/openai/v1/responses?api-version=preview"].map(
      (path) => [`https://r.openai.azure.com${path}`, `https://r.openai.azure.com/openai/v1${CHAT}`] as const,
    ),
    [
      "https://r.services.ai.azure.com/api/projects/p",
      `https://r.services.ai.azure.com/openai/deployments/m${CHAT}?api-version=2024-12-01-preview`,
    ],
  ],
  4: ["", "/v1", "/api", "/api/chat", "/v1/chat/completions"].map(
    (path) => [`https://ollama.com${path}`, "https://ollama.com/api/chat"] as const,
  ),
  14: [
    ["https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"],
    ["https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"],
    ["https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages"],
    ["https://api.moonshot.ai/anthropic/", "https://api.moonshot.ai/anthropic/v1/messages"],
    ["https://api.minimax.io/anthropic", "https://api.minimax.io/anthropic/v1/messages"],
    ["https://api.z.ai/api/anthropic", "https://api.z.ai/api/anthropic/v1/messages"],
    ["https://r.services.ai.azure.com/anthropic", "https://r.services.ai.azure.com/anthropic/v1/messages"],
    [
      "https://bedrock-mantle.us-east-1.api.aws/anthropic",
      "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages",
    ],
    [
      "https://coding.dashscope.aliyuncs.com/apps/anthropic",
      "https://coding.dashscope.aliyuncs.com/apps/anthropic/v1/messages",
    ],
    ["https://ark.cn-beijing.volces.com/api/coding", "https://ark.cn-beijing.volces.com/api/coding/v1/messages"],
  ],
  15: ["", "/rpc/2.0/ai_custom/v1/wenxinworkshop", "/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions"].map(
    (path) =>
      [
        `https://aip.baidubce.com${path}`,
        "https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/m",
      ] as const,
  ),
  17: [
    ...["", "/compatible-mode/v1", "/api/v1", "/apps/anthropic"].map(
      (path) =>
        [
          `https://dashscope-intl.aliyuncs.com${path}`,
          "https://dashscope-intl.aliyuncs.com/api/v1/services/aigc/text-generation/generation",
        ] as const,
    ),
    [
      "https://w.cn-beijing.maas.aliyuncs.com/compatible-mode/v1",
      "https://w.cn-beijing.maas.aliyuncs.com/api/v1/services/aigc/text-generation/generation",
    ],
    ...["https://coding.dashscope.aliyuncs.com", "https://coding-intl.dashscope.aliyuncs.com"].flatMap((host) =>
      ["", "/v1", "/v1/chat/completions", "/apps/anthropic"].map(
        (path) => [`${host}${path}`, `${host}/v1${CHAT}`] as const,
      ),
    ),
  ],
  18: ["", "/v3.5/chat", "/v1/x1", "/chat/pro-128k", "/x2"].map(
    (path) => [`https://spark-api.xf-yun.com${path}`, "https://spark-api.xf-yun.com/v1.1/chat"] as const,
  ),
  20: ["", "/api", "/api/v1", "/api/v1/chat/completions"].map(
    (path) => [`https://openrouter.ai${path}`, `https://openrouter.ai/api/v1${CHAT}`] as const,
  ),
  24: [
    ...["", "/v1beta", "/v1beta/", "/v1beta/openai/", "/v1beta/models", "/v1beta/models/m:generateContent"].map(
      (path) =>
        [
          `https://generativelanguage.googleapis.com${path}`,
          "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
        ] as const,
    ),
    [
      "https://generativelanguage.googleapis.com/v1",
      "https://generativelanguage.googleapis.com/v1/models/m:generateContent",
    ],
  ],
  25: [
    ...["", "/v1", "/anthropic", "/anthropic/v1/messages", "/v1/chat/completions"].map(
      (path) => [`https://api.moonshot.ai${path}`, `https://api.moonshot.ai/v1${CHAT}`] as const,
    ),
    ["https://api.kimi.com/coding/v1", `https://api.kimi.com/coding/v1${CHAT}`],
    ["https://api.kimi.com/coding/", `https://api.kimi.com/coding/v1${CHAT}`],
  ],
  26: [
    ...["", "/api", "/api/paas", "/api/paas/v4", "/api/paas/v4/chat/completions", "/api/anthropic"].map(
      (path) => [`https://api.z.ai${path}`, `https://api.z.ai/api/paas/v4${CHAT}`] as const,
    ),
    ["https://api.z.ai/api/coding/paas/v4", `https://api.z.ai/api/coding/paas/v4${CHAT}`],
    ["https://open.bigmodel.cn/api/coding/paas/v4/", `https://open.bigmodel.cn/api/coding/paas/v4${CHAT}`],
  ],
  33: ["", "/openai/v1", "/v1", "/model/m/invoke"].map(
    (path) =>
      [
        `https://bedrock-runtime.eu-west-1.amazonaws.com${path}`,
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/invoke",
      ] as const,
  ),
  34: ["", "/v1", "/v2", "/v2/chat", "/compatibility/v1", "/compatibility/v1/chat/completions"].map(
    (path) => [`https://api.cohere.com${path}`, "https://api.cohere.com/v2/chat"] as const,
  ),
  35: [
    ["", `https://api.minimaxi.com/v1${CHAT}`],
    ["https://api.minimax.chat", `https://api.minimax.chat/v1${CHAT}`],
    ...["", "/v1", "/anthropic", "/anthropic/v1/messages"].map(
      (path) => [`https://api.minimax.io${path}`, `https://api.minimax.io/v1${CHAT}`] as const,
    ),
  ],
  37: ["", "/v1", "/v1/chat-messages"].map(
    (path) => [`https://api.dify.ai${path}`, "https://api.dify.ai/v1/chat-messages"] as const,
  ),
  41: ["", "/v1", "/v1beta1", "/v1/projects/p/locations/l/publishers/google/models/m:generateContent"].map(
    (path) =>
      [
        `https://aiplatform.googleapis.com${path}`,
        "https://aiplatform.googleapis.com/v1/publishers/google/models/m:generateContent",
      ] as const,
  ),
  43: [
    ...["", "/v1", "/anthropic", "/anthropic/v1", "/v1/chat/completions"].map(
      (path) => [`https://api.deepseek.com${path}`, `https://api.deepseek.com/v1${CHAT}`] as const,
    ),
    ["https://api.deepseek.com/chat/completions", `https://api.deepseek.com${CHAT}`],
    ["https://api.deepseek.com/beta", `https://api.deepseek.com/beta${CHAT}`],
    ["https://api.deepseek.com/beta/", `https://api.deepseek.com/beta${CHAT}`],
  ],
  45: [
    ...["", "/api", "/api/v3", "/api/v3/chat/completions", "/api/compatible"].map(
      (path) =>
        [`https://ark.cn-beijing.volces.com${path}`, `https://ark.cn-beijing.volces.com/api/v3${CHAT}`] as const,
    ),
    ...["/api/coding", "/api/coding/v3", "/api/coding/v3/chat/completions"].map(
      (path) =>
        [
          `https://ark.ap-southeast.bytepluses.com${path}`,
          `https://ark.ap-southeast.bytepluses.com/api/coding/v3${CHAT}`,
        ] as const,
    ),
  ],
  46: [
    ["https://qianfan.baidubce.com/v2", `https://qianfan.baidubce.com/v2${CHAT}`],
    ["https://qianfan.baidubce.com/anthropic", `https://qianfan.baidubce.com/v2${CHAT}`],
    ["https://qianfan.baidubce.com/v2/coding", `https://qianfan.baidubce.com/v2/coding${CHAT}`],
    ["https://qianfan.baidubce.com/anthropic/coding", `https://qianfan.baidubce.com/v2/coding${CHAT}`],
  ],
  1000: ["", "/openai", "/openai/v1"].map(
    (path) => [`https://api.groq.com${path}`, `https://api.groq.com/openai/v1${CHAT}`] as const,
  ),
  1002: ["", "/inference", "/inference/v1"].map(
    (path) => [`https://api.fireworks.ai${path}`, `https://api.fireworks.ai/inference/v1${CHAT}`] as const,
  ),
  1005: [
    ["https://router.huggingface.co/v1", `https://router.huggingface.co/v1${CHAT}`],
    ["https://router.huggingface.co/novita/v3/openai", `https://router.huggingface.co/novita/v3/openai${CHAT}`],
  ],
  1006: [
    ["http://localhost:1234/v1", `http://localhost:1234/v1${CHAT}`],
    ["http://localhost:8000", `http://localhost:8000/v1${CHAT}`],
    ["http://localhost:1234/api/v0", `http://localhost:1234/api/v0${CHAT}`],
  ],
  1007: ["", "/openai/v1", "/model/m/converse"].map(
    (path) =>
      [
        `https://bedrock-runtime.eu-west-1.amazonaws.com${path}`,
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse",
      ] as const,
  ),
};

const CASES = Object.entries(PRINTED).flatMap(([type, forms]) =>
  forms.map(([typed, url]) => [Number(type), typed, url] as const),
);

test.each(CASES)("type %p at %p", (type, typed, url) => {
  expect(chatUrl(type, typed)).toBe(url);
});

/** Services whose chats have another address for keys of this kind than the one in the form. */
const BY_KEY: ReadonlySet<number> = new Set([23]);
const CUSTOM = 8;

describe.each(
  channelTypes.flatMap(({ id, name, defaultBaseUrl, capabilities }) =>
    defaultBaseUrl && id !== CUSTOM && capabilities.includes("chat") && !BY_KEY.has(id)
      ? [[id, name, defaultBaseUrl] as const]
      : [],
  ),
)("%p %s: every way to write its own address is the same", (id, _name, address) => {
  const options = { other: id === 39 ? "account" : "" };
  const url = chatUrl(id, "", options);

  test.each([address, `${address}/`, ` ${address}// `, url, `${url}?debug=1`])("%p", (typed) => {
    expect(chatUrl(id, typed, options)).toBe(url);
  });

  test("and behind a proxy that keeps the path, nothing is doubled", () => {
    const [, , , ...path] = url.split("/");
    const proxied = chatUrl(id, `https://proxy.example/${path.join("/")}`, options);
    expect(proxied).toBe(`https://proxy.example/${path.join("/")}`);
  });
});

const HOSTS = channelTypes.flatMap(({ id, hosts }) => hosts.map(({ url }) => [id, url] as const));

test.each(HOSTS)("an address that the form of type %i offers is called as it is printed: %s", (type, url) => {
  const provider = providerOf(type);
  const called = provider?.chat
    ? chatUrl(type, url)
    : provider?.url({ baseUrl: url, other: "", openaiOrganization: "" }, VIDEO);
  expect(called).toStartWith(url);
  expect(called?.match(/\/v\d/g)?.length ?? 0).toBeLessThan(2);
});

test("the first address that a form offers is the one without a base URL", () => {
  for (const { defaultBaseUrl, hosts } of channelTypes) if (hosts[0]) expect(hosts[0].url).toBe(defaultBaseUrl ?? "");
});
