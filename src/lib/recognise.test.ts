import { describe, expect, test } from "bun:test";
import { networkMessages } from "./messages/network.ts";
import { relayMessages } from "./messages/relay.ts";
import { type MessageCode, say } from "./messages.ts";
import { sayFailure } from "./recognise.ts";

const codes = Object.keys({ ...relayMessages, ...networkMessages }) as MessageCode[];
const PARAMS = {
  needed: 500,
  available: 3,
  model: "gpt-4o {x}",
  group: "vip",
  host: "api.example.com:8443",
  seconds: 7,
};
const FURTHER = {
  id: 7,
  status: 502,
  names: "top_k, seed",
  count: 60,
  part: "image",
  reason: "r",
  minutes: 5,
  field: "model",
  bytes: 9,
};

describe("why a call failed", () => {
  test.each(codes)("%s is recognised by its English words, with what it is filled in with", (code) => {
    const what = { code: "why_the_proxy" } as const;
    const params = { ...PARAMS, ...FURTHER, what };
    const english = say(code, "en", params);
    expect(sayFailure(english, "zh")).toBe(say(code, "zh", params));
    expect(sayFailure(english, "en")).toBe(english);
  });

  test("what is found within a sentence is told in the language, too", () => {
    const english = "The image could not be fetched: cdn.example.com did not answer in time.";
    expect(sayFailure(english, "zh")).toBe("无法获取 image：cdn.example.com 响应超时。");
  });

  test.each([
    "",
    "Incorrect API key provided",
    "timeout",
    "ECONNRESET",
    "Your quota does not cover this call",
    "401: There is no channel 7.",
    "There is no channel 7.\nTry another.",
    "(There is no channel 7.)",
  ])("what an upstream said (%p) stays as it is", (text) => {
    expect(sayFailure(text, "zh")).toBe(text);
  });
});
