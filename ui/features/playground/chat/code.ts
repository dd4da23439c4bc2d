import type { CodeFormat, TranslatedRequest } from "../../../../src/domain/playground/translate-request.ts";
import { isRecord } from "../../../lib/json.ts";

export const CODE_LANGUAGES = ["curl", "python", "typescript"] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

export const CODE_FORMATS: readonly CodeFormat[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/** A call in one of the formats: the path below the gateway's address, and the body. */
export type CodeCall = Pick<TranslatedRequest, "path" | "body">;

/** What is shown of a request: without what only the playground sends. */
export function shownRequest({
  group: _,
  stream: __,
  stream_options: ___,
  ...body
}: Readonly<Record<string, unknown>>) {
  return body;
}

/** A request of Chat Completions as a call. */
export const chatCall = (body: Record<string, unknown>): CodeCall => ({
  path: "/v1/chat/completions",
  body: shownRequest(body),
});

/** The call as code, with a placeholder for the key. `address` is the gateway's, without a version. */
export function codeOf(language: CodeLanguage, format: CodeFormat, call: CodeCall, address: string): string {
  switch (language) {
    case "curl":
      return curlOf(format, call, address);
    case "python":
      return PYTHON[format](call, JSON.stringify(address));
    case "typescript":
      return TYPESCRIPT[format](call, JSON.stringify(address));
  }
}

const KEY_HEADERS: Readonly<Record<CodeFormat, readonly string[]>> = {
  "openai-chat": ['"Authorization: Bearer $SLUICE_KEY"'],
  "openai-responses": ['"Authorization: Bearer $SLUICE_KEY"'],
  anthropic: ['"x-api-key: $SLUICE_KEY"', '"anthropic-version: 2023-06-01"'],
  gemini: ['"x-goog-api-key: $SLUICE_KEY"'],
};

const curlOf = (format: CodeFormat, { path, body }: CodeCall, address: string): string =>
  [
    `curl ${address}${path} \\`,
    ...KEY_HEADERS[format].map((header) => `  -H ${header} \\`),
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join("\n");

type Write = (call: CodeCall, address: string) => string;

/** Parameters of a chat that OpenAI's library for Python has as arguments; others go through `extra_body`. */
const PYTHON_ARGUMENTS = new Set(
  `model messages temperature max_tokens max_completion_tokens top_p frequency_penalty presence_penalty seed stop tools tool_choice
  reasoning_effort verbosity response_format service_tier web_search_options input instructions max_output_tokens reasoning text
  include store parallel_tool_calls metadata user`.split(/\s+/),
);

function openAiArguments(body: CodeCall["body"], isChat: boolean): string[] {
  const isOwn = (name: string) => PYTHON_ARGUMENTS.has(name) && !(isChat && name === "reasoning");
  const entries = Object.entries(body);
  const extra = entries.filter(([name]) => !isOwn(name));
  return [
    ...entries.filter(([name]) => isOwn(name)).map(([name, value]) => `    ${name}=${pythonOf(value)},`),
    ...(extra.length > 0 ? [`    extra_body=${pythonOf(Object.fromEntries(extra))},`] : []),
  ];
}

const pythonOpenAi =
  (method: string, result: string): Write =>
  ({ body }, address) =>
    [
      "import os",
      "from openai import OpenAI",
      "",
      `client = OpenAI(base_url=${address.slice(0, -1)}/v1", api_key=os.environ["SLUICE_KEY"])`,
      `response = client.${method}(`,
      ...openAiArguments(body, method.startsWith("chat")),
      ")",
      `print(${result})`,
    ].join("\n");

const PYTHON: Readonly<Record<CodeFormat, Write>> = {
  "openai-chat": pythonOpenAi("chat.completions.create", "response.choices[0].message.content"),
  "openai-responses": pythonOpenAi("responses.create", "response.output_text"),
  anthropic: ({ body }, address) =>
    [
      "import os",
      "from anthropic import Anthropic",
      "",
      `client = Anthropic(base_url=${address}, api_key=os.environ["SLUICE_KEY"])`,
      "response = client.messages.create(",
      ...Object.entries(body).map(([name, value]) => `    ${name}=${pythonOf(value)},`),
      ")",
      'print("".join(block.text for block in response.content if block.type == "text"))',
    ].join("\n"),
  gemini: (call, address) => {
    const { model, contents, config } = geminiParts(call);
    return [
      "import os",
      "from google import genai",
      "",
      `client = genai.Client(api_key=os.environ["SLUICE_KEY"], http_options={"base_url": ${address}})`,
      "response = client.models.generate_content(",
      `    model=${JSON.stringify(model)},`,
      `    contents=${pythonOf(contents)},`,
      ...(Object.keys(config).length > 0 ? [`    config=${pythonOf(config)},`] : []),
      ")",
      "print(response.text)",
    ].join("\n");
  },
};

const typescriptOpenAi =
  (method: string, result: string): Write =>
  ({ body }, address) =>
    [
      'import OpenAI from "openai";',
      "",
      `const client = new OpenAI({ baseURL: ${address.slice(0, -1)}/v1", apiKey: process.env.SLUICE_KEY });`,
      `const response = await client.${method}(${JSON.stringify(body, null, 2)});`,
      `console.log(${result});`,
    ].join("\n");

const TYPESCRIPT: Readonly<Record<CodeFormat, Write>> = {
  "openai-chat": typescriptOpenAi("chat.completions.create", "response.choices[0]?.message.content"),
  "openai-responses": typescriptOpenAi("responses.create", "response.output_text"),
  anthropic: ({ body }, address) =>
    [
      'import Anthropic from "@anthropic-ai/sdk";',
      "",
      `const client = new Anthropic({ baseURL: ${address}, apiKey: process.env.SLUICE_KEY });`,
      `const response = await client.messages.create(${JSON.stringify(body, null, 2)});`,
      'for (const block of response.content) if (block.type === "text") console.log(block.text);',
    ].join("\n"),
  gemini: (call, address) => {
    const { model, contents, config } = geminiParts(call);
    const request = { model, contents, ...(Object.keys(config).length > 0 && { config }) };
    return [
      'import { GoogleGenAI } from "@google/genai";',
      "",
      `const client = new GoogleGenAI({ apiKey: process.env.SLUICE_KEY, httpOptions: { baseUrl: ${address} } });`,
      `const response = await client.models.generateContent(${JSON.stringify(request, null, 2)});`,
      "console.log(response.text);",
    ].join("\n");
  },
};

/** Google's libraries take everything but the contents as one flat configuration, and the model by name. */
function geminiParts({ path, body }: CodeCall) {
  const { contents, generationConfig, ...others } = body;
  const model = decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? "");
  return { model, contents, config: { ...(isRecord(generationConfig) && generationConfig), ...others } };
}

/** A JSON value as a Python literal. */
export function pythonOf(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (isRecord(value))
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}
