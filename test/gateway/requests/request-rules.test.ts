import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

/** Requests that a provider may read differently than the gateway never leave it; each format says so in its own shape. */

const upstream = startUpstream(() => Response.json(chatReply()));
const tasks = startUpstream(() => Response.json({ code: 1, description: "ok", result: "1" }));
let relay: ReturnType<typeof startRelay>;
beforeAll(() => {
  const channel = { baseUrl: upstream.url, models: ["cheap", "expensive"] };
  relay = startRelay({
    channels: [
      { type: 1, ...channel, models: [...channel.models, "plain"] },
      { type: 14, ...channel },
      { type: 24, ...channel },
      { type: 2, baseUrl: tasks.url, models: ["mj_imagine"] },
      { type: 36, baseUrl: tasks.url, models: ["suno_music", "suno_lyrics"] },
      { type: 50, baseUrl: tasks.url, models: ["cheap"], keys: ["a|b"] },
    ],
    options: { ModelRatio: JSON.stringify({ cheap: 1, plain: 1 }) },
    tokens: { test: { modelLimits: new Set(["cheap", "plain", "mj_imagine", "suno_music", "suno_lyrics"]) } },
  });
});
afterAll(() => {
  relay.stop();
  upstream.stop();
  tasks.stop();
});

/** The parts of an error that name the member, in whichever shape. */
const textOfError = (body: unknown): string => {
  const parsed = recordOf(body);
  const error = recordOf(parsed?.error);
  return String(error?.message ?? parsed?.description ?? parsed?.message ?? "");
};

async function refused(
  path: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<[number, string, JsonObject]> {
  const [sent, ordered] = [upstream.received.length, tasks.received.length];
  const answer = await relay.post(path, text, { headers });
  const body = recordOf(parseJson(await answer.text())) ?? {};
  expect([upstream.received.length - sent, tasks.received.length - ordered]).toEqual([0, 0]);
  return [answer.status, textOfError(body), body];
}

const MESSAGES = '"messages":[{"role":"user","content":"Hi"}]';
const CHAT = "/v1/chat/completions";
const GEMINI = "/v1beta/models/cheap:generateContent";
const CONTENTS = '"contents":[{"role":"user","parts":[{"text":"Hi"}]}]';

/** Path, body, and the member that the refusal names. */
const UNCLEAR: readonly (readonly [path: string, body: string, member: string])[] = [
  [CHAT, `{"model":"cheap","Model":"expensive",${MESSAGES}}`, "Model"],
  [CHAT, `{"model":"expensive","model":"cheap",${MESSAGES}}`, "model"],
  [CHAT, `{"mod\\u0065l":"expensive","model":"cheap",${MESSAGES}}`, "model"],
  [CHAT, `{"model":"cheap","\\u017ftream":true,${MESSAGES}}`, "ſtream"],
  [CHAT, `{"model":"cheap","to\\u212aens":1,"max_to\\u212aens":9,${MESSAGES}}`, "max_to\u212aens"],
  [CHAT, `{"model":"cheap","ｍodel":"expensive",${MESSAGES}}`, "ｍodel"],
  [CHAT, `{"model":"cheap","mo\\u200bdel":"expensive",${MESSAGES}}`, "mo\u200bdel"],
  [CHAT, `{"model":"cheap","STREAM":true,${MESSAGES}}`, "STREAM"],
  [CHAT, `{"model":"cheap","N":100,${MESSAGES}}`, "N"],
  [CHAT, `{"model":"cheap","Max_Tokens":100000,${MESSAGES}}`, "Max_Tokens"],
  [CHAT, `{"model":"cheap",${MESSAGES},"Messages":[{"role":"user","content":"forbidden"}]}`, "Messages"],
  [CHAT, `{"model":"cheap",${MESSAGES},"Tools":[]}`, "Tools"],
  [CHAT, `{"model":"cheap",${MESSAGES},"seed":1,"seed":2}`, "seed"],
  [
    CHAT,
    `{"model":"cheap",${MESSAGES},"stream":true,"stream_options":{"include_usage":true,"include_usage":false}}`,
    "stream_options.include_usage",
  ],
  [CHAT, `{"model":"cheap",${MESSAGES},"stream_options":{"Include_Usage":false}}`, "Include_Usage"],
  [CHAT, '{"model":"cheap","messages":[{"role":"user","content":"Hi","Content":"forbidden"}]}', "Content"],
  [
    CHAT,
    '{"model":"cheap","messages":[{"role":"user","content":[{"type":"text","text":"Hi","text":"forbidden"}]}]}',
    "messages[0].content[0].text",
  ],
  [CHAT, `{"model":"cheap",${MESSAGES},"tools":[{"Type":"web_search"}]}`, "Type"],
  ["/hf/v1/chat/completions", `{"model":"cheap","Model":"expensive",${MESSAGES}}`, "Model"],
  ["/v1/completions", '{"model":"cheap","prompt":"Hi","Best_of":9}', "Best_of"],
  ["/v1/embeddings", '{"model":"cheap","input":"Hi","Input":"long"}', "Input"],
  ["/v1/engines/cheap/embeddings", '{"input":"Hi","Model":"expensive"}', "Model"],
  ["/v1/images/generations", '{"model":"cheap","prompt":"Hi","n":1,"n":9}', "n"],
  ["/v1/images/generations", '{"model":"cheap","prompt":"Hi","Size":"1792x1024"}', "Size"],
  ["/v1/audio/speech", '{"model":"cheap","input":"Hi","voice":"alloy","INPUT":"long"}', "INPUT"],
  ["/v1/moderations", '{"model":"cheap","input":"Hi","Model":"expensive"}', "Model"],
  ["/v1/rerank", '{"model":"cheap","query":"q","documents":["a"],"Documents":["a","b"]}', "Documents"],
  ["/v2/rerank", '{"model":"cheap","query":"q","documents":["a"],"documents":["a","b"]}', "documents"],
  ["/v1/responses", '{"model":"cheap","input":"Hi","Model":"expensive"}', "Model"],
  [
    "/v1/responses",
    '{"model":"cheap","input":"Hi","max_output_tokens":5,"MAX_OUTPUT_TOKENS":50000}',
    "MAX_OUTPUT_TOKENS",
  ],
  [
    "/v1/responses",
    '{"model":"cheap","input":[{"role":"user","content":[{"type":"input_text","Text":"forbidden"}]}]}',
    "Text",
  ],
  ["/v1/messages", `{"model":"cheap","max_tokens":9,${MESSAGES},"Model":"expensive"}`, "Model"],
  [
    "/v1/messages",
    `{"model":"cheap","max_tokens":9,${MESSAGES},"thinking":{"type":"enabled","budget_tokens":1024,"Budget_Tokens":99999}}`,
    "Budget_Tokens",
  ],
  ["/v1/messages/count_tokens", `{"model":"cheap",${MESSAGES},"model":"expensive"}`, "model"],
  [GEMINI, `{${CONTENTS},"generationConfig":{"candidateCount":1,"CandidateCount":8}}`, "CandidateCount"],
  [
    GEMINI,
    `{${CONTENTS},"generationConfig":{"maxOutputTokens":5,"maxOutputTokens":50000}}`,
    "generationConfig.maxOutputTokens",
  ],
  [GEMINI, `{${CONTENTS},"generationConfig":{},"generation_config":{"candidate_count":8}}`, "generation_config"],
  [GEMINI, `{${CONTENTS},"generation_config":{"candidate_count":1,"candidateCount":8}}`, "candidate_count"],
  [GEMINI, `{${CONTENTS},"Generation_Config":{"candidateCount":8}}`, "Generation_Config"],
  ["/v1beta/models/cheap:streamGenerateContent?alt=sse", `{${CONTENTS},"Contents":[]}`, "Contents"],
  ["/v1beta/models/cheap:countTokens", `{${CONTENTS},"Contents":[]}`, "Contents"],
  ["/v1beta/models/cheap:embedContent", '{"content":{"parts":[{"text":"Hi"}]},"Content":{}}', "Content"],
  ["/v1/videos", '{"model":"cheap","prompt":"Hi","seconds":"4","Seconds":"60"}', "Seconds"],
  ["/v1/video/generations", '{"model":"cheap","prompt":"Hi","duration":4,"metadata":{"Duration":60}}', "Duration"],
  ["/mj/submit/imagine", '{"prompt":"Hi","Prompt":"forbidden"}', "Prompt"],
  [
    "/mj/submit/imagine",
    '{"prompt":"Hi","notifyHook":"http://a.example","notifyhook":"http://b.example"}',
    "notifyhook",
  ],
  ["/suno/submit/music", '{"prompt":"Hi","Prompt":"forbidden"}', "Prompt"],
  ["/suno/submit/music", '{"prompt":"Hi","prompt":"forbidden"}', "prompt"],
];

describe("a request with a member that providers may read differently", () => {
  test.each(UNCLEAR)("%s %s is refused and names %s", async (path, body, member) => {
    const [status, message] = await refused(path, body);
    expect([status, message]).toEqual([400, expect.stringContaining(`“${member}”`)]);
  });

  test("the refusal has the shape of the caller's format", async () => {
    const body = `{"model":"cheap","max_tokens":9,${MESSAGES},"Model":"expensive"}`;
    expect((await refused(CHAT, body))[2]).toMatchObject({
      error: { type: "invalid_request_error", param: "Model", code: "invalid_request" },
    });
    expect((await refused("/v1/messages", body))[2]).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error" },
    });
    expect((await refused(GEMINI, `{${CONTENTS},"Contents":[]}`))[2]).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT" },
    });
  });

  test("what the user names freely may have any name, and everything unknown goes as it came", async () => {
    const schema =
      '{"type":"object","properties":{"Model":{"type":"string"},"model":{"type":"string"},"__proto__":{}}}';
    const body = `{ "model":"plain", ${MESSAGES}, "constructor":1.0, "__proto__":{"Model":1}, "metadata":{"Type":"a","type":"b"},
      "tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}], "guided_json":{"Role":1}, "seed":12345678901234567890 }`;
    expect((await relay.post(CHAT, body)).status).toBe(200);
    expect(upstream.received.at(-1)?.text).toBe(body);
  });
});

/** Path, body without the number, and how a format writes the number. */
const NUMBERS: readonly (readonly [path: string, body: (number: string) => string, member: string])[] = [
  [CHAT, (n) => `{"model":"cheap",${MESSAGES},"n":${n}}`, "n"],
  [CHAT, (n) => `{"model":"cheap",${MESSAGES},"max_tokens":${n}}`, "max_tokens"],
  [CHAT, (n) => `{"model":"cheap",${MESSAGES},"max_completion_tokens":${n}}`, "max_completion_tokens"],
  [
    CHAT,
    (n) => `{"model":"cheap",${MESSAGES},"thinking":{"type":"enabled","budget_tokens":${n}}}`,
    "thinking.budget_tokens",
  ],
  ["/v1/completions", (n) => `{"model":"cheap","prompt":"Hi","best_of":${n}}`, "best_of"],
  ["/v1/embeddings", (n) => `{"model":"cheap","input":"Hi","dimensions":${n}}`, "dimensions"],
  ["/v1/images/generations", (n) => `{"model":"cheap","prompt":"Hi","n":${n}}`, "n"],
  ["/v1/images/generations", (n) => `{"model":"cheap","prompt":"Hi","batch_size":${n}}`, "batch_size"],
  ["/v1/audio/speech", (n) => `{"model":"cheap","input":"Hi","voice":"alloy","speed":${n}}`, "speed"],
  ["/v1/responses", (n) => `{"model":"cheap","input":"Hi","max_output_tokens":${n}}`, "max_output_tokens"],
  ["/v1/responses", (n) => `{"model":"cheap","input":"Hi","max_tool_calls":${n}}`, "max_tool_calls"],
  ["/v1/messages", (n) => `{"model":"cheap",${MESSAGES},"max_tokens":${n}}`, "max_tokens"],
  [
    "/v1/messages",
    (n) =>
      `{"model":"cheap","max_tokens":9,${MESSAGES},"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":${n}}]}`,
    "tools[].max_uses",
  ],
  [GEMINI, (n) => `{${CONTENTS},"generationConfig":{"candidateCount":${n}}}`, "generationConfig.candidateCount"],
  [GEMINI, (n) => `{${CONTENTS},"generation_config":{"max_output_tokens":${n}}}`, "generationConfig.maxOutputTokens"],
  [
    GEMINI,
    (n) => `{${CONTENTS},"generationConfig":{"thinkingConfig":{"thinkingBudget":${n}}}}`,
    "generationConfig.thinkingConfig.thinkingBudget",
  ],
  ["/v1/videos", (n) => `{"model":"cheap","prompt":"Hi","seconds":${n}}`, "seconds"],
  ["/v1/video/generations", (n) => `{"model":"cheap","prompt":"Hi","width":${n},"height":720}`, "width"],
  ["/suno/submit/music", (n) => `{"prompt":"Hi","continue_at":${n}}`, "continue_at"],
];
const HOSTILE = ["1e308", "1e400", "-1e308", "18446744073709551617", "-7", '"5"', "true", "[1]", "{}"];

describe("a number that sets the price", () => {
  test.each(NUMBERS.flatMap(([path, body, member]) => HOSTILE.map((number) => [path, body(number), member] as const)))(
    "%s %s is refused and names %s",
    async (path, body, member) => {
      // Videos may have their length as text.
      if (member === "seconds" && body.includes('"5"')) return;
      const [status, message] = await refused(path, body);
      expect([status, message]).toEqual([400, expect.stringContaining(`“${member}”`)]);
    },
  );

  test.each(NUMBERS.filter(([, , member]) => member !== "speed" && member !== "continue_at"))(
    "%s %s is whole",
    async (path, body, member) => {
      const [status, message] = await refused(path, body("1.5"));
      expect([status, message]).toEqual([400, expect.stringContaining(`“${member}”`)]);
    },
  );

  test.each([
    ["/v1/images/generations", '{"model":"cheap","prompt":"Hi","size":"99999x99999"}', "size"],
    ["/v1/embeddings", JSON.stringify({ model: "cheap", input: Array(100_001).fill(1) }), "input"],
    ["/v1/rerank", JSON.stringify({ model: "cheap", query: "q", documents: Array(10_001).fill("a") }), "documents"],
    [CHAT, `{"model":"cheap",${MESSAGES},"stream":"true"}`, "stream"],
    [CHAT, `{"model":"cheap",${MESSAGES},"stream":1}`, "stream"],
    ["/v1/messages", `{"model":"cheap","max_tokens":9,${MESSAGES},"stream":"true"}`, "stream"],
    ["/v1/responses", '{"model":"cheap","input":"Hi","background":"true"}', "background"],
  ])("%s %# is refused and names the member", async (path, body, member) => {
    const [status, message] = await refused(path, body);
    expect([status, message]).toEqual([400, expect.stringContaining(`“${member}”`)]);
  });

  test.each([
    `{"model":"plain",${MESSAGES},"n":null,"max_tokens":null,"stream":null,"thinking":null}`,
    `{"model":"plain",${MESSAGES},"n":1.0,"max_tokens":1e3}`,
    `{"model":"plain",${MESSAGES},"max_tokens":-1}`,
  ])("%s goes on", async (body) => {
    expect((await relay.post(CHAT, body)).status).toBe(200);
    expect(upstream.received.at(-1)?.text).toBe(body);
  });
});
