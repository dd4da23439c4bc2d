import { describe, expect, test } from "bun:test";
import en from "../../../../locales/en/channels/channels.json" with { type: "json" };
import zh from "../../../../locales/zh/channels/channels.json" with { type: "json" };
import type { Channel } from "../../channel.ts";
import {
  bodyOf,
  type ChannelForm,
  changedBodyOf,
  checkChannelForm,
  formOf,
  holdsSeveralKeys,
  keysOf,
  maskKey,
  NEW_CHANNEL,
  splitKeys,
} from "./channel-form.ts";

const filled: ChannelForm = { ...NEW_CHANNEL, name: "main", key: "k-1", models: ["gpt-5"] };

const stored: Channel = {
  id: 4,
  name: "main",
  type: 1,
  key: "",
  status: 1,
  models: "gpt-5,gpt-5-mini",
  group: "default,vip",
  tag: "",
  priority: 0,
  weight: 5,
  auto_ban: 1,
  base_url: "",
  other: "",
  openai_organization: "",
  test_model: "",
  model_prefix: "",
  model_mapping: "",
  status_code_mapping: "",
  setting: "",
  param_override: "",
  header_override: "",
  max_input_tokens: 0,
  response_time: 0,
  test_time: 0,
  created_time: 0,
  balance: 0,
  balance_currency: "",
  balance_error: "",
  balance_warn_below: null,
  balance_low: false,
  balance_updated_time: 0,
  used_quota: 0,
  other_info: "",
  disabled_reason: "",
  keys: { total: 1, enabled: 1 },
};

describe("checking", () => {
  test("a filled form has no faults", () => {
    expect<object>(checkChannelForm(filled, null, false)).toEqual({});
  });
  test("name and key are required on create, the key not on edit", () => {
    expect<object>(checkChannelForm({ ...filled, name: " ", key: "" }, null, false)).toEqual({
      name: "nameAndKey",
      key: "nameAndKey",
    });
    expect<object>(checkChannelForm({ ...filled, key: "" }, filled, false)).toEqual({});
  });
  test("at least one model, and each JSON field has its own fault", () => {
    const broken = {
      ...filled,
      models: [],
      modelMapping: "{",
      paramOverride: "[]",
      setting: "x",
      statusCodeMapping: "1",
    };
    expect<object>(checkChannelForm(broken, null, false)).toEqual({
      models: "models",
      modelMapping: "channel_model_mapping_invalid",
      paramOverride: "channel_param_override_invalid",
      setting: "channel_setting_invalid",
      statusCodeMapping: "channel_status_mapping_invalid",
    });
  });
  test("region of type 41 is JSON only when it starts like it", () => {
    expect<object>(checkChannelForm({ ...filled, type: 41, other: "us-east5" }, null, false)).toEqual({});
    expect<object>(checkChannelForm({ ...filled, type: 41, other: "{default" }, null, false)).toEqual({
      other: "channel_region_invalid",
    });
  });
  test("address, priority and weight", () => {
    expect<object>(checkChannelForm(filled, null, true)).toEqual({ baseUrl: "baseUrlRequired" });
    expect<object>(checkChannelForm({ ...filled, baseUrl: "ftp://x" }, null, true)).toEqual({
      baseUrl: "channel_base_url_invalid",
    });
    expect<object>(checkChannelForm({ ...filled, priority: "-1000", weight: "1.5" }, null, false)).toEqual({
      priority: "channel_priority_min",
      weight: "integer",
    });
  });
});

describe("sending", () => {
  test("strips the address, clamps the weight and leaves an untouched key out", () => {
    const body = bodyOf({ ...formOf(stored), baseUrl: "https://a.example/ ", weight: "-3" });
    expect(body).toMatchObject({
      base_url: "https://a.example",
      weight: 0,
      priority: 0,
      models: "gpt-5,gpt-5-mini",
      group: "default,vip",
    });
    expect(body).not.toHaveProperty("key");
  });
  test("of a stored channel only what was changed is sent", () => {
    const before = formOf(stored);
    expect(changedBodyOf(before, before)).toEqual({});
    const now = { ...before, models: ["gpt-5"], tag: " east ", key: "k-2", warnBelow: "5", autoBan: false };
    expect(changedBodyOf(before, now)).toEqual({
      models: "gpt-5",
      tag: "east",
      key: "k-2",
      balance_warn_below: 5,
      auto_ban: 0,
    });
  });
  test("several keys become one comma list, a single one stays as typed", () => {
    expect(bodyOf({ ...filled, key: "a\n b,a\n", severalKeys: true }).key).toBe("a,b");
    expect(bodyOf({ ...filled, key: " a,b ", severalKeys: false }).key).toBe("a,b");
  });
  test("type 18 has a version of its own", () => {
    expect(bodyOf({ ...filled, type: 18 }).other).toBe("v2.1");
    for (const words of [en, zh]) expect(words.form.other["18hint"]).toContain("v2.1");
  });
});

test("several keys are noticed, but not in the JSON key of type 41", () => {
  expect(holdsSeveralKeys("a,b", 1)).toBe(true);
  expect(holdsSeveralKeys("a\nb", 1)).toBe(true);
  expect(holdsSeveralKeys("a\n", 1)).toBe(false);
  expect(holdsSeveralKeys('{"a":1,"b":2}', 41)).toBe(false);
  expect(splitKeys("a,\n\nb , a")).toEqual(["a", "b"]);
  expect(keysOf("a,b", 1)).toEqual(["a", "b"]);
  expect(keysOf('{\n  "a": 1,\n  "b": 2\n}\n', 41)).toEqual(['{\n  "a": 1,\n  "b": 2\n}']);
  expect(maskKey("sk-abcdefghijkl9876")).toBe("sk-ab…9876");
});
