import { expect, test } from "bun:test";
import { AGENT_SNIPPETS, type AgentSnippetName } from "./agent-snippets.ts";
import { addressOf, SNIPPETS, snippetOf } from "./snippets.ts";

const ACCESS = { baseUrl: "https://gate.test/v1", key: "sk-1", model: "some-model" };

test.each([...SNIPPETS])("%s says where, with which key and which model", (name) => {
  const code = snippetOf(name, ACCESS);
  for (const part of ["https://gate.test", "sk-1", "some-model"]) expect(code).toContain(part);
});

test.each(["anthropic", "google", "claudeCode", "geminiCli", "cherryStudio"] as const)(
  "%s adds the version itself",
  (name) => {
    expect(snippetOf(name, ACCESS)).not.toContain("/v1");
    expect(addressOf(name, ACCESS.baseUrl)).toBe("https://gate.test");
  },
);

const WITH_VERSION = SNIPPETS.filter((name) => addressOf(name, ACCESS.baseUrl) === ACCESS.baseUrl);

test.each(WITH_VERSION)("%s contains the version", (name) => {
  expect(WITH_VERSION).toContain("openWebUi");
  expect(snippetOf(name, ACCESS)).toContain("https://gate.test/v1");
});

/** A context window in the form of each agent, and a Claude model in its own format where the agent speaks it. */
const AGENTS: Readonly<Record<AgentSnippetName, readonly [window: string, claude: string]>> = {
  claudeCode: ["export CLAUDE_CODE_MAX_CONTEXT_TOKENS=200000", "ANTHROPIC_MODEL=claude-9"],
  codex: ["\nmodel_context_window = 200000\n", 'wire_api = "responses"'],
  geminiCli: ['"compressionThreshold": 0.152', "GEMINI_MODEL=claude-9"],
  openCode: ['"context": 200000', '"@ai-sdk/anthropic"'],
  copilotCli: ["export COPILOT_PROVIDER_MAX_PROMPT_TOKENS=200000", "COPILOT_PROVIDER_TYPE=anthropic"],
  qwenCode: ['{"generationConfig":{"contextWindowSize":200000}}', "OPENAI_MODEL=claude-9"],
  cline: ["Context Window Size: 200000", "Model ID: claude-9"],
  kiloCode: ['"context": 200000', '"@ai-sdk/anthropic"'],
  continueDev: ["      contextLength: 200000", "provider: anthropic"],
  piAgent: ['"contextWindow": 200000', '"anthropic-messages"'],
  aider: ['"max_input_tokens":200000', "openai/claude-9"],
};

test.each(AGENT_SNIPPETS)("%s gets the context window in its own form, if it is known", (name) => {
  const [window, claude] = AGENTS[name];
  const known = { ...ACCESS, contextWindow: 200_000, outputLimit: 32_000 };
  expect(snippetOf(name, known)).toContain(window);
  expect(snippetOf(name, ACCESS)).not.toMatch(/window|limit|tokens|threshold|length/i);
  expect(snippetOf(name, { ...known, model: "claude-9" })).toContain(claude);
});
