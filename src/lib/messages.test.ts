import { describe, expect, test } from "bun:test";
import { languageOf, say } from "./messages.ts";

const asking = (language?: string) =>
  new Request("http://gateway.test/", { headers: language ? { "accept-language": language } : {} });

describe("messages", () => {
  test.each([
    [undefined, "en"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
    ["en-US,en;q=0.9,zh;q=0.8", "en"],
    ["en;q=0.3, zh-TW;q=0.7", "zh"],
    ["fr-FR,fr;q=0.9", "en"],
    ["fr, zh;q=0.1", "zh"],
    ["zh;q=0", "en"],
  ] as const)("Accept-Language %p is answered in %s", (header, language) => {
    expect(languageOf(asking(header))).toBe(language);
  });

  test("parameters are filled in, unknown ones stay visible", () => {
    expect(say("username_too_long", "en", { max: 12 })).toBe("The username cannot exceed 12 characters.");
    expect(say("username_too_long", "zh")).toContain("{max}");
  });

  test("a parameter's own text is not filled again", () => {
    expect(say("unknown_user_action", "en", { action: "{action}$&" })).toBe("Unknown action: {action}$&");
  });
});
