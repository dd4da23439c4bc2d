import {
  AGENT_SNIPPETS,
  type AgentAccess,
  type AgentSnippetName,
  agentSnippetOf,
  withoutVersion,
} from "./agent-snippets.ts";

/** What a client needs: base URL with /v1, API key, and a model; agents also take its limits. */
type Access = Pick<AgentAccess, "baseUrl" | "key" | "model"> & Partial<AgentAccess>;

export const SNIPPETS = [
  "curl",
  "python",
  "typescript",
  "anthropic",
  "google",
  ...AGENT_SNIPPETS,
  "cherryStudio",
  "lobeChat",
  "openWebUi",
] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/** Clients of these formats append the version to the base URL themselves. */
const ADD_VERSION: ReadonlySet<SnippetName> = new Set([
  "anthropic",
  "google",
  "claudeCode",
  "geminiCli",
  "cherryStudio",
]);

/** The base URL without /v1, for clients that append it. */
export const addressOf = (name: SnippetName, baseUrl: string): string =>
  ADD_VERSION.has(name) ? withoutVersion(baseUrl) : baseUrl;

const isAgent = (name: SnippetName): name is AgentSnippetName => AGENT_SNIPPETS.some((agent) => agent === name);

/** A runnable first call in one language; for a tool, its settings by their own names. */
export function snippetOf(name: SnippetName, access: Access): string {
  if (isAgent(name)) return agentSnippetOf(name, { contextWindow: null, outputLimit: null, ...access });
  const { baseUrl, key, model } = access;
  const address = addressOf(name, baseUrl);
  switch (name) {
    case "anthropic":
      return [
        "from anthropic import Anthropic",
        "",
        `client = Anthropic(base_url=${JSON.stringify(address)}, api_key=${JSON.stringify(key)})`,
        "answer = client.messages.create(",
        `    model=${JSON.stringify(model)},`,
        "    max_tokens=1024,",
        '    messages=[{"role": "user", "content": "Hello"}],',
        ")",
        "print(answer.content[0].text)",
      ].join("\n");
    case "google":
      return [
        "from google import genai",
        "",
        `client = genai.Client(api_key=${JSON.stringify(key)}, http_options={"base_url": ${JSON.stringify(address)}})`,
        `answer = client.models.generate_content(model=${JSON.stringify(model)}, contents="Hello")`,
        "print(answer.text)",
      ].join("\n");
    case "cherryStudio":
      return ["Provider Type: OpenAI", `API Key: ${key}`, `API Host: ${address}`, `Model ID: ${model}`].join("\n");
    case "lobeChat":
      return [
        "docker run -d -p 3210:3210 \\",
        `  -e OPENAI_API_KEY=${key} \\`,
        `  -e OPENAI_PROXY_URL=${address} \\`,
        `  -e OPENAI_MODEL_LIST=+${model} \\`,
        "  lobehub/lobe-chat",
      ].join("\n");
    case "openWebUi":
      return [
        "docker run -d -p 3000:8080 \\",
        `  -e OPENAI_API_BASE_URL=${address} \\`,
        `  -e OPENAI_API_KEY=${key} \\`,
        `  -e DEFAULT_MODELS=${model} \\`,
        "  -v open-webui:/app/backend/data \\",
        "  ghcr.io/open-webui/open-webui:main",
      ].join("\n");
    case "curl":
      return [
        `curl ${address}/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] })}'`,
      ].join("\n");
    case "python":
      return [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${JSON.stringify(address)}, api_key=${JSON.stringify(key)})`,
        "answer = client.chat.completions.create(",
        `    model=${JSON.stringify(model)},`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ")",
        "print(answer.choices[0].message.content)",
      ].join("\n");
    case "typescript":
      return [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${JSON.stringify(address)}, apiKey: ${JSON.stringify(key)} });`,
        "const answer = await client.chat.completions.create({",
        `  model: ${JSON.stringify(model)},`,
        '  messages: [{ role: "user", content: "Hello" }],',
        "});",
        "console.log(answer.choices[0]?.message.content);",
      ].join("\n");
  }
}
