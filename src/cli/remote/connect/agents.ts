import type { JsonObject } from "../../../formats/json.ts";

/** What an agent is set up with; limits in tokens, null: unknown. */
export type Access = Readonly<{
  /** Without a slash at its end, and without `/v1`. */
  url: string;
  key: string;
  model: string;
  contextWindow: number | null;
  outputLimit: number | null;
}>;

/** A file of settings, below the home folder, and what is set in it: dotted paths where the format has them. */
export type AgentFile = Readonly<{
  path: string;
  /** Where it is on Windows, below %APPDATA%; absent: at the same place. */
  windowsPath?: string;
  format: "json" | "yaml" | "toml" | "env";
  /** Values join those that are there: lists are put before them, and other values stay. */
  adds?: true;
  /** Values by their paths; undefined: nothing is set there. */
  values: (access: Access) => readonly (readonly [path: readonly string[], value: unknown])[];
}>;

export type AgentDescription = Readonly<{
  name: string;
  /** What starts it. */
  command: string;
  files: readonly AgentFile[];
  /** What is left to do by hand; empty: nothing. */
  byHand: (access: Access) => readonly string[];
}>;

/** Anthropic's own format keeps prompt caching and signed reasoning. */
const isClaude = ({ model }: Access): boolean => /claude/i.test(model);
const base = ({ url }: Access): string => `${url}/v1`;
const none = () => [];

/** Gemini CLI takes every model for one with this context window (its `tokenLimit`), and compacts at a share of it. */
const GEMINI_CLI_WINDOW = 1_048_576;
const COMPACTION_SHARE = 0.8;
/** opencode's own bound of the output, for models whose limit is unknown. */
const OPENCODE_OUTPUT = 32_000;

const compressionThreshold = ({ contextWindow }: Access): number | undefined =>
  contextWindow !== null && contextWindow < GEMINI_CLI_WINDOW
    ? Math.floor(((contextWindow * COMPACTION_SHARE) / GEMINI_CLI_WINDOW) * 1000) / 1000
    : undefined;

/** Absent where it is not known. */
const known = (value: number | null): number | undefined => value ?? undefined;

function withLimits(fields: JsonObject, limits: Readonly<Record<string, number | null>>): JsonObject {
  return { ...fields, ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null)) };
}

/** opencode's provider, which Kilo takes too. */
const openCodeValues: AgentFile["values"] = (access) => {
  const { key, model, contextWindow, outputLimit } = access;
  const limit = contextWindow !== null && {
    limit: { context: contextWindow, output: Math.min(outputLimit ?? OPENCODE_OUTPUT, contextWindow) },
  };
  return [
    [["model"], `sluice/${model}`],
    [
      ["provider", "sluice"],
      {
        npm: isClaude(access) ? "@ai-sdk/anthropic" : "@ai-sdk/openai-compatible",
        name: "Sluice",
        options: { baseURL: base(access), apiKey: key },
        models: { [model]: { ...limit } },
      },
    ],
  ];
};

/** The agents that `sluice connect` sets up, by the name on the command line. */
export const AGENTS: Readonly<Record<string, AgentDescription>> = {
  claude: {
    name: "Claude Code",
    command: "claude",
    files: [
      {
        path: ".claude/settings.json",
        format: "json",
        values: (access) => [
          [["env", "ANTHROPIC_BASE_URL"], access.url],
          [["env", "ANTHROPIC_AUTH_TOKEN"], access.key],
          [["env", "ANTHROPIC_MODEL"], access.model],
          [["env", "ANTHROPIC_DEFAULT_HAIKU_MODEL"], access.model],
          // It knows the windows of Claude models, and ignores the variable for them.
          [
            ["env", "CLAUDE_CODE_MAX_CONTEXT_TOKENS"],
            access.contextWindow === null || isClaude(access) ? undefined : String(access.contextWindow),
          ],
        ],
      },
    ],
    byHand: none,
  },
  codex: {
    name: "Codex",
    command: "codex",
    files: [
      {
        path: ".codex/config.toml",
        format: "toml",
        values: (access) => [
          [["model"], access.model],
          [["model_provider"], "sluice"],
          [["model_context_window"], known(access.contextWindow)],
          [["model_providers", "sluice", "name"], "Sluice"],
          [["model_providers", "sluice", "base_url"], base(access)],
          [["model_providers", "sluice", "wire_api"], "responses"],
          [["model_providers", "sluice", "experimental_bearer_token"], access.key],
        ],
      },
    ],
    byHand: none,
  },
  gemini: {
    name: "Gemini CLI",
    command: "gemini",
    files: [
      {
        path: ".gemini/settings.json",
        format: "json",
        values: (access) => [
          [["security", "auth", "selectedType"], "gemini-api-key"],
          [["model", "compressionThreshold"], compressionThreshold(access)],
          // Otherwise it compacts, searches and reads pages with Google's models.
          [["modelConfigs", "customAliases", "chat-compression-default"], { modelConfig: { model: access.model } }],
          [
            ["modelConfigs", "customAliases", "gemini-3-flash-base"],
            { extends: "base", modelConfig: { model: access.model } },
          ],
        ],
      },
      {
        path: ".gemini/.env",
        format: "env",
        values: (access) => [
          [["GOOGLE_GEMINI_BASE_URL"], access.url],
          [["GEMINI_API_KEY"], access.key],
          [["GEMINI_MODEL"], access.model],
        ],
      },
    ],
    byHand: none,
  },
  opencode: {
    name: "opencode",
    command: "opencode",
    files: [{ path: ".config/opencode/opencode.json", format: "json", values: openCodeValues }],
    byHand: none,
  },
  qwen: {
    name: "Qwen Code",
    command: "qwen",
    files: [
      {
        path: ".qwen/settings.json",
        format: "json",
        values: (access) => [
          [["security", "auth", "selectedType"], "openai"],
          [["model", "generationConfig", "contextWindowSize"], known(access.contextWindow)],
        ],
      },
      {
        path: ".qwen/.env",
        format: "env",
        values: (access) => [
          [["OPENAI_BASE_URL"], base(access)],
          [["OPENAI_API_KEY"], access.key],
          [["OPENAI_MODEL"], access.model],
        ],
      },
    ],
    byHand: none,
  },
  crush: {
    name: "Crush",
    command: "crush",
    files: [
      {
        path: ".config/crush/crush.json",
        windowsPath: "../Local/crush/crush.json",
        format: "json",
        values: (access) => [
          [
            ["providers", "sluice"],
            {
              name: "Sluice",
              type: isClaude(access) ? "anthropic" : "openai-compat",
              base_url: isClaude(access) ? access.url : base(access),
              api_key: access.key,
              models: [
                withLimits(
                  { id: access.model, name: access.model },
                  { context_window: access.contextWindow, default_max_tokens: access.outputLimit },
                ),
              ],
            },
          ],
          [["models", "large"], { model: access.model, provider: "sluice" }],
          [["models", "small"], { model: access.model, provider: "sluice" }],
        ],
      },
    ],
    byHand: none,
  },
  kilo: {
    name: "Kilo",
    command: "kilo",
    files: [{ path: ".config/kilo/kilo.json", format: "json", values: openCodeValues }],
    byHand: none,
  },
  aider: {
    name: "aider",
    command: "aider",
    files: [
      {
        path: ".aider.conf.yml",
        format: "yaml",
        values: (access) => [
          [["model"], `openai/${access.model}`],
          [["openai-api-base"], base(access)],
          [["openai-api-key"], access.key],
        ],
      },
      {
        path: ".aider.model.metadata.json",
        format: "json",
        values: (access) => [
          [
            [`openai/${access.model}`],
            access.contextWindow === null
              ? undefined
              : withLimits(
                  { litellm_provider: "openai", mode: "chat" },
                  { max_input_tokens: access.contextWindow, max_output_tokens: access.outputLimit },
                ),
          ],
        ],
      },
    ],
    byHand: none,
  },
  continue: {
    name: "Continue",
    command: "cn",
    files: [
      {
        path: ".continue/config.yaml",
        format: "yaml",
        adds: true,
        values: (access) => [
          [["name"], "Sluice"],
          [["version"], "1.0.0"],
          [["schema"], "v1"],
          [
            ["models"],
            [
              {
                name: access.model,
                provider: isClaude(access) ? "anthropic" : "openai",
                model: access.model,
                apiBase: `${base(access)}/`,
                apiKey: access.key,
                defaultCompletionOptions: withLimits(
                  {},
                  { contextLength: access.contextWindow, maxTokens: access.outputLimit },
                ),
              },
            ],
          ],
        ],
      },
    ],
    byHand: none,
  },
  pi: {
    name: "pi",
    command: "pi",
    files: [
      {
        path: ".pi/agent/models.json",
        format: "json",
        values: (access) => [
          [
            ["providers", "sluice"],
            {
              baseUrl: isClaude(access) ? access.url : base(access),
              api: isClaude(access) ? "anthropic-messages" : "openai-completions",
              apiKey: access.key,
              models: [
                withLimits(
                  { id: access.model },
                  { contextWindow: access.contextWindow, maxTokens: access.outputLimit },
                ),
              ],
            },
          ],
        ],
      },
    ],
    byHand: () => ["Start it with: pi --provider sluice"],
  },
  zed: {
    name: "Zed",
    command: "zed",
    files: [
      {
        path: ".config/zed/settings.json",
        windowsPath: "Zed/settings.json",
        format: "json",
        values: (access) => [
          [
            ["language_models", "openai_compatible", "Sluice"],
            {
              api_url: base(access),
              available_models: [
                withLimits(
                  { name: access.model, display_name: access.model },
                  { max_tokens: access.contextWindow, max_output_tokens: access.outputLimit },
                ),
              ],
            },
          ],
          [["agent", "default_model"], { provider: "Sluice", model: access.model }],
        ],
      },
    ],
    // Zed stores keys in the system's keychain alone.
    byHand: ({ key }) => [`In Zed, enter this key under Agent Settings → LLM Providers → Sluice: ${key}`],
  },
  cline: {
    name: "Cline",
    command: "cline",
    files: [],
    // It stores secrets where only it writes.
    byHand: (access) => [
      `Run: cline auth openai -b ${base(access)} -k ${access.key} -m ${access.model}`,
      ...(access.contextWindow === null ? [] : [`In its editor, Context Window Size: ${access.contextWindow}`]),
    ],
  },
  cursor: {
    name: "Cursor",
    command: "cursor",
    files: [],
    byHand: (access) => [
      "In Cursor, under Settings → Models → API Keys:",
      `  OpenAI API Key: ${access.key}`,
      `  Override OpenAI Base URL: ${base(access)}`,
      `Then add the model ${access.model}. Cursor's servers call this address: it must be reachable from the internet.`,
    ],
  },
};
