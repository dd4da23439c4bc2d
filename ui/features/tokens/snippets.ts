/** How programs reach the gateway: its address with /v1, a key, and a model they may call. */
type Access = Readonly<{ baseUrl: string; key: string; model: string }>;

export const SNIPPETS = [
  "curl",
  "python",
  "typescript",
  "anthropic",
  "google",
  "claudeCode",
  "codex",
  "cline",
  "cherryStudio",
  "lobeChat",
  "openWebUi",
] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/** Clients of these put the version behind the address themselves. */
const ADD_VERSION: ReadonlySet<SnippetName> = new Set(["anthropic", "google", "claudeCode", "cherryStudio"]);

/** The address that such a client is told, of the one with /v1. */
export const addressOf = (name: SnippetName, baseUrl: string): string =>
  ADD_VERSION.has(name) ? baseUrl.replace(/\/v1$/, "") : baseUrl;

/** A first call in one language, ready to run; for a tool, what to enter under the names of its own settings. */
export function snippetOf(name: SnippetName, { baseUrl, key, model }: Access): string {
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
    case "claudeCode":
      return [
        `export ANTHROPIC_BASE_URL=${address}`,
        `export ANTHROPIC_AUTH_TOKEN=${key}`,
        `export ANTHROPIC_MODEL=${model}`,
        "claude",
      ].join("\n");
    case "codex":
      return [
        "# ~/.codex/config.toml",
        `model = ${JSON.stringify(model)}`,
        'model_provider = "sluice"',
        "",
        "[model_providers.sluice]",
        'name = "Sluice"',
        `base_url = ${JSON.stringify(address)}`,
        'env_key = "SLUICE_KEY"',
        'wire_api = "responses"',
        "",
        `# In the shell: export SLUICE_KEY=${key}`,
      ].join("\n");
    case "cline":
      return [
        "API Provider: OpenAI Compatible",
        `Base URL: ${address}`,
        `OpenAI Compatible API Key: ${key}`,
        `Model ID: ${model}`,
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
