/** Searches of the web that providers run by themselves: requested and returned in each client's format. */
import { describe, expect, test } from "bun:test";
import { anthropicClientCodec, anthropicCodec } from "../../../src/formats/anthropic/index.ts";
import type { ClientCodec, ProviderCodec } from "../../../src/formats/conversation/codec.ts";
import { stepsOf } from "../../../src/formats/conversation/collect-reply.ts";
import { geminiClientCodec, geminiCodec } from "../../../src/formats/gemini/index.ts";
import { type JsonObject, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec, openaiResponsesCodec } from "../../../src/formats/openai-responses/index.ts";
import { codecOf, wireFormats } from "../../../src/providers/registry.ts";
import { dataOf, replyContext, target, written } from "../../support/formats/fixtures.ts";

const LOCATION = { country: "BE", city: "Ghent" };
const REQUESTS = {
  chat: openaiChatClientCodec.decodeRequest({
    messages: [{ role: "user", content: "Rain?" }],
    web_search_options: {
      search_context_size: "low",
      user_location: { type: "approximate", approximate: LOCATION },
    },
  }),
  responses: openaiResponsesClientCodec.decodeRequest({
    input: "Rain?",
    max_tool_calls: 2,
    tool_choice: { type: "web_search" },
    tools: [
      {
        type: "web_search",
        search_context_size: "high",
        user_location: { type: "approximate", ...LOCATION, timezone: null },
        filters: { allowed_domains: ["meteo.be"] },
      },
    ],
  }),
  messages: anthropicClientCodec.decodeRequest({
    max_tokens: 99,
    messages: [{ role: "user", content: "Rain?" }],
    tools: [
      {
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 3,
        blocked_domains: ["spam.example"],
        user_location: { type: "approximate", ...LOCATION },
      },
    ],
  }),
  gemini: geminiClientCodec.decodeRequest({
    contents: [{ role: "user", parts: [{ text: "Rain?" }] }],
    tools: [{ googleSearch: { timeRangeFilter: { startTime: "2026-01-01T00:00:00Z" } } }],
  }),
} as const;
const WHERE = { type: "approximate", ...LOCATION };
const CLAUDE_SEARCH = { type: "web_search_20250305", name: "web_search" };

function encodeFor(client: keyof typeof REQUESTS, codec: ProviderCodec, model = "m") {
  const dropped = new Set<string>();
  const body = codec.encodeRequest(REQUESTS[client], target(model), dropped);
  return { body, dropped: [...dropped].sort() };
}

describe("a client's wish for a search", () => {
  test.each([
    ["chat", [{ ...CLAUDE_SEARCH, user_location: WHERE }], ["web_search_options: search_context_size"]],
    [
      "responses",
      [{ ...CLAUDE_SEARCH, max_uses: 2, allowed_domains: ["meteo.be"], user_location: WHERE }],
      ["tools: search_context_size"],
    ],
    ["gemini", [CLAUDE_SEARCH], ["tools: timeRangeFilter"]],
  ] as const)("of %s reaches Claude", (client, tools, dropped) => {
    const encoded = encodeFor(client, anthropicCodec);
    expect(encoded.body.tools).toEqual(tools as never);
    expect(encoded.dropped).toEqual([...dropped]);
  });

  test("of Responses may be a demand", () => {
    expect(encodeFor("responses", anthropicCodec).body.tool_choice).toEqual({ type: "tool", name: "web_search" });
    const { body, dropped } = encodeFor("responses", geminiCodec, "gemini-3-flash");
    expect(body).not.toHaveProperty("toolConfig");
    expect(body.tools).toEqual([{ googleSearch: {} }]);
    expect(dropped).toEqual(
      ["allowed_domains", "max_uses", "search_context_size", "user_location"].map((name) => `tools: ${name}`),
    );
  });

  test.each([
    ["messages", { user_location: WHERE }, { max_tool_calls: 3 }, ["tools: blocked_domains"]],
    ["chat", { user_location: WHERE, search_context_size: "low" }, {}, []],
    ["gemini", {}, {}, ["tools: timeRangeFilter"]],
  ] as const)("of %s reaches OpenAI's Responses", (client, search, members, dropped) => {
    const encoded = encodeFor(client, openaiResponsesCodec, "gpt-5");
    expect(encoded.body).toMatchObject({ tools: [{ type: "web_search", ...search }], ...members });
    expect(encoded.body.include).toContain("web_search_call.action.sources");
    expect(encoded.dropped).toEqual([...dropped]);
  });

  test("reaches those of OpenAI's chats that search; to others it is named as dropped", () => {
    const { body, dropped } = encodeFor("responses", openaiChatCodec, "gpt-4o-search-preview");
    expect(body.web_search_options).toEqual({
      search_context_size: "high",
      user_location: { type: "approximate", approximate: LOCATION },
    });
    expect(body).not.toHaveProperty("tools");
    expect(dropped).toEqual(["tool_choice", "tools: allowed_domains", "tools: max_uses"]);
    const plain = encodeFor("messages", openaiChatCodec, "gpt-4o");
    expect(plain.body).not.toHaveProperty("web_search_options");
    expect(plain.dropped).toEqual(["tools: web_search"]);
    for (const dialect of ["ollama", "cohere", "converse", "ernie", "spark"] as const) {
      expect(encodeFor("messages", codecOf(dialect)).dropped).toContain("tools: web_search");
      expect(encodeFor("chat", codecOf(dialect)).dropped).toContain("web_search_options");
    }
  });

  test("is a switch of DashScope and Hunyuan", () => {
    for (const client of ["chat", "responses", "messages", "gemini"] as const) {
      const qwen = encodeFor(client, codecOf("dashscope"));
      expect(recordOf(qwen.body.parameters)).toMatchObject({ enable_search: true });
      expect(qwen.dropped.filter((name) => name === "tools: web_search")).toEqual([]);
      expect(encodeFor(client, codecOf("hunyuan")).body).toMatchObject({ EnableEnhancement: true });
    }
  });

  test("goes to a provider of the same format as it came", () => {
    const same = [
      ["chat", openaiChatCodec],
      ["responses", openaiResponsesCodec],
      ["messages", anthropicCodec],
      ["gemini", geminiCodec],
    ] as const;
    for (const [client, codec] of same) expect(encodeFor(client, codec, "gemini-3-flash").dropped).toEqual([]);
    expect(encodeFor("chat", openaiChatCodec).body.web_search_options).toMatchObject({ search_context_size: "low" });
  });
});

const TEXT = "In Gänt 🌧 it rains.";
const URL = "https://meteo.be/ghent";
/** Where the words that are cited stand: in characters, and in bytes of UTF-8. */
const [START, END] = [3, 10];
const [START_BYTE, END_BYTE] = [TEXT.slice(0, START), TEXT.slice(0, END)].map((text) => Buffer.byteLength(text));
const QUERY = "weather ghent";

const search = {
  id: "ws_1",
  type: "web_search_call",
  status: "completed",
  action: { type: "search", query: QUERY, queries: [QUERY], sources: [{ type: "url", url: URL }] },
};
const annotation = { type: "url_citation", url: URL, title: "Ghent", start_index: START, end_index: END };
const found = { type: "web_search_result", url: URL, title: "Ghent", encrypted_content: "RQ==", page_age: null };
const cited = {
  type: "web_search_result_location",
  url: URL,
  title: "Ghent",
  cited_text: "rain",
  encrypted_index: "ZQ==",
};
const grounding = {
  webSearchQueries: [QUERY],
  searchEntryPoint: { renderedContent: "<div></div>" },
  groundingChunks: [{ web: { uri: URL, title: "Ghent" } }],
  groundingSupports: [
    {
      segment: { startIndex: START_BYTE, endIndex: END_BYTE, text: TEXT.slice(START, END) },
      groundingChunkIndices: [0],
    },
  ],
};

const ANSWERS = {
  responses: openaiResponsesCodec.decodeReply({
    id: "resp_1",
    status: "completed",
    output: [
      search,
      { type: "message", role: "assistant", content: [{ type: "output_text", text: TEXT, annotations: [annotation] }] },
    ],
  }),
  messages: anthropicCodec.decodeReply({
    id: "msg_1",
    stop_reason: "end_turn",
    content: [
      { type: "text", text: "Let me look. " },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: QUERY } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [found] },
      { type: "text", text: TEXT, citations: [cited] },
    ],
    usage: { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 1 } },
  }),
  gemini: geminiCodec.decodeReply({
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: [{ text: TEXT }] },
        finishReason: "STOP",
        groundingMetadata: grounding,
      },
    ],
  }),
} as const;

/** What a client receives of an answer, in one piece and streamed. */
function clientAnswers(
  from: keyof typeof ANSWERS,
  client: ClientCodec,
  request = client.decodeRequest(EMPTY),
): [JsonObject, JsonObject[]] {
  const reply = ANSWERS[from];
  if (!reply) throw new Error("it is not read");
  return [
    client.encodeReply(reply, replyContext(), request),
    dataOf(written(client, [...stepsOf(reply)], undefined, request)),
  ];
}
const EMPTY = {
  messages: [{ role: "user", content: "q" }],
  max_tokens: 9,
  input: "q",
  contents: [{ parts: [{ text: "q" }] }],
};

describe("what a search found", () => {
  test.each([
    ["gemini", START, END],
    ["responses", START, END],
    // The whole block of text is cited, behind the one before.
    ["messages", "Let me look. ".length, "Let me look. ".length + TEXT.length],
  ] as const)("by %s is cited to clients of chats in its place", (from, start_index, end_index) => {
    const [reply, events] = clientAnswers(from, openaiChatClientCodec);
    const expected = [{ type: "url_citation", url_citation: { url: URL, title: "Ghent", start_index, end_index } }];
    const [choice] = recordsOf(reply.choices);
    expect(recordOf(choice?.message)?.annotations).toEqual(expected);
    const deltas = recordsOf(events.flatMap(({ choices }) => recordsOf(choices).map(({ delta }) => delta)));
    expect(deltas.flatMap(({ annotations }) => recordsOf(annotations))).toEqual(expected);
  });

  test.each([
    ["gemini", START, END],
    ["messages", 0, TEXT.length],
  ] as const)(
    "by %s is a search item for clients of Responses, and cited in its message",
    (from, start_index, end_index) => {
      const [reply, events] = clientAnswers(from, openaiResponsesClientCodec);
      for (const response of [reply, recordOf(events.at(-1)?.response)]) {
        const items = recordsOf(response?.output);
        const call = items.find(({ type }) => type === "web_search_call");
        expect(call).toMatchObject({ status: "completed", action: { type: "search", query: QUERY, queries: [QUERY] } });
        const content = items.flatMap((item) => recordsOf(item.content));
        expect(content.find(({ text }) => text === TEXT)?.annotations).toEqual([
          { type: "url_citation", url: URL, title: "Ghent", start_index, end_index },
        ]);
      }
      const types = events.map(({ type }) => type).filter((type) => String(type).includes("web_search_call"));
      expect(types).toEqual(
        ["in_progress", "searching", "completed"].map((state) => `response.web_search_call.${state}`),
      );
    },
  );

  test.each(["gemini", "responses"] as const)("by %s is a search with its result for clients of Messages", (from) => {
    const [reply, events] = clientAnswers(from, anthropicClientCodec);
    const begun = recordsOf(events.map(({ content_block }) => content_block));
    for (const blocks of [recordsOf(reply.content), begun]) {
      const call = blocks.find(({ type }) => type === "server_tool_use");
      expect(call).toMatchObject({ name: "web_search", input: blocks === begun ? {} : { query: QUERY } });
      const result = blocks.find(({ type }) => type === "web_search_tool_result");
      expect(result).toMatchObject({ tool_use_id: call?.id, content: [{ type: "web_search_result", url: URL }] });
    }
    const inputs = recordsOf(events.map(({ delta }) => delta)).filter(({ type }) => type === "input_json_delta");
    expect(inputs.map(({ partial_json }) => partial_json)).toEqual([JSON.stringify({ query: QUERY })]);
    const usage = recordOf(events.findLast(({ type }) => type === "message_delta")?.usage);
    for (const figures of [recordOf(reply.usage), usage]) {
      expect(figures).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    }
    expect(JSON.stringify([reply, events]).match(/"web_search_result_location"/g)).toHaveLength(2);
  });

  test.each([
    ["responses", START, END],
    ["messages", "Let me look. ".length, "Let me look. ".length + TEXT.length],
  ] as const)("by %s is grounding for clients of Gemini, in bytes", (from, start, end) => {
    const [reply, events] = clientAnswers(from, geminiClientCodec);
    const text = from === "messages" ? `Let me look. ${TEXT}` : TEXT;
    const expected = {
      webSearchQueries: [QUERY],
      groundingChunks: [{ web: { uri: URL, title: "Ghent" } }],
      groundingSupports: [
        {
          segment: {
            startIndex: Buffer.byteLength(text.slice(0, start)),
            endIndex: Buffer.byteLength(text.slice(0, end)),
            text: text.slice(start, end),
          },
          groundingChunkIndices: [0],
        },
      ],
    };
    for (const answer of [reply, events.at(-1)]) {
      expect(recordsOf(answer?.candidates)[0]?.groundingMetadata).toEqual(expected);
    }
  });

  test("Google's own words go to Google's clients as they are", () => {
    const [reply, events] = clientAnswers("gemini", geminiClientCodec);
    for (const answer of [reply, events.at(-1)]) {
      expect(recordsOf(answer?.candidates)[0]?.groundingMetadata).toEqual(grounding);
    }
  });

  test("is cited too where it is no page of the web, and where Google repeats one", () => {
    const groundingChunks = [
      { maps: { uri: "https://maps.example/ghent", title: "Ghent", placeId: "p" } },
      { retrievedContext: { uri: "gs://files/ghent.pdf", title: "ghent.pdf" } },
    ];
    const reply = geminiCodec.decodeReply({
      candidates: [
        {
          content: { role: "model", parts: [{ text: TEXT }] },
          finishReason: "STOP",
          citationMetadata: { citationSources: [{ startIndex: START_BYTE, endIndex: END_BYTE, uri: URL }] },
          groundingMetadata: { groundingChunks },
        },
      ],
    });
    expect(reply?.choices[0]?.citations).toMatchObject([
      { url: URL, start: START, end: END },
      { url: "https://maps.example/ghent", title: "Ghent", start: null },
      { url: "gs://files/ghent.pdf", title: "ghent.pdf" },
    ]);
  });

  test("is reported once, though each event of a stream repeats it", () => {
    const decoder = geminiCodec.streamDecoder((prefix) => prefix);
    const event = (part: string, last: boolean) => ({
      event: "",
      data: JSON.stringify({
        candidates: [
          { content: { parts: [{ text: part }] }, groundingMetadata: grounding, ...(last && { finishReason: "STOP" }) },
        ],
      }),
    });
    const steps = [TEXT.slice(0, 12), TEXT.slice(12)].flatMap((part, at) => decoder.push(event(part, at === 1)));
    expect(steps.filter(({ type }) => type === "citation")).toHaveLength(1);
    expect(steps.filter(({ type }) => type === "native")).toEqual([
      {
        type: "native",
        choice: 0,
        dialect: "gemini",
        name: "groundingMetadata",
        value: { groundingMetadata: grounding },
      },
    ]);
  });
});

describe("pages that compatible services name next to their choices", () => {
  const choice = { index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" };
  const other = "https://x.example";
  test.each([
    ["Perplexity", { citations: [URL, other], search_results: [{ url: URL, title: "Ghent", date: null }] }],
    ["Zhipu", { web_search: [{ link: URL, title: "Ghent", refer: "1" }, { link: other }] }],
    [
      "Baidu",
      {
        search_results: [
          { index: 1, url: URL, title: "Ghent" },
          { index: 2, url: other },
        ],
      },
    ],
  ])("of %s are cited, whole and streamed, unless the message cites for itself", (_name, pagesFields) => {
    const pages = [
      { url: URL, title: "Ghent" },
      { url: other, title: null },
    ];
    const reply = openaiChatCodec.decodeReply({ id: "c", choices: [choice], ...pagesFields });
    expect(reply?.choices[0]?.citations).toMatchObject(pages);
    const chunk = (delta: object, finish_reason: string | null) => ({
      event: "",
      data: JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }], ...pagesFields }),
    });
    const decoder = openaiChatCodec.streamDecoder((prefix) => prefix);
    const steps = [chunk({ content: TEXT }, null), chunk({}, "stop")].flatMap((event) => decoder.push(event));
    expect(steps.flatMap((step) => (step.type === "citation" ? [step.citation] : []))).toMatchObject(pages);
    const annotations = [
      { type: "url_citation", url_citation: { url: other, title: "X", start_index: 0, end_index: 2 } },
    ];
    const choices = [{ ...choice, message: { ...choice.message, annotations } }];
    expect(openaiChatCodec.decodeReply({ id: "c", choices, ...pagesFields })?.choices[0]?.citations).toMatchObject([
      { url: other, start: 0, end: 2 },
    ]);
  });
});

describe("searches of earlier turns", () => {
  const items = [
    { role: "user", content: "q" },
    search,
    { role: "assistant", content: TEXT },
    { role: "user", content: "?" },
  ];
  const after = (blocks: readonly JsonObject[]) =>
    anthropicClientCodec.decodeRequest({
      max_tokens: 9,
      messages: [
        { role: "user", content: "q" },
        { role: "assistant", content: [...blocks, { type: "text", text: TEXT, citations: [cited] }] },
        { role: "user", content: "?" },
      ],
    });
  const own = [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: QUERY } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [found] },
  ];

  test("are nothing that a provider of another format misses", () => {
    for (const dialect of wireFormats) {
      const codec = codecOf(dialect);
      for (const conversation of [openaiResponsesClientCodec.decodeRequest({ input: items }), after(own)]) {
        if (dialect === conversation.extra.dialect) continue;
        const dropped = new Set<string>();
        const body = JSON.stringify(codec.encodeRequest(conversation, target(), dropped));
        expect([...dropped].filter((name) => /search|server/.test(name))).toEqual([]);
        expect(body).not.toContain("srvtoolu_1");
      }
    }
  });

  test("go back to the provider that made them, with their sources", () => {
    const body = JSON.stringify(anthropicCodec.encodeRequest(after(own), target(), new Set()));
    for (const block of [...own, cited]) expect(body).toContain(JSON.stringify(block).slice(1, -1));
  });

  test("that were another provider's do not", () => {
    const [reply] = clientAnswers("gemini", anthropicClientCodec);
    const conversation = after(recordsOf(reply.content));
    const dropped = new Set<string>();
    const body = anthropicCodec.encodeRequest(conversation, target(), dropped);
    expect(JSON.stringify(body)).not.toContain("sluice~");
    expect([...dropped]).toEqual([]);
    const [response] = clientAnswers("gemini", openaiResponsesClientCodec);
    const input = [...recordsOf(response.output), { role: "user", content: "?" }];
    const sent = openaiResponsesCodec.encodeRequest(
      openaiResponsesClientCodec.decodeRequest({ input }),
      target(),
      new Set(),
    );
    expect(JSON.stringify(sent)).not.toContain("web_search_call");
  });
});
