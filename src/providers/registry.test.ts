import { describe, expect, test } from "bun:test";
import { createCatalog, shippedDocument } from "../catalog/catalog.ts";
import { readEntries } from "../catalog/entry.ts";
import { channelTypes, providerOf } from "./registry.ts";

const channel = (baseUrl: string, openaiOrganization = "") => ({ baseUrl, other: "", openaiOrganization });

describe("base URLs", () => {
  test.each([
    ["", "https://api.openai.com/v1/chat/completions"],
    ["https://api.example.com", "https://api.example.com/v1/chat/completions"],
    ["https://api.example.com/", "https://api.example.com/v1/chat/completions"],
    ["https://api.example.com/v1", "https://api.example.com/v1/chat/completions"],
    ["https://api.example.com/openai", "https://api.example.com/openai/v1/chat/completions"],
    [
      "https://gateway.ai.cloudflare.com/v1/account/gateway/openai",
      "https://gateway.ai.cloudflare.com/v1/account/gateway/openai/chat/completions",
    ],
  ])("OpenAI with base %p", (base, expected) => {
    expect(
      providerOf(1)?.url(channel(base), { capability: "chat", dialect: "openai-chat", model: "gpt-4o", stream: false }),
    ).toBe(expected);
  });

  test("custom: the complete URL, with the model in it", () => {
    expect(
      providerOf(8)?.url(channel("https://x.example/run/{model}?a=1"), {
        capability: "chat",
        dialect: "openai-chat",
        model: "a/b",
        stream: false,
      }),
    ).toBe("https://x.example/run/a%2Fb?a=1");
  });
});

test("the organization is sent if the channel has one", () => {
  expect(providerOf(1)?.authHeaders(channel("", "org-1"), "sk-x")).toEqual({
    authorization: "Bearer sk-x",
    "openai-organization": "org-1",
  });
});

describe("reasoning models", () => {
  const adapt = (model: string, body: Record<string, unknown>, type = 1) =>
    providerOf(type)?.prepare?.(body, { capability: "chat", dialect: "openai-chat", model, stream: false });

  test("require max_completion_tokens and lose what they reject", () => {
    const messages = [
      { role: "system", content: "s" },
      { role: "user", content: "u" },
    ];
    expect(adapt("o3-mini-high", { max_tokens: 5, temperature: 0.2, messages })).toEqual({
      model: "o3-mini",
      changes: {
        reasoning_effort: "high",
        max_tokens: undefined,
        max_completion_tokens: 5,
        temperature: undefined,
        messages: [{ role: "developer", content: "s" }, messages[1]],
      },
      dropped: ["temperature"],
    });
  });

  test("what the operator's catalog says of a model decides", () => {
    const own = readEntries(
      {
        "gpt-5.4": { refuses: [], refuses_while_reasoning: ["temperature"] },
        "our-model": { reasoning: { style: "effort", efforts: ["low", "high"] }, refuses_while_reasoning: ["top_p"] },
        "grok-4-fast": { reasoning: { style: "fixed" }, refuses: ["stop"] },
        "mistral-own": { reasoning: { style: "effort", efforts: ["none", "high"] } },
        "kimi-k2.6": { refuses: [] },
      },
      "models",
    );
    const catalog = createCatalog([shippedDocument.models, own]);
    const prepare = (type: number, model: string, body: Record<string, unknown>) =>
      providerOf(type)?.prepare?.(body, {
        ...{ capability: "chat", dialect: "openai-chat" },
        model,
        stream: false,
        catalog,
      });
    const all = { stop: "x", temperature: 1, top_p: 1, reasoning_effort: "medium" };
    expect(prepare(1, "gpt-5.4", all)?.dropped).toEqual(["temperature"]);
    expect(prepare(1, "our-model", all)).toMatchObject({ changes: { reasoning_effort: "high" }, dropped: ["top_p"] });
    expect(prepare(48, "grok-4-fast", all)?.dropped).toEqual(["stop", "reasoning_effort"]);
    expect(prepare(42, "mistral-own", all)?.changes).toMatchObject({ reasoning_effort: "high" });
    const { reasoning_effort: _, ...plain } = all;
    expect(prepare(25, "kimi-k2.6", plain)).toBeNull();
  });

  test("on Azure, too", () => {
    expect(adapt("gpt-5", { max_tokens: 5 }, 3)?.changes).toMatchObject({
      max_tokens: undefined,
      max_completion_tokens: 5,
    });
  });

  test("of the later families keep sampling while they do not reason", () => {
    expect(adapt("gpt-5.4", { temperature: 0.2 })?.dropped).toEqual([]);
    expect(adapt("gpt-5.4", { temperature: 0.2, reasoning_effort: "low" })?.dropped).toEqual(["temperature"]);
  });

  test.each([
    ["o3", ["stop"]],
    ["o4-mini", ["stop"]],
    ["gpt-5-mini", ["stop"]],
    ["gpt-5.2", ["stop"]],
    ["gpt-5.5", []],
    ["gpt-5.10", []],
    ["o3-mini", []],
    ["gpt-4.1", undefined],
  ])("%s loses stop sequences: %j", (model, dropped) => {
    expect(adapt(model, { stop: ["END"] })?.dropped).toEqual(dropped);
  });

  test("of the o-series receive no parallel_tool_calls", () => {
    for (const params of [adapt, adaptResponse]) {
      expect(params("o4-mini", { parallel_tool_calls: false })).toMatchObject({
        changes: { parallel_tool_calls: undefined },
        dropped: ["parallel_tool_calls"],
      });
      expect(params("gpt-5", { parallel_tool_calls: true })?.changes).not.toHaveProperty("parallel_tool_calls");
    }
  });

  test("receive the closest effort that they support", () => {
    expect(adapt("o3", { reasoning_effort: "none" })?.changes).toEqual({ reasoning_effort: "low" });
    expect(adapt("gpt-5.1", { reasoning_effort: "none" })?.changes).toEqual({});
    const reasoning = { effort: "minimal", summary: "auto" };
    expect(adaptResponse("gpt-5.4", { reasoning })?.changes).toEqual({ reasoning: { ...reasoning, effort: "low" } });
  });

  test("do not affect those that never reason: these receive no effort", () => {
    expect(adapt("gpt-4o", { reasoning_effort: "low" })).toEqual({
      model: "gpt-4o",
      changes: { reasoning_effort: undefined },
      dropped: ["reasoning_effort"],
    });
    const request = { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] };
    expect(adaptResponse("gpt-4.1", request)).toEqual({
      model: "gpt-4.1",
      changes: { reasoning: undefined, include: [] },
      dropped: ["reasoning_effort"],
    });
  });

  const adaptResponse = (model: string, body: Record<string, unknown>, type = 1) =>
    providerOf(type)?.prepare?.(body, { capability: "chat", dialect: "openai-responses", model, stream: false });

  test.each([
    ["o3-mini-high", "o3-mini", "high"],
    ["gpt-5-low", "gpt-5", "low"],
    ["gpt-5-codex-high", "gpt-5-codex", "high"],
    ["o3-pro-medium", "o3-pro", "medium"],
    ["gpt-5.1-low", "gpt-5.1", "low"],
  ])("an effort in the name %p is removed in the Responses API, too", (model, name, effort) => {
    for (const type of [1, 3]) {
      expect(adaptResponse(model, { reasoning: { effort: "none", summary: "auto" } }, type)).toEqual({
        model: name,
        changes: { reasoning: { effort, summary: "auto" } },
        dropped: [],
      });
    }
  });

  test.each(["o3-pro", "gpt-5-pro", "gpt-5-codex", "gpt-5.4-pro", "gpt-5.1-codex-max", "o4-mini-deep-research"])(
    "%s loses in the Responses API what it rejects",
    (model) => {
      const include = ["reasoning.encrypted_content", "message.output_text.logprobs"];
      expect(adaptResponse(model, { temperature: 0.2, top_p: 0.9, top_logprobs: 2, include })).toEqual({
        model,
        changes: {
          temperature: undefined,
          top_p: undefined,
          top_logprobs: undefined,
          include: ["reasoning.encrypted_content"],
        },
        dropped: ["temperature", "top_p", "top_logprobs", "logprobs"],
      });
    },
  );

  test("of the later families keep sampling in the Responses API while they do not reason", () => {
    expect(adaptResponse("gpt-5.4", { temperature: 0.2 })?.dropped).toEqual([]);
    expect(adaptResponse("gpt-5.4", { temperature: 0.2, reasoning: { effort: "low" } })?.dropped).toEqual([
      "temperature",
    ]);
    expect(adaptResponse("gpt-4o", { temperature: 0.2 })).toBeNull();
  });

  test("Azure's models without chat completions use the Responses API, whatever the deployment is called", () => {
    const dialectOf = (deployment: string, model = deployment) => providerOf(3)?.chat?.formatOf(deployment, "", model);
    expect(dialectOf("o3-pro")).toBe("openai-responses");
    expect(dialectOf("our-coder", "gpt-5-codex-high")).toBe("openai-responses");
    expect(dialectOf("gpt-4o")).toBeNull();
  });

  test("what the catalog says of a model decides where it is served", () => {
    const own = readEntries({ "our-*": { responses_only: true }, "o3-pro": { responses_only: false } }, "models");
    const catalog = createCatalog([shippedDocument.models, own]);
    for (const type of [1, 3]) {
      const dialectOf = (model: string) => providerOf(type)?.chat?.formatOf(model, "", model, catalog);
      expect([dialectOf("our-model"), dialectOf("o3-pro")]).toEqual(["openai-responses", null]);
    }
  });

  test("what the catalog says of a model decides whether it only streams, takes media, and searches by itself", () => {
    const own = readEntries(
      {
        "our-*": { streams_only: true, input_modalities: ["text", "image"], built_in_search: true },
        "our-searcher": { search_billing: "answer", refuses: ["seed"] },
        "qwq-plus": { streams_only: false },
      },
      "models",
    );
    const catalog = createCatalog([shippedDocument.models, own]);
    const dashscope = providerOf(17);
    const mode = (model: string) => dashscope?.chat?.streaming.mode?.(model, catalog);
    expect(["our-model", "qwq-plus", "qwen3-32b", "qwen-plus"].map(mode)).toEqual([
      "always",
      "optional",
      "always",
      "optional",
    ]);
    const pathOf = (model: string) =>
      dashscope
        ?.url(channel(""), { capability: "chat", dialect: "dashscope", model, stream: false, catalog })
        .split("/")
        .at(-2);
    expect(["our-model", "qwen3.5-plus", "qwen-vl-ocr", "qwen-plus"].map(pathOf)).toEqual([
      ...["multimodal-generation", "multimodal-generation", "multimodal-generation", "text-generation"],
    ]);
    const searches = (model: string) => providerOf(1)?.chat?.searchesInResponses(model, catalog);
    expect(["our-searcher", "our-model", "gpt-4o-search-preview"].map(searches)).toEqual([false, true, false]);
    const ask = { capability: "chat", dialect: "openai-chat", stream: false, catalog } as const;
    const prepare = (model: string) => providerOf(1)?.prepare?.({ seed: 1, n: 2 }, { ...ask, model });
    expect(prepare("our-searcher")).toMatchObject({ changes: { seed: undefined }, dropped: ["seed"] });
    const plugged = (model: string) =>
      providerOf(20)?.prepare?.({ web_search_options: {} }, { ...ask, model })?.changes.plugins;
    expect(["our-model", "perplexity/sonar", "openai/gpt-4o"].map(plugged)).toEqual([
      undefined,
      undefined,
      [{ id: "web" }],
    ]);
  });

  test.each(["gpt-4o-search-preview", "gpt-4o-mini-search-preview-2025-03-11"])("%s loses what it rejects", (model) => {
    const changes = { temperature: undefined, n: undefined };
    expect(adapt(model, { temperature: 0.2, n: 2, seed: 1 })).toEqual({
      model,
      changes,
      dropped: ["temperature", "n"],
    });
    expect(adapt(model, { seed: 1 })).toBeNull();
  });

  test("gpt-5-search-api searches like the previews", () => {
    expect(adapt("gpt-5-search-api", { temperature: 0.2, max_tokens: 5, web_search_options: {} })).toEqual({
      model: "gpt-5-search-api",
      changes: { temperature: undefined, max_tokens: undefined, max_completion_tokens: 5 },
      dropped: ["temperature"],
    });
  });

  const weather = { type: "function", function: { name: "weather" } };
  test.each([
    [{ web_search_options: {} }, { web_search_options: undefined }, ["web_search_options"]],
    [
      { tools: [weather, { type: "web_search" }], tool_choice: "auto", parallel_tool_calls: false },
      { tools: [weather] },
      ["tools: web_search"],
    ],
    [
      { tools: [weather, { type: "web_search" }], tool_choice: { type: "web_search" } },
      { tools: [weather], tool_choice: undefined },
      ["tools: web_search", "tool_choice"],
    ],
    [
      { tools: [{ type: "web_search_preview" }, { type: "file_search" }], tool_choice: "required" },
      { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined },
      ["tools: web_search_preview", "tools: file_search", "tool_choice"],
    ],
  ])("chats of models that do not search lose the search options: %j", (body, changes, dropped) => {
    expect(adapt("gpt-4o", body)).toEqual({ model: "gpt-4o", changes, dropped });
    expect(adapt("ft:gpt-4.1-mini:us::1", body)?.dropped).toEqual(dropped);
    const reasons = adapt("gpt-5-mini-high", { ...body, temperature: 0.2, max_tokens: 5 });
    expect(reasons).toMatchObject({ model: "gpt-5-mini", changes: { ...changes, reasoning_effort: "high" } });
    expect(reasons?.dropped).toEqual([...dropped, "temperature"]);
  });

  test("other models behind the same type decide about such options themselves", () => {
    const body = { web_search_options: {}, tools: [{ type: "web_search" }] };
    for (const model of ["glm-5", "sonar", "gpt-oss-120b", "grok-4"]) expect(adapt(model, body)).toBeNull();
    expect(adaptResponse("gpt-4o", { tools: [{ type: "web_search" }] })).toBeNull();
  });

  test.each(["gpt-4o", "gpt-5-chat-latest", "gpt-4.1-mini", "o1-lookalike", "deepseek-chat"])("%s is none", (model) => {
    expect(adapt(model, { max_tokens: 5, temperature: 1 })).toBeNull();
  });
});

test("every channel type has its own name and number", () => {
  expect(new Set(channelTypes.map(({ id }) => id)).size).toBe(channelTypes.length);
  expect(channelTypes.map(({ id }) => id).slice(0, 3)).toEqual([1, 2, 3]);
});

test("a service that has ended keeps the number of its channel type, and says since when", () => {
  const ended = channelTypes.filter(({ endedOn }) => endedOn !== null);
  expect(ended.map(({ id, name, endedOn }) => [id, name, endedOn])).toEqual([[11, "Google PaLM2", "2024-08-15"]]);
  for (const { id } of ended) expect(providerOf(id)?.facts?.ended?.source).toStartWith("https://");
});

test("every service but those of the operator's own URL names its documentation", () => {
  const silent = channelTypes.filter(({ id }) => !providerOf(id)?.facts?.documented?.source.startsWith("https://"));
  expect(silent.map(({ name }) => name)).toEqual(["Custom"]);
});

const SERVICE_ACCOUNT = JSON.stringify({ project_id: "p", private_key: "k" });

/** Services whose own documentation nobody has found to compare: the list only gets shorter. */
const UNREAD = ["Custom", "Zhipu ChatGLM", "360", "AI Proxy knowledge base", "MokaAI M3E"];

test("records say when they were last compared with the service's documentation", () => {
  const unread = channelTypes.filter(({ id, endedOn }) => !endedOn && !providerOf(id)?.facts?.documented?.day);
  expect(unread.map(({ name }) => name)).toEqual(UNREAD);
  const days = channelTypes.flatMap(({ id }) => {
    const { documented, regions } = providerOf(id)?.facts ?? {};
    return [documented?.day, regions?.day].filter((day) => day !== undefined);
  });
  for (const day of days) expect(day).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
});

test("regions are names that the type takes", () => {
  const regional = channelTypes.flatMap(({ id, regions }) => (regions ? [{ id, ...regions }] : []));
  expect(regional.map(({ id, place }) => [id, place])).toEqual([
    [33, "key"],
    [41, "other"],
    [1007, "key"],
  ]);
  for (const { id, place, names } of regional) {
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      const key = place === "key" ? `ak|sk|${name}` : SERVICE_ACCOUNT;
      const url = providerOf(id)?.url(
        { ...channel(""), other: place === "other" ? name : "" },
        { capability: "chat", dialect: "gemini", model: "m", stream: false, key },
      );
      expect(url).toContain(place === "key" ? `bedrock-runtime.${name}.amazonaws.com/` : `/locations/${name}/`);
    }
  }
});

test("a service tier gets the service's name, and is left out where the service has none", () => {
  const tierAt = (type: number, tier: string) =>
    providerOf(type)?.prepare?.(
      { service_tier: tier },
      { capability: "chat", dialect: "openai-chat", model: "m", stream: false },
    );
  expect(tierAt(1000, "default")?.changes).toEqual({ service_tier: "on_demand" });
  expect(tierAt(1000, "priority")).toMatchObject({ changes: { service_tier: "performance" }, dropped: [] });
  expect(tierAt(1000, "performance")).toBeNull();
  expect(tierAt(1000, "scale")).toMatchObject({ changes: { service_tier: undefined }, dropped: ["service_tier"] });
  expect(tierAt(1000, "fast")?.changes).toEqual({ service_tier: "performance" });
  expect(tierAt(1000, "constructor")).toMatchObject({
    changes: { service_tier: undefined },
    dropped: ["service_tier"],
  });
  expect(tierAt(1002, "priority")).toBeNull();
  // Without tiers of its own.
  for (const type of [26, 1001, 1003])
    expect(tierAt(type, "default")).toMatchObject({ changes: { service_tier: undefined }, dropped: ["service_tier"] });
  expect(tierAt(42, "priority")?.changes).toMatchObject({ service_tier: "auto" });
  expect(tierAt(42, "default")?.changes).toMatchObject({ service_tier: "standard_only" });
  expect(tierAt(42, "flex")).toMatchObject({ changes: { service_tier: undefined }, dropped: ["service_tier"] });
});

test("a service tier gets the service's name in Responses, too", () => {
  const tierAt = (type: number, tier: string) =>
    providerOf(type)?.prepare?.(
      { service_tier: tier },
      { capability: "chat", dialect: "openai-responses", model: "grok-4.5", stream: false },
    );
  expect(tierAt(48, "fast")).toEqual({ model: "grok-4.5", changes: { service_tier: "priority" }, dropped: [] });
  expect(tierAt(48, "flex")).toMatchObject({ changes: { service_tier: undefined }, dropped: ["service_tier"] });
  expect(tierAt(48, "priority")).toBeNull();
  expect(tierAt(45, "priority")).toMatchObject({ changes: { service_tier: undefined }, dropped: ["service_tier"] });
});

test("an endpoint whose name says nothing of its model is switched as the client's name says", () => {
  const off = (requestedModel: string) =>
    providerOf(45)?.prepare?.(
      { reasoning_effort: "none" },
      { capability: "chat", dialect: "openai-chat", model: "ep-20260101-abc", requestedModel, stream: false },
    );
  expect(off("doubao-seed-1-6-251015")?.changes).toMatchObject({ thinking: { type: "disabled" } });
  expect(off("deepseek-v3-2")?.changes).toMatchObject({ thinking: { type: "disabled" } });
});
