import type { JsonObject } from "../../formats/json.ts";
import { eachPromptText } from "../../formats/openai-chat/request/summary.ts";
import type { SensitiveWords } from "../../settings/sensitive-words.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { GatewayError } from "../call/errors.ts";

/** Rejects a prompt that contains a word or pattern of SensitiveWords, if the check is enabled. Throws GatewayError. */
export function refuseBlockedWords(settings: SettingsReader, body: JsonObject): void {
  if (!settings.get("CheckSensitiveEnabled") || !settings.get("CheckSensitiveOnPromptEnabled")) return;
  const { words, patterns } = settings.get("SensitiveWords");
  if (words.length === 0 && patterns.length === 0) return;
  refuseWords({ words, patterns }, body, sensitiveWordsDetected);
}

const sensitiveWordsDetected = (): GatewayError =>
  new GatewayError(
    400,
    "sensitive_words_detected",
    { code: "gateway_sensitive" },
    {
      type: "invalid_request_error",
    },
  );

/** Throws the error of `refusal` for a prompt that contains one of the words or patterns. */
export function refuseWords({ words, patterns }: SensitiveWords, body: JsonObject, refusal: () => GatewayError): void {
  eachPromptText(body, (text) => {
    const lowered = words.length > 0 ? text.toLowerCase() : "";
    if (words.some((word) => lowered.includes(word)) || patterns.some((pattern) => pattern.test(text))) {
      throw refusal();
    }
  });
}
