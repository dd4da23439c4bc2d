import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSentence, languageOf, type MessageCode, say } from "./messages.ts";

const asking = (language?: string) =>
  new Request("http://gateway.test/", { headers: language ? { "accept-language": language } : {} });

describe("messages", () => {
  test.each([
    [undefined, "en"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
    ["en-US,en;q=0.9,zh;q=0.8", "en"],
    ["en;q=0.3, zh-TW;q=0.7", "zh-TW"],
    ["zh-Hant-HK", "zh-TW"],
    ["fr-FR,fr;q=0.9", "fr"],
    ["de-DE,de;q=0.9", "en"],
    ["de, zh;q=0.1", "zh"],
    ["zh;q=0", "en"],
  ] as const)("Accept-Language %p is answered in %s", (header, language) => {
    expect(languageOf(asking(header))).toBe(language);
  });

  test("parameters are filled in, unknown ones stay visible", () => {
    expect(say("username_too_long", "en", { max: 12 })).toBe("The username cannot exceed 12 characters.");
    expect(say("username_too_long", "zh")).toContain("{max}");
  });

  test("a sentence within a sentence is in the same language", () => {
    const reason = { code: "why_timeout", params: { host: "api.example.com" } } as const;
    expect(say("channel_test_failed", "zh", { reason })).toBe("测试失败：api.example.com 响应超时");
    expect(say("channel_test_failed", "en", { reason })).toContain("api.example.com did not answer in time");
  });

  test("a parameter's own text is not filled again", () => {
    expect(say("unknown_user_action", "en", { action: "{action}$&" })).toBe("Unknown action: {action}$&");
  });
});

const codes = [...new Bun.Glob("messages/**/*.ts").scanSync(import.meta.dir)].flatMap((file) =>
  [...readFileSync(join(import.meta.dir, file), "utf8").matchAll(/^ {2}(\w+): ?\{/gm)].map(([, code]) => code),
);

test("each code has one message: of two the later would replace the other", () => {
  expect(codes.length).toBeGreaterThan(900);
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
});

describe.each(readdirSync(join(import.meta.dir, "messages/translations")))("the translation %s", async (file) => {
  const { default: texts }: { default: Record<string, string> } = await import(`./messages/translations/${file}`);

  test("has no other codes than English, and fills in the same", () => {
    expect(Object.keys(texts).length).toBeGreaterThan(900);
    const filled = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
    for (const [code, text] of Object.entries(texts)) {
      if (!isMessageCode(code)) throw new Error(`${code} is no message`);
      expect([code, ...filled(text)]).toEqual([code, ...filled(say(code, "en"))]);
      expect(text).not.toBe("");
    }
  });
});

const isMessageCode = (code: string): code is MessageCode => isSentence({ code });

/** Names and commands, the same in every language. */
const WITHOUT_WORDS: readonly string[] = ["bound", "doctor_title_redis", "doctor_fix_key_open"];

const files = readdirSync(join(import.meta.dir, "messages"), { recursive: true, encoding: "utf8" });

describe.each(files.filter((file) => file.endsWith(".ts")))("the messages of %s", async (file) => {
  const modules: Record<string, Record<string, { en: string; zh: string }>> = await import(`./messages/${file}`);
  const messages = Object.entries(Object.values(modules)[0] ?? {});

  test.each(messages)("%s says the same in both languages", (code, { en, zh }) => {
    const filled = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
    expect(filled(zh)).toEqual(filled(en));
    expect(en).toMatch(/\w/);
    if (!WITHOUT_WORDS.includes(code)) expect(zh).toMatch(/[\u4e00-\u9fff]/);
    expect(isSentence({ code })).toBe(true);
  });
});
