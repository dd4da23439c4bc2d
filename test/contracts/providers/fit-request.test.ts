import { describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import type { JsonObject } from "../../../src/formats/json.ts";
import type { CallParams } from "../../../src/providers/contract/provider.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";

const ask = (model: string, capability: CallParams["capability"] = "chat"): CallParams => ({
  capability,
  dialect: "openai-chat",
  model,
  stream: false,
});
const channel = (baseUrl = "", other = "") => ({ baseUrl, other, openaiOrganization: "" });

const LOST = ["web_search_options: search_context_size"];

describe("addresses of compatible services", () => {
  test.each([
    [26, "", "glm-5", "https://open.bigmodel.cn/api/paas/v4/chat/completions"],
    [25, "https://api.moonshot.ai/", "kimi-k3", "https://api.moonshot.ai/v1/chat/completions"],
    [43, "https://api.deepseek.com/v1", "deepseek-chat", "https://api.deepseek.com/v1/chat/completions"],
    [45, "", "doubao-seed-1-8", "https://ark.cn-beijing.volces.com/api/v3/chat/completions"],
    [45, "", "bot-1", "https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions"],
    [46, "", "ernie-speed-128k", "https://qianfan.baidubce.com/v2/chat/completions"],
    [1003, "", "sonar", "https://api.perplexity.ai/chat/completions"],
  ])("type %p with base %p: %p", (type, base, model, expected) => {
    expect(providerOf(type)?.url(channel(base), ask(model))).toBe(expected);
  });

  test.each([
    ["", "https://api.deepseek.com/beta/completions"],
    ["https://api.deepseek.com/v1/", "https://api.deepseek.com/beta/completions"],
    ["https://api.deepseek.com/beta", "https://api.deepseek.com/beta/completions"],
    ["https://mirror.example/v1/deepseek", "https://mirror.example/v1/deepseek/beta/completions"],
  ])("DeepSeek completes text in its beta: base %p", (base, expected) => {
    expect(providerOf(43)?.url(channel(base), ask("deepseek-chat", "completions"))).toBe(expected);
  });

  test("Cloudflare's has the account", () => {
    expect(providerOf(39)?.url(channel("", "acc"), ask("@cf/x"))).toBe(
      "https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions",
    );
  });

  test("Azure's has the deployment and the version, or neither", () => {
    const base = "https://me.openai.azure.com";
    expect(providerOf(3)?.url(channel(base, "2025-04-01-preview"), ask("gpt-4o"))).toBe(
      `${base}/openai/deployments/gpt-4o/chat/completions?api-version=2025-04-01-preview`,
    );
    expect(providerOf(3)?.url(channel(`${base}/openai/v1`), ask("gpt-4o"))).toBe(`${base}/openai/v1/chat/completions`);
  });

  test("the version in the client's address wins at Azure and Spark", () => {
    const named = (model: string, requestedVersion: string) => ({ ...ask(model), requestedVersion });
    const azure = channel("https://me.openai.azure.com", "2025-04-01-preview");
    expect(providerOf(3)?.url(azure, named("gpt-4o", "2024-10-21"))).toEndWith("?api-version=2024-10-21");
    expect(providerOf(3)?.url(azure, named("gpt-4o", "1&x=2"))).toEndWith("?api-version=1%26x%3D2");
    const spark = "https://spark-api.xf-yun.com";
    expect(providerOf(18)?.url(channel("", "v2.1"), named("SparkDesk-v3.5", "v4.0"))).toBe(`${spark}/v4.0/chat`);
    expect(providerOf(18)?.url(channel("", "v2.1"), named("SparkDesk-v3.5", "?"))).toBe(`${spark}/v3.5/chat`);
  });
});

describe("requests meet what services take", () => {
  const adapt = (type: number, body: JsonObject, model = "m") =>
    providerOf(type)?.prepare?.({ model, ...body }, ask(model));

  test("Mistral: nothing unknown, short ids, seed by its name", () => {
    const id = "call_with_a_long_name";
    const messages = [
      { role: "developer", content: "s" },
      { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: "x" },
    ];
    const made = adapt(42, {
      messages,
      seed: 7,
      user: "u",
      max_completion_tokens: 5,
      stream_options: {},
      temperature: 2,
    });
    const sent = made?.changes.messages as { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const short = sent[1]?.tool_calls?.[0]?.id;
    expect(short).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(sent[2]?.tool_call_id).toBe(short);
    expect(sent[0]?.role).toBe("system");
    expect(made?.changes).toMatchObject({ random_seed: 7, max_tokens: 5, temperature: 1.5 });
    for (const removedField of ["seed", "user", "stream_options", "max_completion_tokens"]) {
      expect(made?.changes).toHaveProperty(removedField, undefined);
    }
    expect(made?.dropped).toEqual(["user"]);
  });

  const chats = channelTypes.filter(({ id }) => providerOf(id)?.chat?.formats.includes("openai-chat"));
  /** These serve OpenAI's own models, or whatever the channel's address is. */
  const OPENAI = new Set([1, 3, 8]);
  test.each(
    chats
      .filter(({ id, capabilities }) => capabilities.includes("chat") && !OPENAI.has(id))
      .map(({ id, name }) => [name, id]),
  )("%s receives no developer message", (_name, type) => {
    const messages = [
      { role: "developer", content: "s" },
      { role: "user", content: "u" },
    ];
    expect(adapt(Number(type), { messages }, "meta/m")?.changes.messages).toEqual([
      { role: "system", content: "s" },
      messages[1],
    ]);
  });

  test.each([
    [42, "max_tokens"],
    [43, "max_tokens"],
    [48, "max_completion_tokens"],
  ])("type %i has one name for the limit: %s", (type, name) => {
    const other = name === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    expect(adapt(type, { [other]: 5 }, "grok-3-mini")?.changes).toMatchObject({ [name]: 5, [other]: undefined });
    expect(adapt(type, { [name]: 5 }, "grok-3-mini")?.changes ?? {}).not.toHaveProperty(name);
  });

  test("Zhipu: its own choice of tools, no end of its ranges", () => {
    expect(adapt(26, { top_p: 1, temperature: 0, tool_choice: "required", n: 2 })?.changes).toEqual({
      n: undefined,
      top_p: 0.99,
      tool_choice: undefined,
      temperature: undefined,
      do_sample: false,
    });
  });

  test("xAI: an effort behind the name, nothing that reasoning models refuse", () => {
    expect(adapt(48, { stop: ["x"], max_tokens: 9 }, "grok-3-mini-high")?.changes).toMatchObject({
      model: "grok-3-mini",
      reasoning_effort: "high",
      stop: undefined,
      max_tokens: undefined,
      max_completion_tokens: 9,
    });
  });

  test.each([
    ["grok-3-mini", "minimal", "low"],
    ["grok-3-mini", "medium", "high"],
    ["grok-3-mini-fast", "none", "low"],
    ["grok-4.3", "medium", "medium"],
  ])("xAI: %s takes the effort %p as %p, in either format", (model, effort, sent) => {
    const chat = adapt(48, { reasoning_effort: effort }, model);
    expect({ reasoning_effort: effort, ...chat?.changes }.reasoning_effort).toBe(sent);
    const responses = { ...ask(model), dialect: "openai-responses" } as const;
    const reasoning = { effort, summary: "auto" };
    const adapted = providerOf(48)?.prepare?.({ model, reasoning }, responses);
    expect({ reasoning, ...adapted?.changes }.reasoning).toEqual({ effort: sent, summary: "auto" });
  });

  test.each([
    [20, "openai/gpt-5.4", { plugins: [{ id: "file-parser" }, { id: "web" }] }, []],
    [20, "openai/gpt-4o-search-preview", {}, []],
    [26, "glm-5", { tools: [{ type: "web_search", web_search: expect.objectContaining({ enable: true }) }] }, LOST],
    [46, "ernie-4.5-turbo-128k", { web_search: { enable: true, enable_trace: true } }, LOST],
    [17, "qwen-plus", { enable_search: true }, LOST],
  ] as const)("type %p: a search is requested from %s in its own format", (type, model, changes, lost) => {
    const plugins = type === 20 && { plugins: [{ id: "file-parser" }] };
    const body = { web_search_options: { search_context_size: "low" }, ...plugins };
    const adapted = adapt(type, body, model);
    const { web_search_options: webSearchOptions, ...further } = adapted?.changes ?? {};
    expect([further, webSearchOptions, adapted?.dropped ?? []]).toEqual([changes, undefined, [...lost]]);
    expect(adapt(type, { temperature: 0.5 }, model)).toBeNull();
  });

  test("Perplexity: where the user is stands flat", () => {
    const approximate = { country: "BE", city: "Ghent", timezone: "Europe/Brussels" };
    const options = { search_context_size: "low", user_location: { type: "approximate", approximate } };
    expect(adapt(1003, { web_search_options: options }, "sonar")?.changes).toEqual({
      web_search_options: { search_context_size: "low", user_location: { country: "BE", city: "Ghent" } },
    });
    expect(adapt(1003, { web_search_options: { search_context_size: "low" } }, "sonar")).toBeNull();
  });

  test("Azure: a deployment with a name of its own is taken for the requested model", () => {
    const deployment = { ...ask("our-thinker"), requestedModel: "o3-mini-high" };
    expect(providerOf(3)?.prepare?.({ temperature: 0.2, max_tokens: 9 }, deployment)).toEqual({
      model: "our-thinker",
      changes: { reasoning_effort: "high", max_tokens: undefined, max_completion_tokens: 9, temperature: undefined },
      dropped: ["temperature"],
    });
    const responses = { ...deployment, dialect: "openai-responses" } as const;
    expect(providerOf(3)?.prepare?.({ temperature: 0.2 }, responses)?.dropped).toEqual(["temperature"]);
    // Its own name says more than what it is mapped from.
    const mapped = { ...ask("gpt-4o"), requestedModel: "o3-mini" };
    expect(providerOf(3)?.prepare?.({ temperature: 0.2 }, mapped)).toBeNull();
  });

  /** What xAI's documentation says of each: anything else is answered with 400. */
  const KNOWS: readonly (readonly [model: string, efforts: readonly string[]])[] = [
    ["grok-3", []],
    ["grok-3-mini", ["low", "high"]],
    ["grok-4", []],
    ["grok-4-1-fast-non-reasoning", []],
    ["grok-4.20-non-reasoning", []],
    ["grok-4.3", ["none", "low", "medium", "high"]],
    ["grok-4.6", ["none", "low", "medium", "high"]],
  ];

  test.each(KNOWS)("xAI: %s is sent no effort but %p", (model, efforts) => {
    for (const reasoning_effort of ["none", "minimal", "low", "medium", "high", "xhigh", "max"]) {
      const adapted = adapt(48, { reasoning_effort }, model);
      const sent = { reasoning_effort, ...adapted?.changes }.reasoning_effort;
      const isLost = reasoning_effort !== "none" || shippedCatalog.find(model).reasoning?.style !== "none";
      if (sent === undefined)
        expect([efforts.length, adapted?.dropped]).toEqual([0, isLost ? ["reasoning_effort"] : []]);
      else expect(efforts).toContain(sent);
    }
  });

  test("xAI: an effort that a model does not know is dropped and named", () => {
    expect(adapt(48, { reasoning_effort: "high" }, "grok-4")?.dropped).toEqual(["reasoning_effort"]);
    const responses = { ...ask("grok-4"), dialect: "openai-responses" } as const;
    const adapted = providerOf(48)?.prepare?.({ reasoning: { effort: "high" } }, responses);
    expect(adapted).toMatchObject({ changes: { reasoning: {} }, dropped: ["reasoning_effort"] });
  });

  test("xAI: -search behind the name is a tool of Responses", () => {
    const provider = providerOf(48);
    expect(provider?.chat?.formatOf("grok-4-search", "")).toBe("openai-responses");
    expect(provider?.chat?.formatOf("grok-4", "")).toBeNull();
    const responses = { ...ask("grok-3-mini-low-search"), dialect: "openai-responses" } as const;
    const own = { type: "function", name: "f" };
    expect(provider?.prepare?.({ tools: [own] }, responses)).toEqual({
      model: "grok-3-mini",
      changes: { reasoning: { effort: "low" }, tools: [own, { type: "web_search" }] },
      dropped: [],
    });
    expect(adapt(48, {}, "grok-4-search")?.changes).toMatchObject({
      model: "grok-4",
      search_parameters: { mode: "on" },
    });
  });

  test("DeepSeek: a schema becomes JSON and words, behind the client's own", () => {
    const schema = { type: "object", properties: { rain: { type: "boolean" } } };
    const response_format = { type: "json_schema", json_schema: { name: "report", schema } };
    const user = { role: "user", content: "Rain?" };
    const made = adapt(43, { response_format, messages: [{ role: "system", content: "Be brief." }, user] });
    expect(made?.changes.response_format).toEqual({ type: "json_object" });
    const [system, second] = (made?.changes.messages ?? []) as { content: string }[];
    expect(system?.content).toStartWith("Be brief.\n\n");
    expect(system?.content).toEndWith(JSON.stringify(schema));
    expect(second).toEqual(user);
    expect(made?.dropped).toEqual(["response_format"]);
    const alone = adapt(43, { response_format, messages: [user] })?.changes.messages;
    expect(alone).toEqual([{ role: "system", content: expect.stringContaining("JSON") }, user]);
  });

  test("DeepSeek: no reasoning is a switch, and while it reasons it returns no probabilities", () => {
    const model = "deepseek-v4-pro";
    const likely = { logprobs: true, top_logprobs: 2 };
    expect(adapt(43, likely, model)?.dropped).toEqual(["logprobs", "top_logprobs"]);
    expect(adapt(43, likely, "deepseek-chat")).toBeNull();
    expect(adapt(43, { ...likely, reasoning_effort: "none" }, model)).toEqual({
      model,
      changes: { reasoning_effort: undefined, thinking: { type: "disabled" } },
      dropped: [],
    });
    expect(adapt(43, { ...likely, thinking: { type: "disabled" } }, model)).toBeNull();
    expect(adapt(43, { reasoning_effort: "low" }, "deepseek-next")?.changes ?? {}).not.toHaveProperty(
      "reasoning_effort",
    );
    const quiet = adapt(43, { enable_thinking: false }, model);
    expect(quiet?.changes).toEqual({ enable_thinking: undefined, thinking: { type: "disabled" } });
  });

  test.each([
    ["mistral-medium-latest", "low", { reasoning_effort: "high" }, []],
    ["mistral-small-2603", "none", {}, []],
    ["mistral-medium-3.5", "minimal", { reasoning_effort: "none" }, []],
    ["magistral-small-latest", "medium", { reasoning_effort: undefined, prompt_mode: "reasoning" }, []],
    ["magistral-small-latest", "none", { reasoning_effort: undefined }, ["reasoning_effort"]],
    ["codestral-latest", "high", { reasoning_effort: undefined }, ["reasoning_effort"]],
    ["mistral-medium-2505", "high", { reasoning_effort: undefined }, ["reasoning_effort"]],
  ])("Mistral: %s is sent the effort %p in its own terms", (model, effort, changes, dropped) => {
    const made = adapt(42, { reasoning_effort: effort, messages: [] }, model);
    expect(made).toEqual({ model, changes: { messages: [], ...changes }, dropped });
  });

  test("MokaAI: a single text is a list", () => {
    const prepareEmbedding = (input: unknown) =>
      providerOf(44)?.prepare?.({ model: "m", input }, ask("m", "embeddings"));
    expect(prepareEmbedding("hi")).toEqual({ model: "m", changes: { input: ["hi"] }, dropped: [] });
    expect(prepareEmbedding(["hi", "you"])).toBeNull();
  });

  test("nothing changes where nothing must", () => {
    expect(adapt(43, { temperature: 0.5, messages: [{ role: "user", content: "hi" }] })).toBeNull();
  });
});

describe("balances", () => {
  test.each([
    [20, "https://openrouter.ai/api/v1/key", { data: { limit: 30, limit_remaining: 7.5, usage: 99 } }, 7.5],
    [25, "https://api.moonshot.cn/v1/users/me/balance", { data: { available_balance: 4.2 } }, 4.2],
    [40, "https://api.siliconflow.cn/v1/user/info", { data: { totalBalance: "88.00" } }, 88],
    [
      43,
      "https://api.deepseek.com/user/balance",
      {
        balance_infos: [
          { currency: "USD", total_balance: "1" },
          { currency: "CNY", total_balance: "7.5" },
        ],
      },
      7.5,
    ],
  ])("type %p returns it at %p", (type, url, answer, expected) => {
    const balance = providerOf(type)?.balance;
    expect(balance?.url(channel())).toBe(url);
    expect(balance?.read(answer)).toBe(expected);
    expect(balance?.read({})).toBeNull();
  });

  test("OpenRouter returns the account's credits to keys without a limit of their own, where they may see them", () => {
    const balance = providerOf(20)?.balance;
    expect(balance?.fallbackUrl?.(channel())).toBe("https://openrouter.ai/api/v1/credits");
    expect(balance?.read({ data: { limit: null, limit_remaining: null, usage: 3 } })).toBeNull();
    expect(balance?.read({ data: { total_credits: 10, total_usage: 2.5 } })).toBe(7.5);
    expect(balance?.read({ data: { total_credits: 10, total_usage: 10.5 } })).toBe(-0.5);
    // What ordinary keys receive instead of a rejection.
    expect(balance?.read({ data: { total_credits: 0, total_usage: 0 } })).toBeNull();
    expect(balance?.read({ data: { limit_remaining: 0 } })).toBe(0);
  });

  test.each([
    [["USD", "3"], ["CNY", "0.00"], 3, "USD"],
    [["USD", "0"], ["CNY", "0.00"], 0, "CNY"],
    [["USD", "0"], ["CNY", "2"], 2, "CNY"],
  ])("DeepSeek's purses %p and %p: %p %s, for calls are paid from any", (one, other, amount, currency) => {
    const purse = ([name, total]: readonly string[]) => ({ currency: name, total_balance: total });
    const answer = { is_available: true, balance_infos: [purse(one), purse(other)] };
    const balance = providerOf(43)?.balance;
    expect([balance?.read(answer), balance?.currency?.(channel(), answer)]).toEqual([amount, currency]);
  });
});

describe("embeddings, requested in OpenAI's format", () => {
  test.each([
    [38, { encoding_format: "base64" }, { encoding_format: undefined, embedding_type: "base64" }, []],
    [38, { encoding_format: "float" }, { encoding_format: undefined }, []],
    [38, { user: "u", dimensions: 8 }, { user: undefined }, ["user"]],
    [42, { dimensions: 256 }, { dimensions: undefined, output_dimension: 256 }, []],
    [42, { encoding_format: "base64", user: "u" }, { user: undefined }, ["user"]],
  ])("type %p says %p in its own", (type, request, changes, dropped) => {
    const body = { model: "m", input: ["a"], ...request };
    expect(providerOf(type)?.prepare?.(body, ask("m", "embeddings"))).toEqual({ model: "m", changes, dropped });
  });

  test.each([38, 42])("type %p leaves alone what it knows", (type) => {
    expect(providerOf(type)?.prepare?.({ model: "m", input: ["a"] }, ask("m", "embeddings"))).toBeNull();
  });
});
