import { expect, test } from "bun:test";
import { AGENTS } from "./agents.ts";
import { editSettings } from "./edit-settings.ts";
import { placeOf } from "./places.ts";

const ACCESS = {
  ...{ url: "https://ai.example.com", key: "sk-key", model: "gpt-5", contextWindow: 200_000, outputLimit: 32_000 },
};
const CLAUDE = { ...ACCESS, model: "claude-sonnet-4-5" };
const EDITORS: ReadonlySet<string> = new Set(["continue", "cursor", "zed"]);
const GOLDEN = `${import.meta.dir}/../../../../test/fixtures/agents`;

/** What a home has after an agent was connected in it, file by file. */
function filesOf(name: string, access: typeof ACCESS, texts: Readonly<Record<string, string>> = {}): string {
  const agent = AGENTS[name];
  const files = agent?.files.map((file) => {
    const settings = file.values(access).map(([path, value]) => ({ path, value }));
    const set = settings.filter(({ value }) => value !== undefined);
    return `==> ${file.path}\n${editSettings(file.format, texts[file.path] ?? "", set).text}`;
  });
  return [...(files ?? []), ...(agent?.byHand(access) ?? []).map((line) => `${line}\n`)].join("");
}

test.each(Object.keys(AGENTS))("%s is set up as its golden file has it", async (name) => {
  const made = `${filesOf(name, ACCESS)}\n==> with Claude\n${filesOf(name, CLAUDE)}`;
  const folder = EDITORS.has(name) ? "editors" : "terminal";
  expect(made).toBe(await Bun.file(`${GOLDEN}/${folder}/${name}.txt`).text());
});

test("settings of other programs and comments stay, and come back as they were", () => {
  const samples = {
    json: '{\n    "theme": "dark",\n    "env": { "A": "1", "ANTHROPIC_MODEL": "mine" }\n}\n',
    toml: '# my settings\nmodel = "mine" # the best\napproval = "never"\n\n[mcp.files]\ncommand = "x"\n',
    yaml: "# mine\nmodel: mine\ndark-mode: true\n",
    env: "# mine\nexport GEMINI_MODEL=mine\nOTHER=1\n",
  } as const;
  const settings = {
    json: [
      { path: ["env", "ANTHROPIC_MODEL"], value: "gpt-5" },
      { path: ["env", "B"], value: "2" },
    ],
    toml: [
      { path: ["model"], value: "gpt-5" },
      { path: ["model_provider"], value: "sluice" },
      { path: ["model_providers", "sluice", "base_url"], value: "https://a.example/v1" },
    ],
    yaml: [
      { path: ["model"], value: "openai/gpt-5" },
      { path: ["openai-api-key"], value: "sk-1" },
    ],
    env: [
      { path: ["GEMINI_MODEL"], value: "gpt-5" },
      { path: ["GEMINI_API_KEY"], value: "sk-1" },
    ],
  } as const;
  for (const format of ["json", "toml", "yaml", "env"] as const) {
    const edited = editSettings(format, samples[format], settings[format]);
    for (const word of ["theme", "# my", "approval", "[mcp.files]", "dark-mode", "OTHER=1"]) {
      expect(edited.text.includes(word)).toBe(samples[format].includes(word));
    }
    expect(editSettings(format, edited.text, settings[format]).text).toBe(edited.text);
    const undone = editSettings(format, edited.text, edited.before);
    expect({ format, undone: parsed(format, undone.text) }).toEqual({
      format,
      undone: parsed(format, samples[format]),
    });
  }
});

const parsed = (format: "json" | "toml" | "yaml" | "env", text: string): unknown =>
  format === "json"
    ? JSON.parse(text)
    : format === "toml"
      ? Bun.TOML.parse(text)
      : format === "yaml"
        ? Bun.YAML.parse(text)
        : text.replace("export ", "");

test("a file that would lose something is not touched", () => {
  const set = [{ path: ["a"], value: 1 }];
  expect(() => editSettings("json", '{ // mine\n "b": 1 }', set)).toThrow("it has comments");
  expect(() =>
    editSettings("toml", "model_providers = { sluice = { name = 'x' } }\n", [
      { path: ["model_providers", "sluice", "name"], value: "y" },
    ]),
  ).toThrow();
});

test("files are where the platform has them", () => {
  const zed = AGENTS.zed?.files[0] ?? { path: "" };
  const linux = { folder: "/home/me", platform: "linux", env: {} } as const;
  expect(placeOf(linux, zed)).toBe("/home/me/.config/zed/settings.json");
  expect(placeOf({ ...linux, env: { XDG_CONFIG_HOME: "/cfg" } }, zed)).toBe("/cfg/zed/settings.json");
  expect(placeOf({ ...linux, platform: "win32", env: { APPDATA: "/app" } }, zed)).toBe("/app/Zed/settings.json");
});
