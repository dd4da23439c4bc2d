import { integer, MAX_CHOICES, outputTokens, type RequestRules, requestMembers } from "../../request-rules.ts";

/** Rules for requests to /v1/responses: the members that `decodeRequest` and its readers use, at any depth. */
export const responsesRules: RequestRules = {
  members: requestMembers(
    `model models input stream stream_options max_output_tokens temperature top_p top_logprobs tools tool_choice reasoning effort summary
    generate_summary text format verbosity include parallel_tool_calls service_tier user safety_identifier prompt_cache_key
    instructions prompt previous_response_id store background max_tool_calls n type role content name id call_id output status
    refusal image_url file_id file_ids vector_store_ids container container_id conversation detail file_data file_url filename input_audio data encrypted_content strict description mode
    filters allowed_domains user_location search_context_size external_web_access cache_control ttl prompt_cache_breakpoint plugins
    web_search_options server_label function namespace`,
    { free: "parameters schema metadata arguments variables" },
  ),
  numbers: [outputTokens("max_output_tokens"), integer("max_tool_calls", 0, 10_000), integer("n", 1, MAX_CHOICES)],
  switches: ["stream", "background", "store"],
};
