/** What is wrong with a request about something stored: responses, threads, files, batches, fine-tuning jobs. */
export const storedMessages = {
  gateway_response_unknown: { en: "Response with id '{id}' not found.", zh: "没有 ID 为 '{id}' 的响应。" },
  gateway_previous_unknown: {
    en: "Previous response with id '{id}' not found.",
    zh: "没有 ID 为 '{id}' 的前一个响应。",
  },
  gateway_previous_too_long: {
    en: "The conversation up to the response '{id}' is too long to be stored here: send it along instead of its id.",
    zh: "响应 '{id}' 之前的对话过长，无法在此保存：请直接发送全部对话，而不是其 ID。",
  },
  gateway_conversation_too_long: {
    en: "This conversation was too long to be stored.",
    zh: "该对话过长，未能保存。",
  },
  gateway_previous_channel_away: {
    en: "The channel that keeps the previous response is not available.",
    zh: "保存前一个响应的渠道不可用。",
  },
  gateway_compaction_invalid: {
    en: "This compaction item was changed, or another gateway made it. Send it as you received it, or send the conversation itself.",
    zh: "该压缩项已被改动，或由其他网关生成。请按收到时的内容发送，或直接发送对话。",
  },
  gateway_response_running: {
    en: "This response is still being made: cancel it first.",
    zh: "该响应仍在生成中：请先取消。",
  },
  gateway_response_whole: { en: "A response that is stored here is read whole.", zh: "保存在此的响应只能整体读取。" },
  gateway_response_not_cancellable: {
    en: "Only responses created in the background can be cancelled.",
    zh: "只有在后台创建的响应才能取消。",
  },
  gateway_background_unstored: {
    en: "A response that is made in the background must be stored.",
    zh: "在后台生成的响应必须保存。",
  },
  gateway_item_unknown: { en: "There is no item “{id}”.", zh: "条目 “{id}” 不存在。" },
  gateway_reference_unsupported: {
    en: "“{name}” refers to something that the provider of this model does not keep. Send the content itself instead.",
    zh: "“{name}” 引用了该模型的提供商未保存的内容，请直接发送内容本身。",
  },
  gateway_threads_unsupported: {
    en: "No channel for this model keeps message threads. Send the whole conversation without “thread”.",
    zh: "该模型没有支持消息线程的渠道。请去掉 “thread” 并发送完整对话。",
  },
  gateway_thread_unknown: {
    en: "No thread is stored here for the message '{id}'. Send the whole conversation with a new thread.",
    zh: "这里没有保存消息 '{id}' 的线程。请以新线程发送完整对话。",
  },
  gateway_object_unknown: { en: "No such object: {id}", zh: "对象不存在：{id}" },
  gateway_object_channel_away: {
    en: "The channel that keeps this object is not available.",
    zh: "保存该对象的渠道不可用。",
  },
  gateway_files_apart: { en: "Both files must lie at the same upstream.", zh: "两个文件必须位于同一上游。" },
  gateway_batch_no_model: {
    en: "Every line of a batch must have a body with a model.",
    zh: "批处理文件的每一行都必须有包含模型的 body。",
  },
  gateway_batch_no_body: {
    en: "Every line of a batch must be a JSON object with a “body”.",
    zh: "批处理文件的每一行都必须是带有 “body” 的 JSON 对象。",
  },
  gateway_batch_empty: { en: "The batch has no calls.", zh: "批处理文件中没有调用。" },
  gateway_batch_model: {
    en: "The model “{model}” is not served to the group “{group}”.",
    zh: "分组「{group}」不提供模型「{model}」。",
  },
  gateway_batch_line: { en: "{reason} (custom_id: {id})", zh: "{reason}（该行的 custom_id：{id}）" },
  gateway_training_no_object: {
    en: "Every line of the training file must be a JSON object.",
    zh: "训练文件的每一行都必须是 JSON 对象。",
  },
  gateway_training_empty: { en: "The training file has no examples.", zh: "训练文件中没有样本。" },
  gateway_reinforcement: {
    en: "Reinforcement is billed by the hour: such jobs are not offered here.",
    zh: "强化微调按小时计费，这里不提供此类任务。",
  },
} as const;
