import { expect, test } from "bun:test";
import { isModelLimit } from "./model-limits.ts";

test.each([
  ["context_length_exceeded", "This model's maximum context length is 8192 tokens."],
  [null, "prompt is too long: 210000 tokens > 200000 maximum"],
  [null, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  [null, "Input is too long for requested model."],
  ["invalid_parameter_error", "Range of input length should be [1, 30720]"],
  ["1261", "Prompt exceeds max length"],
  [null, "Invalid request: Your request exceeded model token limit: 8192"],
  [null, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
  [null, "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  ["content_filter", "The response was filtered"],
  ["content_policy_violation", "Your request was rejected"],
  ["moderation_blocked", "Your request was rejected by our safety system"],
  ["data_inspection_failed", "Input data may contain inappropriate content."],
  [null, "Content Exists Risk"],
  ["1301", "系统检测到输入或生成内容可能包含不安全或敏感内容"],
])("another model may accept what failed with %s: %s", (code, message) => {
  expect(isModelLimit({ code, message })).toBe(true);
});

test.each([
  ["invalid_type", "temperature must be a number"],
  ["unknown_parameter", "Unknown parameter: 'messages[0].foo'."],
  [null, "max_tokens: must be greater than or equal to 1"],
  [null, "Invalid schema for function 'f'"],
  [null, "messages: at least one message is required"],
  ["unsupported_parameter", "'max_tokens' is not supported with this model."],
])("another model would not accept what failed with %s: %s", (code, message) => {
  expect(isModelLimit({ code, message })).toBe(false);
});
