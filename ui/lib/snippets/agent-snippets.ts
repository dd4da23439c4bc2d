/** What an agent needs: base URL with /v1, API key, a model, and its limits in tokens (null: unknown). */
export type AgentAccess = Readonly<{
  baseUrl: string;
  key: string;
  model: string;
  contextWindow: number | null;
  outputLimit: number | null;
}>;

export const AGENT_SNIPPETS = [
  "claudeCode",
  "codex",
  "geminiCli",
  "openCode",
  "copilotCli",
  "qwenCode",
  "cline",
  "kiloCode",
  "continueDev",
  "piAgent",
  "aider",
] as const;
export type AgentSnippetName = (typeof AGENT_SNIPPETS)[number];

/** Gemini CLI takes every model for one with this context window (its `tokenLimit`). */
const GEMINI_CLI_WINDOW = 1_048_576;

/** The share of the context window at which a conversation is compacted. */
const COMPACTION_SHARE = 0.8;

/** opencode's own bound of the output, for models whose limit is unknown. */
const OPENCODE_OUTPUT = 32_000;

/** Anthropic's own format keeps prompt caching and signed reasoning. */
const isClaude = ({ model }: AgentAccess): boolean => /claude/i.test(model);

/** The address without the version, for clients that append it. */
export const withoutVersion = (baseUrl: string): string => baseUrl.replace(/\/v1$/, "");

/**
 * The settings of a coding agent, with the context window in the agent's own form: without it agents assume another one and do
 * not compact in time.
 */
export function agentSnippetOf(name: AgentSnippetName, access: AgentAccess): string {
  return SNIPPETS[name](access);
}

const SNIPPETS: Readonly<Record<AgentSnippetName, (access: AgentAccess) => string>> = {
  claudeCode: (access) =>
    lines(
      `export ANTHROPIC_BASE_URL=${withoutVersion(access.baseUrl)}`,
      `export ANTHROPIC_AUTH_TOKEN=${access.key}`,
      `export ANTHROPIC_MODEL=${access.model}`,
      `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${access.model}`,
      // Claude Code knows the windows of Claude models, and ignores the variable for them.
      access.contextWindow !== null &&
        !isClaude(access) &&
        `export CLAUDE_CODE_MAX_CONTEXT_TOKENS=${access.contextWindow}`,
      "claude",
    ),
  codex: ({ baseUrl, key, model, contextWindow }) =>
    lines(
      "# ~/.codex/config.toml",
      `model = ${JSON.stringify(model)}`,
      'model_provider = "sluice"',
      contextWindow !== null && `model_context_window = ${contextWindow}`,
      "",
      "[model_providers.sluice]",
      'name = "Sluice"',
      `base_url = ${JSON.stringify(baseUrl)}`,
      'env_key = "SLUICE_KEY"',
      'wire_api = "responses"',
      "",
      `# In the shell: export SLUICE_KEY=${key}`,
    ),
  geminiCli: ({ baseUrl, key, model, contextWindow }) => {
    const share = ((contextWindow ?? GEMINI_CLI_WINDOW) * COMPACTION_SHARE) / GEMINI_CLI_WINDOW;
    const isSmaller = contextWindow !== null && contextWindow < GEMINI_CLI_WINDOW;
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      ...(isSmaller && { model: { compressionThreshold: Math.floor(share * 1000) / 1000 } }),
      // Otherwise it compacts, searches and reads pages with Google's models.
      modelConfigs: {
        customAliases: {
          "chat-compression-default": { modelConfig: { model } },
          "gemini-3-flash-base": { extends: "base", modelConfig: { model } },
        },
      },
    };
    return lines(
      "# ~/.gemini/settings.json",
      json(settings),
      "",
      "# In the shell",
      `export GOOGLE_GEMINI_BASE_URL=${withoutVersion(baseUrl)}`,
      `export GEMINI_API_KEY=${key}`,
      `export GEMINI_MODEL=${model}`,
      "gemini",
    );
  },
  openCode: (access) => openCodeSettings("https://opencode.ai/config.json", access),
  copilotCli: (access) =>
    lines(
      `export COPILOT_PROVIDER_TYPE=${isClaude(access) ? "anthropic" : "openai"}`,
      `export COPILOT_PROVIDER_BASE_URL=${isClaude(access) ? withoutVersion(access.baseUrl) : access.baseUrl}`,
      `export COPILOT_PROVIDER_API_KEY=${access.key}`,
      `export COPILOT_MODEL=${access.model}`,
      access.contextWindow !== null && `export COPILOT_PROVIDER_MAX_PROMPT_TOKENS=${access.contextWindow}`,
      access.outputLimit !== null && `export COPILOT_PROVIDER_MAX_OUTPUT_TOKENS=${access.outputLimit}`,
      "copilot",
    ),
  qwenCode: ({ baseUrl, key, model, contextWindow }) =>
    lines(
      `export OPENAI_BASE_URL=${baseUrl}`,
      `export OPENAI_API_KEY=${key}`,
      `export OPENAI_MODEL=${model}`,
      "qwen",
      "",
      "# ~/.qwen/settings.json",
      `# ${JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        ...(contextWindow !== null && { model: { generationConfig: { contextWindowSize: contextWindow } } }),
      })}`,
    ),
  cline: ({ baseUrl, key, model, contextWindow }) =>
    lines(
      "API Provider: OpenAI Compatible",
      `Base URL: ${baseUrl}`,
      `OpenAI Compatible API Key: ${key}`,
      `Model ID: ${model}`,
      contextWindow !== null && `Context Window Size: ${contextWindow}`,
      "",
      `# In a terminal: cline auth openai -b ${baseUrl} -k ${key} -m ${model}`,
    ),
  kiloCode: (access) => openCodeSettings("https://app.kilo.ai/config.json", access),
  continueDev: (access) =>
    lines(
      "# ~/.continue/config.yaml",
      "name: Sluice",
      "version: 1.0.0",
      "schema: v1",
      "models:",
      `  - name: ${JSON.stringify(access.model)}`,
      `    provider: ${isClaude(access) ? "anthropic" : "openai"}`,
      `    model: ${JSON.stringify(access.model)}`,
      `    apiBase: ${JSON.stringify(`${access.baseUrl}/`)}`,
      `    apiKey: ${JSON.stringify(access.key)}`,
      (access.contextWindow ?? access.outputLimit) !== null && "    defaultCompletionOptions:",
      access.contextWindow !== null && `      contextLength: ${access.contextWindow}`,
      access.outputLimit !== null && `      maxTokens: ${access.outputLimit}`,
    ),
  piAgent: (access) =>
    lines(
      "// ~/.pi/agent/models.json",
      json({
        providers: {
          sluice: {
            baseUrl: isClaude(access) ? withoutVersion(access.baseUrl) : access.baseUrl,
            api: isClaude(access) ? "anthropic-messages" : "openai-completions",
            apiKey: access.key,
            models: [
              {
                id: access.model,
                ...(access.contextWindow !== null && { contextWindow: access.contextWindow }),
                ...(access.outputLimit !== null && { maxTokens: access.outputLimit }),
              },
            ],
          },
        },
      }),
    ),
  aider: ({ baseUrl, key, model, contextWindow, outputLimit }) =>
    lines(
      `export OPENAI_API_BASE=${baseUrl}`,
      `export OPENAI_API_KEY=${key}`,
      `aider --model openai/${model}`,
      ...(contextWindow === null
        ? []
        : [
            "",
            "# .aider.model.metadata.json",
            `# ${JSON.stringify({
              [`openai/${model}`]: {
                max_input_tokens: contextWindow,
                ...(outputLimit !== null && { max_output_tokens: outputLimit }),
                litellm_provider: "openai",
                mode: "chat",
              },
            })}`,
          ]),
    ),
};

/** The configuration of opencode and of Kilo, which is made from it. */
function openCodeSettings(schema: string, access: AgentAccess): string {
  const { baseUrl, key, model, contextWindow, outputLimit } = access;
  const limit = contextWindow !== null && {
    limit: { context: contextWindow, output: Math.min(outputLimit ?? OPENCODE_OUTPUT, contextWindow) },
  };
  return json({
    $schema: schema,
    model: `sluice/${model}`,
    provider: {
      sluice: {
        npm: isClaude(access) ? "@ai-sdk/anthropic" : "@ai-sdk/openai-compatible",
        name: "Sluice",
        options: { baseURL: baseUrl, apiKey: key },
        models: { [model]: { ...limit } },
      },
    },
  });
}

const json = (value: object): string => JSON.stringify(value, null, 2);

const lines = (...all: readonly (string | false)[]): string => all.filter((line) => line !== false).join("\n");
