import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { toText, ZERO } from "../../lib/values/decimal.ts";
import { findOption, isOptionKey, type OptionKey, optionKeys, registry } from "../registry/index.ts";

const refusalOf = (key: OptionKey, text: string): OperationError | null => {
  try {
    registry[key].read(text, key);
    return null;
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
};
const codeOf = (key: OptionKey, text: string): string => refusalOf(key, text)?.code ?? "accepted";

describe("options", () => {
  test("every default passes its own check and reads back the same", () => {
    for (const key of optionKeys) {
      const { text } = registry[key].read(registry[key].initial, key);
      expect({ key, text }).toEqual({ key, text: registry[key].initial });
    }
  });

  test("what a switch needs exists", () => {
    for (const key of optionKeys)
      for (const needed of registry[key].traits.needs ?? []) expect(isOptionKey(needed)).toBe(true);
  });

  test("whatever looks like a secret is one", () => {
    for (const key of optionKeys) {
      const { secret } = registry[key].traits;
      if (/(secret|token|key)$/i.test(key) && !/(Site|Public)Key$/.test(key))
        expect({ key, secret }).toEqual({ key, secret: true });
    }
  });

  test("names of objects' own machinery are no options", () => {
    for (const key of ["constructor", "__proto__", "toString"]) expect(findOption(key)).toBeUndefined();
  });

  test.each([
    ["RegisterEnabled", "TRUE", "accepted"],
    ["RegisterEnabled", "yes", "option_bool"],
    ["RetryTimes", "3", "accepted"],
    ["RetryTimes", "1.5", "option_integer"],
    ["RetryTimes", "-1", "option_integer"],
    ["RetryTimes", "NaN", "option_integer"],
    ["ModelRequestRateLimitCount", "-1", "accepted"],
    ["Price", "7.25", "accepted"],
    ["Price", "-0.01", "option_number"],
    ["Price", "cheap", "option_number"],
    ["RechargeCashbackRate", "100.01", "option_number"],
    ["RechargeCashbackRate", "99.25", "accepted"],
    ["RechargeCashbackRate", "5.500", "accepted"],
    ["RechargeCashbackRate", "5.125", "option_decimals"],
    ["claude.thinking_adapter_budget_tokens_percentage", "0.1", "accepted"],
    ["claude.thinking_adapter_budget_tokens_percentage", "0.09", "option_number"],
    ["ServerAddress", "https://ai.example.com/", "accepted"],
    ["ServerAddress", "ai.example.com", "option_address"],
    ["ServerAddress", "javascript:alert(1)", "option_address"],
    ["Logo", "javascript:alert(1)", "option_link"],
    ["TopUpLink", " JavaScript:alert(1)", "option_link"],
    ["general_setting.docs_link", "javascript:alert(1)", "option_link"],
    ["general_setting.docs_link", "//elsewhere.example.com", "option_link"],
    ["general_setting.docs_link", "/docs/", "accepted"],
    ["Logo", "/logo.png", "accepted"],
    ["Logo", "data:image/png;base64,AAAA", "accepted"],
    ["Logo", "data:text/html,<script>", "option_link"],
    ["oidc.user_info_endpoint", "id.example.com/userinfo/", "option_address"],
    ["SystemName", "a\nb", "option_too_long"],
    ["DataExportDefaultTime", "month", "option_choice"],
    ["ModelRatio", '{"gpt-4o": 1.25}', "accepted"],
    ["ModelRatio", '{"gpt-4o": 1.25', "option_json"],
    ["ModelRatio", '{"gpt-4o": "1.25"}', "option_json_entry"],
    ["GroupRatio", '{"vip": -1}', "option_json_entry"],
    ["GroupRatio", "[]", "option_json_shape"],
    ["UserUsableGroups", '{"vip": 1}', "option_json_entry"],
    ["Chats", '[{"A": "https://a.example/{key}"}]', "accepted"],
    ["Chats", '[{"A": "x", "B": "y"}]', "option_json_shape"],
    ["Chats", "{}", "option_json_shape"],
    ["claude.model_headers_settings", '{"m": {"anthropic-beta": ["a"]}}', "accepted"],
    ["claude.model_headers_settings", '{"m": {"bad header": ["a"]}}', "option_json_entry"],
    ["claude.default_max_tokens", '{"default": 0}', "option_json_entry"],
    ["gemini.supported_imagine_models", '["a", 1]', "option_json_shape"],
    ["EmailDomainWhitelist", "Example.com, mail.example.org", "accepted"],
    ["EmailDomainWhitelist", "example", "option_domain"],
    ["SensitiveWords", "word\nregex:(", "option_regex"],
  ] as const)("%s = %p: %s", (key, text, outcome) => expect(codeOf(key, text)).toBe(outcome));

  test.each([
    ["GroupRatio", '{"a": "1"}', "不小于 0 的数字"],
    ["UserUsableGroups", '{"a": 1}', "字符串"],
    ["claude.default_max_tokens", '{"a": 0}', "大于 0 的整数"],
    ["ContextTiers", '{"a": [{}]}', "每个分段只列一次"],
    ["VideoPrice", '{"a": {"x": 1}}', "每秒或每个视频的美元价格"],
    ["GroupDiscounts", "[1]", "from 须早于 until"],
  ] as const)("%s is validated with a message in the reader's language", (key, text, message) => {
    const refusal = refusalOf(key, text);
    expect(refusal && say(refusal.code, "zh", refusal.params)).toContain(message);
  });

  test("values are typed and exact", () => {
    const settings = fixedSettings({
      ModelRatio: '{"a": 0.1, "__proto__": 2}',
      ServerAddress: " https://ai.example.com// ",
      "oidc.token_endpoint": " https://id.example.com/token/ ",
      AutomaticDisableKeywords: "one\r\n\n two ",
      SensitiveWords: "Bad\nregex:^no+$",
      EmailDomainWhitelist: "B.com,b.com",
    });
    expect(toText(settings.get("ModelRatio").get("a") ?? ZERO)).toBe("0.1");
    expect([...settings.get("ModelRatio").keys()]).toEqual(["a", "__proto__"]);
    expect(settings.get("ServerAddress")).toBe("https://ai.example.com");
    expect(settings.get("oidc.token_endpoint")).toBe("https://id.example.com/token/");
    expect(settings.get("AutomaticDisableKeywords")).toEqual(["one", "two"]);
    expect(settings.get("SensitiveWords").words).toEqual(["bad"]);
    expect(settings.get("SensitiveWords").patterns[0]?.test("NOOO")).toBe(true);
    expect(settings.get("EmailDomainWhitelist")).toEqual(["b.com"]);
    expect(settings.get("QuotaPerUnit")).toBe(500_000);
  });
});
