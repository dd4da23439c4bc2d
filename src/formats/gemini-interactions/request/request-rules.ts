import { outputTokens, type RequestRules, requestMembers } from "../../request-rules.ts";

/** Rules for requests to /v1beta/interactions: the members that `decodeRequest` and its readers use, at any depth. */
export const interactionsRules: RequestRules = {
  members: requestMembers(
    `model models agent input system_instruction tools stream store background previous_interaction_id generation_config
    max_output_tokens temperature top_p seed stop_sequences thinking_level thinking_summaries tool_choice allowed_tools mode
    response_format response_mime_type response_modalities mime_type service_tier type role content text data uri resolution
    id name call_id result is_error signature summary annotations description continuation_token environment
    user prompt_cache_key function`,
    { free: "parameters schema arguments labels" },
  ),
  numbers: [outputTokens("generation_config.max_output_tokens")],
  switches: ["stream", "store", "background"],
};
