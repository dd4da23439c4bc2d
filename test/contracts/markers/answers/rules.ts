import { CHAT, GEMINI, INTERACTIONS, MESSAGES, RESPONSES, type Rule } from "./rule.ts";
import { SOURCES } from "./source-rules.ts";

/** What names an answer and its parts. */
const NAMES: readonly Rule[] = [
  {
    why: "The client reads the model's name by which it asked",
    at: {
      [CHAT]: /^model$/,
      [RESPONSES]: /^model\[\w+\]$/,
      [MESSAGES]: /^model$/,
      [GEMINI]: /^modelVersion$/,
      [INTERACTIONS]: /^model(\[\w+\])?$/,
      ...{ ollama: /^model$/, "ai-proxy": /^model$/ },
    },
  },
  {
    why: "An answer's id has its format's beginning, by which clients and the gateway know it",
    at: {
      ...{ [CHAT]: /^id$/, [RESPONSES]: /^id$/, [MESSAGES]: /^id$/, [GEMINI]: /^responseId$/, [INTERACTIONS]: /^id$/ },
      ...{ hunyuan: /^Response\.Id$/, dify: /^message_id$/ },
      ...{ cohere: /^id$/, dashscope: /^request_id$/, ernie: /^id$/, spark: /^header\.sid$/ },
    },
    clients: [CHAT, RESPONSES, MESSAGES, INTERACTIONS],
  },
  {
    why: "Items, blocks and steps have ids of the client's format, or none; calls keep theirs",
    at: {
      [RESPONSES]:
        /^output\[(message|reasoning|function_call|custom_tool_call|image_generation_call|web_search_call)\]\.id$/,
      [CHAT]: /message\.audio\.(id|expires_at)$/,
      [MESSAGES]: /^content\[(server_tool_use\]\.id|web_search_tool_result\]\.tool_use_id)$/,
      [GEMINI]: /\.(executableCode|codeExecutionResult)\.id$/,
      [INTERACTIONS]: /^steps\[google_search_(call\]\.id|result\]\.call_id)$/,
    },
  },
  {
    why: "These formats do not say when an answer was made",
    at: {
      ...{ [CHAT]: /^created$/, [RESPONSES]: /^created_at$/, [INTERACTIONS]: /^created$/ },
      ...{ ollama: /^created_at$/, ernie: /^created$/, hunyuan: /\.Created$/ },
    },
    clients: [MESSAGES, GEMINI],
  },
  {
    why: "When an answer was changed or ended is of its own format; the gateway has its own clock",
    at: { [RESPONSES]: /^completed_at$/, [INTERACTIONS]: /^updated$/, [GEMINI]: /^createTime$/ },
  },
];

/** What a format has no member for. */
const WITHOUT: readonly Rule[] = [
  {
    why: "Only the first choice: these formats' clients ask for one",
    at: { [CHAT]: /^choices\.index$/, [GEMINI]: /^candidates\.index$/ },
    clients: [RESPONSES, MESSAGES, INTERACTIONS],
  },
  {
    why: "These formats have no log probabilities",
    at: {
      [CHAT]: /\.logprobs\./,
      [RESPONSES]: /\.logprobs\./,
      [GEMINI]: /logprobsResult|avgLogprobs/,
      ollama: /^logprobs\./,
      dashscope: /\.logprobs\./,
    },
    clients: [MESSAGES, INTERACTIONS],
  },
  {
    why: "Only chat has log probabilities of a refusal",
    at: { [CHAT]: /\.logprobs\.refusal\./ },
  },
  {
    why: "A token's bytes are those of its text, and its number in the vocabulary is Google's",
    at: {
      [CHAT]: /\.bytes$/,
      [RESPONSES]: /\.bytes$/,
      [GEMINI]: /\.tokenId$/,
      ollama: /\.bytes$/,
      dashscope: /\.bytes$/,
    },
  },
  {
    why: "Sums of log probabilities follow from those of the tokens",
    at: { [GEMINI]: /avgLogprobs$|logProbabilitySum$/ },
  },
  {
    why: "No member for the end of text at which it stopped: the answer ends there",
    at: { [MESSAGES]: /^stop_sequence$/ },
  },
  {
    why: "The category of a refusal is a word of Anthropic's; its explanation arrives",
    at: { [MESSAGES]: /^stop_details\.category$/ },
  },
  {
    why: "The provider's words are about a refusal or a failure: what is cut off has no place for any",
    at: { [GEMINI]: /^candidates\.finishMessage$/ },
    when: ({ body }) => !/"finishReason":"SAFETY"/.test(JSON.stringify(body)),
  },
  {
    why: "Images in a summary of reasoning, which is text elsewhere",
    at: { [INTERACTIONS]: /^steps\[thought\]\.summary\[image\]/ },
  },
  {
    why: "How a video of a request is cut, and its name there",
    at: { [INTERACTIONS]: /content\[video\]\.(name|processing\b.*)$/ },
  },
  {
    why: "Media as text says its type in its address, or where it ends",
    at: { [INTERACTIONS]: /content\[(image|audio|video|document)\]\.mime_type$/ },
    clients: [CHAT, RESPONSES, MESSAGES],
  },
  {
    why: "Notes about a transcript: its speaker, language and times",
    at: { [GEMINI]: /\.audioTranscription\.(endOffset|finished|languageCode|speakerLabel|startOffset)$/ },
  },
  {
    why: "An empty step says nothing",
    at: { [INTERACTIONS]: /^steps\[(model_output|thought)\]$/ },
  },
  {
    why: "The reasoning itself arrives; its summary says less of the same",
    at: { [RESPONSES]: /^output\[reasoning\]\.summary\.text$/ },
    when: ({ body }) => /"type":"reasoning_text"/.test(JSON.stringify(body)),
  },
  {
    why: "Chat's audio has the type that the request asks for; an image is known by its bytes",
    at: { [INTERACTIONS]: /content\[audio\]\.mime_type$/, [GEMINI]: /inlineData\.mimeType$/ },
    clients: [CHAT],
  },
  {
    why: "How fine an image and a sound are is in their bytes",
    at: { [INTERACTIONS]: /\.(resolution|channels|sample_rate)$/ },
  },
  {
    why: "A chat message has one audio",
    at: { [INTERACTIONS]: /content\[audio\](\.data)?$/, [GEMINI]: /inlineData\.data$/ },
    clients: [CHAT],
    when: ({ body }) => JSON.stringify(body).split(/"audio(?:"|\/)/).length > 2,
  },
  {
    why: "No audio in these formats' answers: the client reads what is said",
    at: {
      [CHAT]: /message\.audio\.data$/,
      [GEMINI]: /inlineData\.(data|mimeType)$/,
      [INTERACTIONS]: /content\[audio\]/,
    },
    clients: [RESPONSES, MESSAGES],
  },
];

/** What only a client of the provider's own format can have asked for, who gets the answer's bytes. */
const OWN_TOOLS: readonly Rule[] = [
  {
    why: "Only clients of Responses can offer these tools of OpenAI",
    at: {
      [RESPONSES]:
        /^output\[(code_interpreter_call|computer_call|file_search_call|local_shell_call|shell_call|apply_patch_call|mcp_\w+|program|tool_search_call|compaction)\]/,
    },
  },
  {
    why: "Only clients of Messages can offer these tools of Anthropic",
    at: {
      [MESSAGES]:
        /^content\[(web_fetch|code_execution|bash_code_execution|text_editor_code_execution|tool_search)_tool_result\]|^content\[container_upload\]/,
    },
  },
  {
    why: "Only clients of Interactions can offer these tools of Google",
    at: {
      [INTERACTIONS]:
        /^steps\[(code_execution|url_context|google_maps|file_search|mcp_server_tool|retrieval|processing)_(call|result)\]/,
    },
  },
  {
    why: "Calls from OpenAI's programs, calls that go on meanwhile and namespaces are of tools that only Responses has",
    at: { [RESPONSES]: /^output\[(function_call|custom_tool_call)\]\.(async|caller|namespace)/ },
  },
  {
    why: "Calls from Anthropic's programs and sets of tools are of tools that only Messages has",
    at: { [MESSAGES]: /\.caller\b|\.toolset_name$/ },
  },
  {
    why: "How an image was drawn is said to clients of Responses, which can set it",
    at: {
      [RESPONSES]:
        /^output\[image_generation_call\]\.(action|background|quality|size|revised_prompt|status|error|svg_usage)/,
    },
  },
  {
    why: "Google's own words and numbers about a run of code: its code and output arrive as text",
    at: { [GEMINI]: /\.codeExecutionResult\.outcome$/ },
  },
];

/** What a provider reports about its own work. */
const REPORTS: readonly Rule[] = [
  { why: "Spark numbers the texts of a frame", at: { spark: /^payload\.choices\.text\.index$/ } },
  {
    why: "Whether a call, an item or a message is complete shows in the answer's end",
    at: { [RESPONSES]: /^output\[\w+\]\.status$|^status$/, spark: /^(header|payload\.choices)\.status$/ },
  },
  {
    why: "Only Responses tells comments between calls from the answer",
    at: { [RESPONSES]: /^output\[message\]\.phase$/ },
  },
  {
    why: "OpenAI's moderation, which a request to its format asks for",
    at: { [CHAT]: /^moderation\./, [RESPONSES]: /^moderation\./ },
  },
  { why: "OpenAI's build of the model, by its own name", at: { [CHAT]: /^system_fingerprint$/ } },
  {
    why: "Anthropic's container of a conversation with tools that only Messages has",
    at: { [MESSAGES]: /^container\./ },
  },
  { why: "Why Anthropic found nothing in its cache", at: { [MESSAGES]: /^diagnostics\./ } },
  {
    why: "Where and how fast Anthropic served a message",
    at: { [MESSAGES]: /^usage\.(inference_geo|speed)$/ },
  },
  {
    why: "Google's ratings of harm in an answer that it gives",
    at: { [GEMINI]: /\.safetyRatings\b/ },
  },
  {
    why: "Google's notes about the model's age and the candidate's size",
    at: { [GEMINI]: /^modelStatus\.|^candidates\.tokenCount$/ },
  },
  {
    why: "Google's token to go on with a candidate",
    at: { [GEMINI]: /^candidates\.continuationToken$/ },
  },
  {
    why: "Which pages Google read for a tool that only its formats have",
    at: { [GEMINI]: /^candidates\.urlContextMetadata\./ },
  },
  {
    why: "What Google says of a part for itself: its name, speaker and data of the client",
    at: { [GEMINI]: /\.(partMetadata|inlineData\.displayName|speechMetadata\.\w+)$/ },
  },
];

/** Numbers. */
const USAGE: readonly Rule[] = [
  {
    why: "The sum of the other numbers",
    at: {
      ...{ [CHAT]: /^usage\.total_tokens$/, [RESPONSES]: /^usage\.total_tokens$/, [GEMINI]: /totalTokenCount$/ },
      ...{ [INTERACTIONS]: /^usage\.total_tokens$/, dashscope: /^usage\.total_tokens$/ },
      ...{ spark: /\.usage\.text\.total_tokens$/, hunyuan: /\.TotalTokens$/, zhipu: /\.total_tokens$/ },
    },
  },
  {
    why: "The rest of the other numbers",
    at: { [CHAT]: /_tokens_details\.text_tokens$/, [MESSAGES]: /ephemeral_5m_input_tokens$/ },
  },
  {
    why: "Tokens of predictions that only chat's requests have",
    at: { [CHAT]: /\.(accepted|rejected)_prediction_tokens$/ },
  },
  {
    why: "Usage without a number of audio and images",
    at: {
      [CHAT]: /\.(audio|image)_tokens$/,
      [GEMINI]: /^usageMetadata\.(prompt|candidates)TokensDetails\./,
      [INTERACTIONS]: /^usage\.(in|out)put_tokens_by_modality\b/,
    },
    clients: [RESPONSES, MESSAGES],
  },
  {
    why: "Kinds of tokens in the cache and of tools, whose number arrives",
    at: {
      [GEMINI]: /^usageMetadata\.(cache|toolUsePrompt)TokensDetails\./,
      [INTERACTIONS]: /^usage\.(cached|tool_use)_tokens_by_modality\b/,
    },
  },
  {
    why: "Google's formats do not count what was written to a cache",
    at: {
      [CHAT]: /cache_write_tokens$/,
      [RESPONSES]: /cache_write_tokens$/,
      [MESSAGES]: /^usage\.cache_creation/,
    },
    clients: [GEMINI, INTERACTIONS],
  },
  {
    why: "How long something stays in the cache, in lifetimes that the format lacks",
    at: { [MESSAGES]: /ephemeral_1h_input_tokens$/, [RESPONSES]: /cache_write_tokens_details\./ },
  },
  {
    why: "The part of a prompt that was there before a conversation's earlier turns",
    at: { [GEMINI]: /initialPromptTokenCount$/, [INTERACTIONS]: /initial_input_tokens$/ },
  },
  {
    why: "Numbers of uses of tools: the searches themselves arrive where the format has them",
    at: {
      [MESSAGES]: /^usage\.server_tool_use\./,
      [RESPONSES]: /^tool_usage\./,
      [INTERACTIONS]: /^usage\.grounding_tool_count\./,
    },
  },
  {
    why: "A tier that the format has no word for",
    at: { [CHAT]: /^service_tier$/, [RESPONSES]: /^service_tier$/ },
    clients: [GEMINI, MESSAGES, INTERACTIONS],
    when: ({ value }) => value === "auto" || value === "scale",
  },
  {
    why: "Anthropic has no flexible tier",
    at: { [CHAT]: /^service_tier$/, [RESPONSES]: /^service_tier$/, [INTERACTIONS]: /^service_tier$/ },
    clients: [MESSAGES],
    when: ({ value }) => value === "flex",
  },
];

export const RULES: readonly Rule[] = [...NAMES, ...WITHOUT, ...OWN_TOOLS, ...REPORTS, ...USAGE, ...SOURCES];
