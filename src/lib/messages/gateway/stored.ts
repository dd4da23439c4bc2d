/** What is wrong with a request about something stored: responses, threads, files, batches, fine-tuning jobs. */
export const storedMessages = {
  gateway_response_unknown: { en: "Response with id '{id}' not found.", zh: "没有 ID 为 '{id}' 的响应。" },
  gateway_interaction_unknown: { en: "Interaction with id '{id}' not found.", zh: "没有 ID 为 '{id}' 的交互。" },
  gateway_previous_unknown: {
    en: "Previous response with id '{id}' not found.",
    zh: "没有 ID 为 '{id}' 的前一个响应。",
  },
  gateway_previous_too_long: {
    en: "The conversation before response '{id}' is too long to store. Send the full conversation instead of its ID.",
    zh: "响应 '{id}' 之前的对话过长，无法保存。请直接发送完整对话，而不是其 ID。",
  },
  gateway_conversation_too_long: {
    en: "This conversation was too long to be stored.",
    zh: "该对话过长，未能保存。",
  },
  gateway_previous_channel_away: {
    en: "The channel that stores the previous response is unavailable.",
    zh: "保存前一个响应的渠道不可用。",
  },
  gateway_compaction_invalid: {
    en: "This compaction item was modified or created by another gateway. Send it exactly as you received it, or send the full conversation.",
    zh: "该压缩项已被修改，或由其他网关生成。请原样发送，或直接发送完整对话。",
  },
  gateway_response_running: {
    en: "This response is still in progress. Cancel it first.",
    zh: "该响应仍在生成中：请先取消。",
  },
  gateway_response_not_streamed: {
    en: "Responses stored by the gateway cannot be streamed. Retrieve this one without “stream”.",
    zh: "网关保存的响应不支持流式读取，请去掉 “stream”。",
  },
  gateway_response_not_cancellable: { en: "Only background responses can be canceled.", zh: "只能取消后台响应。" },
  gateway_background_unstored: {
    en: "Background responses must be stored. Set “store” to true.",
    zh: "后台响应必须保存，请将 “store” 设为 true。",
  },
  gateway_item_unknown: { en: "Item “{id}” not found.", zh: "条目 “{id}” 不存在。" },
  gateway_reference_unsupported: {
    en: "“{name}” refers to content that this model's provider does not store. Send the content itself instead.",
    zh: "“{name}” 引用了该模型的服务商未保存的内容，请直接发送内容本身。",
  },
  gateway_threads_unsupported: {
    en: "No channel for this model supports message threads. Send the full conversation without “thread”.",
    zh: "该模型没有支持消息线程的渠道。请去掉 “thread” 并发送完整对话。",
  },
  gateway_thread_unknown: {
    en: "No thread is stored for message '{id}'. Send the full conversation with a new thread.",
    zh: "没有保存消息 '{id}' 的线程，请以新线程发送完整对话。",
  },
  gateway_object_unknown: { en: "No such object: {id}", zh: "对象不存在：{id}" },
  gateway_object_channel_away: {
    en: "The channel that stores this object is unavailable.",
    zh: "保存该对象的渠道不可用。",
  },
  gateway_objects_apart: {
    en: "The request refers to objects that are stored at different upstreams.",
    zh: "请求引用的对象存放在不同的上游。",
  },
  gateway_object_model: {
    en: "The channel that stores “{id}” does not serve the model “{model}” to you.",
    zh: "保存“{id}”的渠道不向你提供模型“{model}”。",
  },
  gateway_memory_limit: {
    en: "“memory_limit” must be a number of gigabytes such as “4g”.",
    zh: "“memory_limit” 必须是以 GB 为单位的数值，例如 “4g”。",
  },
  gateway_files_apart: { en: "Both files must be stored at the same upstream.", zh: "两个文件必须位于同一上游。" },
  gateway_batch_no_model: {
    en: "Every line of a batch must have a body with a model.",
    zh: "批处理文件的每一行都必须有包含模型的 body。",
  },
  gateway_batch_no_body: {
    en: "Every line of a batch must be a JSON object with a “body”.",
    zh: "批处理文件的每一行都必须是带有 “body” 的 JSON 对象。",
  },
  gateway_batch_empty: { en: "The batch contains no requests.", zh: "批处理文件中没有请求。" },
  gateway_batch_model: {
    en: "The model “{model}” is not available to the group “{group}”.",
    zh: "分组「{group}」不提供模型「{model}」。",
  },
  gateway_batch_line: { en: "{reason} (custom_id: {id})", zh: "{reason}（该行的 custom_id：{id}）" },
  gateway_training_no_object: {
    en: "Every line of the training file must be a JSON object.",
    zh: "训练文件的每一行都必须是 JSON 对象。",
  },
  gateway_training_empty: { en: "The training file contains no examples.", zh: "训练文件中没有样本。" },
  gateway_eval_source: {
    en: "Evals take their data from the request (“file_content”) or from a file of yours (“file_id”), in a “custom” data source.",
    zh: "评测数据必须位于请求中（“file_content”）或你的文件中（“file_id”），且数据源类型为 “custom”。",
  },
  gateway_eval_tools: {
    en: "Runs of evals take function tools only.",
    zh: "评测运行仅支持函数工具。",
  },
  gateway_eval_item: {
    en: "Every line of the file must be a JSON object.",
    zh: "文件的每一行都必须是 JSON 对象。",
  },
  gateway_eval_running: {
    en: "The run “{id}” is under way. Cancel it before you delete it.",
    zh: "评测运行“{id}”正在进行，请先取消再删除。",
  },
  gateway_reinforcement: {
    en: "Reinforcement fine-tuning is billed by the hour and is not supported.",
    zh: "强化微调按小时计费，本站不支持此类任务。",
  },
} as const;
