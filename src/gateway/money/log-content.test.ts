import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { contentToLog, exchangeToLog, redact } from "./log-content.ts";

const own = fixedSettings({ LogContentRedactPatterns: "Project Falcon\nregex:ticket-\\d+" }).get(
  "LogContentRedactPatterns",
);
const NONE = { words: [], patterns: [] };

describe("redacts", () => {
  test.each([
    ["my key is sk-proj-abcdefghijklmnop1234", "my key is [key]"],
    ["AKIAIOSFODNN7EXAMPLE and AIzaSyA1234567890abcdefghij", "[key] and [key]"],
    ["Authorization: Bearer abcdef0123456789abcdef==", "Authorization: Bearer [key]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[token]"],
    ["mail jane.doe+x@mail.example.co.uk, please", "mail [email], please"],
    ["写信给 李雷@例子.公司", "写信给 [email]"],
    ["card 4242 4242 4242 4242.", "card [card]."],
    ["5555-5555-5555-4444", "[card]"],
    ["身份证11010519491231002X。", "身份证[identity number]。"],
    ["电话13812345678", "电话[phone]"],
    ["call +86 138-1234-5678 or +49 30 1234567", "call [phone] or [phone]"],
    ["a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nb", "a\n[private key]\nb"],
    ["-----BEGIN PRIVATE KEY-----\ncut off here", "[private key]"],
  ])("%s", (text, clean) => expect(redact(text, NONE)).toBe(clean));

  test("the site's own words and patterns, in any case", () =>
    expect(redact("About project falcon: TICKET-42", own)).toBe("About [redacted]: [redacted]"));
});

test.each([
  "1234567890123456",
  "110105194912310021",
  "in 2024 we sold 1,234,567 of them at 3.14159265358979",
  "version 1.38123456789",
  "sk-short, user@localhost, risk-assessment-of-everything",
])("%s stays", (text) => expect(redact(text, NONE)).toBe(text));

test("contents are redacted before they are truncated, so that no half of a secret remains", () => {
  const key = "sk-abcdefghijklmnopqrstuvwxyz";
  const body = { messages: [{ role: "user", content: `${"x".repeat(90)} ${key}` }] };
  const rules = { maxCharacters: 100, redacts: true, patterns: NONE };
  expect(contentToLog(body, "me@example.com", rules)).toEqual({
    input_content: `${"x".repeat(90)} [key]`,
    output_content: "[email]",
  });
  const without = contentToLog(body, "", { ...rules, redacts: false });
  expect(without.input_content).toBe(`${"x".repeat(90)} sk-abcdef…`);
});

describe("texts logged as JSON", () => {
  const key = "sk-proj-abcdefghijklmnop1234";
  const rules = { maxCharacters: 1000, redacts: true, patterns: NONE };

  test("earlier messages lose a key at the beginning of a line, and the site's words with quotes", () => {
    const body = {
      messages: [
        { role: "user", content: `my key:\n${key}\nAKIAIOSFODNN7EXAMPLE` },
        { role: "assistant", content: 'so it is "Blue\\Moon"' },
        { role: "user", content: "yes" },
      ],
    };
    const patterns = { words: ['"blue\\moon"'], patterns: [] };
    expect(JSON.parse(contentToLog(body, "", { ...rules, patterns }).context ?? "")).toEqual([
      { role: "user", content: "my key:\n[key]\n[key]" },
      { role: "assistant", content: "so it is [redacted]" },
    ]);
    expect(contentToLog(body, "", { ...rules, redacts: false }).context).toContain(key);
  });

  test("so do inputs that are no text", () => {
    const body = { input: [`a\n${key}`, { text: `\t${key}`, at: 4242424242424242 }, 7] };
    expect(contentToLog(body, "", rules).input_content).toBe('["a\\n[key]",{"text":"\\t[key]","at":"[card]"},7]');
  });

  test("they are truncated like other texts", () => {
    const messages = [..."abc"].map((letter) => ({ role: "user", content: letter.repeat(9000) }));
    const { context = "" } = contentToLog({ messages }, "", rules);
    expect(context).toHaveLength(1001);
    expect(context).toEndWith("aaa…");
  });
});

const CHAT = { capability: "chat", codec: { dialect: "openai-chat" } };

test("a request that is cut stays valid JSON: media keep their beginning, options and numbers stay", () => {
  const json = {
    messages: [
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(9000)}` } }],
      },
      { role: "user", content: "long ".repeat(400) },
    ],
    model: "gpt-4o",
    temperature: 0.7,
  };
  const route = { sent: JSON.stringify({ ...json, model: "mapped" }) };
  const rules = { maxCharacters: 1000, redacts: true, patterns: NONE };
  const exchange = exchangeToLog({ endpoint: CHAT, body: { json }, servedBy: route }, rules);
  const client = JSON.parse(exchange?.client ?? "");
  expect(client.messages[0].content[0].image_url.url).toBe(`data:image/png;base64,${"A".repeat(42)}…`);
  expect(client.messages[1].content.length).toBe(936);
  expect(client).toMatchObject({ model: "gpt-4o", temperature: 0.7 });
  expect(JSON.parse(exchange?.upstream ?? "")).toEqual({ ...client, model: "mapped" });
  expect(exchange).toMatchObject({ format: "openai-chat", cut: true });
  const short = exchangeToLog({ endpoint: CHAT, body: { json: { model: "a" } }, servedBy: { sent: "{}" } }, rules);
  expect(short).toEqual({ client: '{"model":"a"}', upstream: "{}", format: "openai-chat" });
  expect(exchangeToLog({ endpoint: CHAT, body: { json }, servedBy: null }, rules)).toBeNull();
});
