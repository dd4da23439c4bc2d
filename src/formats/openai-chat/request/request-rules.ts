import {
  anyNumber,
  integer,
  MAX_CHOICES,
  outputTokens,
  type RequestRules,
  requestMembers,
  thinkingTokens,
} from "../../request-rules.ts";

/** Members of chats that `decodeRequest` and `summarize` read, and that identify searches, caches and conversations. */
const CHAT = `model models messages stream stream_options include_usage n best_of max_tokens max_completion_tokens temperature top_p top_k
  stop presence_penalty frequency_penalty logprobs top_logprobs seed user safety_identifier prompt_cache_key response_format
  tools tool_choice parallel_tool_calls reasoning_effort reasoning effort enabled exclude summary thinking budget_tokens
  enable_thinking thinking_budget verbosity modalities audio voice format service_tier functions function_call prompt suffix
  web_search_options search_context_size user_location max_tool_calls plugins type role content name text refusal tool_calls
  tool_call_id id function custom input reasoning_content reasoning_details thinking_blocks image_url url detail input_audio
  data file file_data file_id filename video_url cache_control ttl prompt_cache_breakpoint extra_content google thought_signature signature
  json_schema strict description grammar allowed_tools mode index group server_label server_url require_approval executed_tools`;

/** Members of embedding, rerank, image and audio requests. */
const MEDIA = `encoding_format dimensions query documents return_documents size quality batch_size num_images file purpose seconds
  stream_format response_format speed image images mask voice sequential_image_generation sequential_image_generation_options max_images`;

/** Members of batches and fine-tuning jobs. */
const JOBS = `input_file_id training_file validation_file method supervised dpo reinforcement hyperparameters n_epochs endpoint
  custom_id body bytes part_ids`;

/** Rules for requests in OpenAI's formats other than Responses and videos. */
export const openaiRules: RequestRules = {
  members: requestMembers(`${CHAT} ${MEDIA} ${JOBS}`, { free: "parameters schema metadata logit_bias arguments" }),
  numbers: [
    integer("n", 1, MAX_CHOICES),
    integer("best_of", 1, MAX_CHOICES),
    outputTokens("max_tokens"),
    outputTokens("max_completion_tokens"),
    thinkingTokens("thinking.budget_tokens"),
    thinkingTokens("thinking_budget"),
    thinkingTokens("reasoning.max_tokens"),
    integer("max_tool_calls", 0, 10_000),
    integer("batch_size", 1, MAX_CHOICES),
    integer("num_images", 1, MAX_CHOICES),
    integer("sequential_image_generation_options.max_images", 1, MAX_CHOICES),
    integer("dimensions", 1, 65_536),
    anyNumber("speed", 0.1, 10),
  ],
  switches: ["stream", "enable_thinking"],
};
