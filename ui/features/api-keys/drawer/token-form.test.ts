import { describe, expect, test } from "bun:test";
import { effectiveStatus, fullKey, maskedKey, type Token } from "../../../api/api-keys/api-key.ts";
import { bodyOf, checkTokenForm, formOf, NEW_TOKEN } from "./api-key-form.ts";

const token: Token = {
  id: 1,
  user_id: 1,
  created_by: 0,
  project_id: 0,
  name: "ide",
  key: "abcdefghijklmnop",
  status: 1,
  remain_quota: 10,
  used_quota: 0,
  unlimited_quota: false,
  expired_time: -1,
  created_time: 0,
  accessed_time: 0,
  model_limits_enabled: true,
  model_limits: "gpt-5,gpt-5-mini",
  allow_ips: "",
  group: "vip",
  strict: false,
  requests_per_minute: 0,
  tokens_per_minute: 0,
  budget_period: "",
  budget_quota: 0,
  budget_renews_at: 0,
  previous_key_until: 0,
  secret_time: 1,
};

describe("checking", () => {
  const good = { ...NEW_TOKEN, name: "ide" };
  test("a named new key is fine", () => {
    expect<object>(checkTokenForm(good)).toEqual({});
  });
  test("each field has its fault", () => {
    const bad = { ...good, name: "", quantity: "0", expiresAt: null, quota: "-1", allowIps: "10.0.0.300" };
    expect<object>(checkTokenForm(bad)).toEqual({
      name: "token_name_required",
      quantity: "token_count_invalid",
      expiresAt: "expiry",
      quota: "token_quota_invalid",
      allowIps: "token_ip_invalid",
    });
  });
  test("a batch leaves room for the suffix", () => {
    expect<object>(checkTokenForm({ ...good, name: "x".repeat(30) })).toEqual({});
    expect<object>(checkTokenForm({ ...good, name: "x".repeat(24), quantity: "2" })).toEqual({
      name: "token_name_too_long",
    });
  });
  test.each(["10.0.0.1", "10.0.0.0/8", "2001:db8::/32", "::1"])("%s is an address", (line) => {
    expect<object>(checkTokenForm({ ...good, allowIps: `${line}\n` })).toEqual({});
  });
  test.each(["10.0.0", "10.0.0.0/33", "a.example", "::1/129", "10.0.0.0/8/8"])("%s is none", (line) => {
    expect<object>(checkTokenForm({ ...good, allowIps: line })).toEqual({ allowIps: "token_ip_invalid" });
  });
});

test("a stored key survives a round through the form", () => {
  expect(bodyOf(formOf(token), token.name)).toEqual({
    name: "ide",
    remain_quota: 10,
    unlimited_quota: false,
    expired_time: -1,
    model_limits_enabled: true,
    model_limits: "gpt-5,gpt-5-mini",
    allow_ips: "",
    group: "vip",
    strict: false,
    project_id: 0,
    requests_per_minute: 0,
    tokens_per_minute: 0,
    budget_period: "",
  });
});

describe("a budget", () => {
  const daily = { ...token, budget_period: "day", budget_quota: 900, remain_quota: 100 };
  test("is what the form's quota means, and is sent instead of it", () => {
    expect(formOf(daily)).toMatchObject({ quota: "900", budgetPeriod: "day" });
    const body = bodyOf(formOf(daily), token.name, daily);
    expect(body).toMatchObject({ budget_period: "day", budget_quota: 900 });
    expect(body).not.toHaveProperty("remain_quota");
  });
  test("goes with the period, or with a quota without limit", () => {
    const without = bodyOf({ ...formOf(daily), budgetPeriod: "" }, token.name, daily);
    expect(without).toMatchObject({ budget_period: "", remain_quota: 900 });
    expect(bodyOf({ ...formOf(daily), unlimited: true }, token.name, daily).budget_period).toBe("");
  });
  test("of nothing is none", () => {
    expect<object>(checkTokenForm({ ...formOf(daily), quota: "0" })).toEqual({ quota: "token_budget_invalid" });
  });
});

test("limits a minute are whole numbers or nothing", () => {
  const form = { ...formOf(token), requestsPerMinute: "", tokensPerMinute: " 100000" };
  expect<object>(checkTokenForm(form)).toEqual({});
  expect(bodyOf(form, "ide")).toMatchObject({ requests_per_minute: 0, tokens_per_minute: 100_000 });
  expect<object>(checkTokenForm({ ...form, requestsPerMinute: "1.5" })).toEqual({
    requestsPerMinute: "token_rate_invalid",
  });
});

test("an untouched expiry is not sent again", () => {
  expect(bodyOf(formOf(token), token.name, token)).not.toHaveProperty("expired_time");
  expect(bodyOf(formOf(token), token.name, token)).not.toHaveProperty("remain_quota");
  expect(bodyOf({ ...formOf(token), quota: "77" }, token.name, token).remain_quota).toBe(77);
  expect(bodyOf({ ...formOf(token), expiresAt: 5 }, token.name, token).expired_time).toBe(5);
});

test("keys are shown with one sk-", () => {
  expect(fullKey({ key: "sk-abc" })).toBe("sk-abc");
  expect(maskedKey(token)).toBe("sk-abcd…mnop");
});

test("time and quota decide before the server has noticed", () => {
  expect(effectiveStatus(token, 100)).toBe(1);
  expect(effectiveStatus({ ...token, expired_time: 99 }, 100)).toBe(3);
  expect(effectiveStatus({ ...token, remain_quota: 0 }, 100)).toBe(4);
  expect(effectiveStatus({ ...token, remain_quota: 0, unlimited_quota: true }, 100)).toBe(1);
  expect(effectiveStatus({ ...token, status: 2 }, 100)).toBe(2);
});
