import { describe, expect, test } from "bun:test";
import { OperationError } from "./operation-error.ts";
import { keepReason, type Reason, ReasonedError, reasonOf, sayReason, sayStored } from "./reason.ts";

const SLOW: Reason = { code: "why_test_slow", params: { seconds: "6.1", limit: 5 } };
const NESTED: Reason = { code: "why_bad_address", params: { what: { code: "why_the_proxy" } } };

describe("a reason", () => {
  test.each<[Reason, string, string]>([
    [SLOW, "The test took 6.1 s; the limit is 5 s", "测试用时 6.1 秒，超过上限 5 秒"],
    [
      NESTED,
      "the proxy address must begin with http:// or https:// and name a host",
      "代理地址必须以 http:// 或 https:// 开头并包含主机名",
    ],
    ["401: Incorrect API key", "401: Incorrect API key", "401: Incorrect API key"],
    ["", "", ""],
  ])("%p is shown in both languages, also after it was stored", (reason, en, zh) => {
    expect([sayReason(reason, "en"), sayReason(reason, "zh")]).toEqual([en, zh]);
    const retained = keepReason(reason);
    expect([sayStored(retained, "en"), sayStored(retained, "zh")]).toEqual([en, zh]);
  });

  test.each([
    "The test took 6.1 s; the limit is 5 s",
    '{"code":"why_test_slow","params":{}}',
    'sluice:{"code":"of_a_later_release"}',
    'sluice:{"code":"toString"}',
    'sluice:{"code":"why_test_slow","params":{"seconds":{"code":"none"}}}',
    'sluice:{"code":"why_test_slow","params":7}',
    'sluice:{"code":',
    "sluice:{}",
    "sluice: hello",
  ])("what others wrote (%p) is shown as it is", (text) => {
    expect(sayStored(text, "zh")).toBe(text);
  });
});

test("an error gives its reason: in a sentence where it is ours, else in its own words", () => {
  const late = new ReasonedError({ code: "why_late", params: { seconds: 2 } });
  expect(late.message).toBe("no response within 2 s");
  expect(sayReason(reasonOf(late), "zh")).toBe("2 秒内没有响应");
  expect(sayReason(reasonOf(new OperationError("channel_key_required")), "zh")).toBe("请填写密钥。");
  expect(reasonOf(new Error("EACCES"))).toBe("EACCES");
  expect(reasonOf("gone")).toBe("gone");
});
