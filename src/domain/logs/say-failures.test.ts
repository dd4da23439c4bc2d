import { expect, test } from "bun:test";
import { type LogRow, viewForAdmin } from "./log-view.ts";
import { sayFailures } from "./say-failures.ts";

const row = (other: object | string, failed = true) =>
  viewForAdmin({ id: 1, failed, other: typeof other === "string" ? other : JSON.stringify(other) } as LogRow, "main");
const said = (other: object | string, language: "en" | "zh" = "zh", failed = true) =>
  sayFailures([row(other, failed)], language)[0]?.other ?? "";

const attempt = { channelId: 7, channelName: "main", status: 0, startMs: 1, firstByteMs: null, endMs: 9 };
const FAILED = {
  request_id: "r",
  error: "The upstream did not answer in time.",
  admin_info: {
    use_channel: ["7", "8", "9"],
    attempts: [
      { ...attempt, error: "api.example.com could not be reached" },
      { ...attempt, status: 401, error: "Incorrect API key" },
      { ...attempt, status: 200 },
    ],
  },
};

test("why a call and its attempts failed is told in Chinese, what upstreams said as they said it", () => {
  const { admin_info: info } = FAILED;
  const [first, second, third] = info.attempts;
  expect(JSON.parse(said(FAILED))).toEqual({
    ...FAILED,
    error: "上游响应超时。",
    admin_info: { ...info, attempts: [{ ...first, error: "无法连接 api.example.com" }, second, third] },
  });
  expect(JSON.parse(said({ request_id: "r", error: "The upstream's answer was empty." }))).toEqual({
    request_id: "r",
    error: "上游的响应为空。",
  });
});

test.each([
  ["in English", FAILED, "en", true],
  ["of a call that went well", { error: "The upstream did not answer in time." }, "zh", false],
  ["that holds no error", { request_id: "r" }, "zh", true],
  ["that is no JSON", '{"error":', "zh", true],
  ["that is empty", "", "zh", true],
] as const)("a row %s stays as it is", (_, other, language, failed) => {
  expect(said(other, language, failed)).toBe(row(other, failed).other);
});
