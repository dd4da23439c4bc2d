import { integer, outputTokens, type RequestRules, requestMembers, thinkingTokens } from "../../request-rules.ts";

/** Rules for requests to /v1/messages: the members that `decodeRequest` and `partsOf` read, at any depth. */
export const anthropicRules: RequestRules = {
  members: requestMembers(
    `model models messages system max_tokens stream temperature top_p top_k stop_sequences tools tool_choice disable_parallel_tool_use
    thinking budget_tokens display user_id service_tier output_config output_format effort format type role content name id text
    citations source title url file_id media_type data signature tool_use_id tool_name is_error strict description cache_control ttl
    max_uses user_location allowed_domains blocked_domains document_title cited_text encrypted_index encrypted_content page_age
    metadata thread previous_message_id container user prompt_cache_key function`,
    { free: "input input_schema input_examples schema" },
  ),
  numbers: [
    outputTokens("max_tokens"),
    thinkingTokens("thinking.budget_tokens"),
    integer("tools[].max_uses", 1, 10_000),
  ],
  switches: ["stream"],
};
