import { expect, test } from "bun:test";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { AGENTS } from "./agents.ts";
import { editSettings } from "./edit-settings.ts";
import { withMcp } from "./mcp-settings.ts";

const ACCESS = {
  ...{ url: "https://ai.example.com", key: "sk-key", model: "gpt-5", contextWindow: 200_000, outputLimit: 32_000 },
};
const URL = "https://ai.example.com/mcp";
const HEADERS = { Authorization: "Bearer sk-key" };

const PARSERS = {
  json: (text: string): unknown => JSON.parse(text),
  toml: (text: string): unknown => parseToml(text),
  yaml: (text: string): unknown => parseYaml(text),
  env: (text: string): unknown => text,
};

const changesOf = (name: string, path: string) => {
  const agent = AGENTS[name];
  const file = agent && withMcp(name, agent)?.files.filter((each) => each.path === path);
  expect(file).toHaveLength(1);
  const [{ format, values }] = file as [NonNullable<typeof file>[number]];
  const settings = values(ACCESS).flatMap(([path, value]) =>
    value === undefined ? [] : [{ path, value, adds: true }],
  );
  return { format, settings };
};

test.each<[string, string, object]>([
  ["claude", ".claude.json", { mcpServers: { sluice: { type: "http", url: URL, headers: HEADERS } } }],
  ["codex", ".codex/config.toml", { mcp_servers: { sluice: { url: URL, http_headers: HEADERS } }, model: "gpt-5" }],
  ["gemini", ".gemini/settings.json", { mcpServers: { sluice: { httpUrl: URL, headers: HEADERS } } }],
  [
    "opencode",
    ".config/opencode/opencode.json",
    { mcp: { sluice: { type: "remote", url: URL, headers: HEADERS } }, model: "sluice/gpt-5" },
  ],
  ["qwen", ".qwen/settings.json", { mcpServers: { sluice: { httpUrl: URL, headers: HEADERS } } }],
  ["crush", ".config/crush/crush.json", { mcp: { sluice: { type: "http", url: URL, headers: HEADERS } } }],
  ["kilo", ".config/kilo/kilo.json", { mcp: { sluice: { type: "remote", url: URL, headers: HEADERS } } }],
  [
    "continue",
    ".continue/config.yaml",
    {
      mcpServers: [{ name: "Sluice", type: "streamable-http", url: URL, requestOptions: { headers: HEADERS } }],
      name: "Sluice",
    },
  ],
  ["zed", ".config/zed/settings.json", { context_servers: { sluice: { url: URL, headers: HEADERS } } }],
  ["cursor", ".cursor/mcp.json", { mcpServers: { sluice: { url: URL, headers: HEADERS } } }],
])("%s has the address in its settings, and they come back as they were", (name, path, expected) => {
  const { format, settings } = changesOf(name, path);
  const edited = editSettings(format, "", settings);
  expect(PARSERS[format](edited.text)).toMatchObject(expected);
  const undone = editSettings(format, edited.text, edited.before).text;
  expect(undone.replace(/\s/g, "")).toBe(format === "json" ? "{}" : "");
});

test("servers that an agent has already stay", () => {
  const { settings } = changesOf("claude", ".claude.json");
  const before = { numStartups: 7, mcpServers: { mine: { command: "x" } } };
  const edited = editSettings("json", JSON.stringify(before), settings);
  expect(JSON.parse(edited.text)).toEqual({
    numStartups: 7,
    mcpServers: { mine: { command: "x" }, sluice: { type: "http", url: URL, headers: HEADERS } },
  });
  expect(JSON.parse(editSettings("json", edited.text, edited.before).text)).toEqual(before);
});

test("agents without such settings have none", () => {
  const without = Object.entries(AGENTS).flatMap(([name, agent]) => (withMcp(name, agent) ? [] : name));
  expect(without).toEqual(["aider", "pi", "cline"]);
});
