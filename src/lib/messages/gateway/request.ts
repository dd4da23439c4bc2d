/** What is wrong with a request. */
export const requestMessages = {
  gateway_not_offered: { en: "This endpoint is not available.", zh: "该接口不可用。" },
  gateway_not_offered_here: {
    en: "No channel available to you supports this endpoint.",
    zh: "你可用的渠道均不支持该接口。",
  },
  gateway_unknown_url: { en: "Invalid URL ({method} {path})", zh: "无效的 URL（{method} {path}）" },
  gateway_unknown_url_nearest: {
    en: "Invalid URL ({method} {path}). Did you mean {nearest}?",
    zh: "无效的 URL（{method} {path}）。你要找的是 {nearest} 吗？",
  },
  gateway_not_cached: { en: "The response is not in the cache.", zh: "缓存中没有该响应。" },
  gateway_websocket_only: {
    en: "This endpoint accepts WebSocket connections only.",
    zh: "该接口仅支持 WebSocket 连接。",
  },
  gateway_frame_no_object: {
    en: "A frame must be text that holds a JSON object.",
    zh: "每一帧都必须是包含 JSON 对象的文本。",
  },
  gateway_event_unknown: { en: "Events of type “{type}” are not supported.", zh: "不支持“{type}”类型的事件。" },
  gateway_stream_id_invalid: {
    en: "“stream_id” must be a string of 1 to 128 characters.",
    zh: "“stream_id”必须是 1 到 128 个字符的字符串。",
  },
  gateway_background_socket: {
    en: "“background” is not supported over WebSocket.",
    zh: "WebSocket 不支持“background”。",
  },
  gateway_response_cancelled: { en: "The response was canceled.", zh: "响应已取消。" },
  gateway_socket_expired: {
    en: "This WebSocket connection has reached its limit of 60 minutes. Create a new one to continue.",
    zh: "此 WebSocket 连接已达到 60 分钟的上限。请新建连接后继续。",
  },
  gateway_socket_busy: {
    en: "Too many responses are waiting on this connection. Wait for one to complete.",
    zh: "此连接上等待的响应过多，请等其中一个完成。",
  },
  gateway_sockets_many: {
    en: "You have {count} open WebSocket connections. Close one first.",
    zh: "你已打开 {count} 个 WebSocket 连接，请先关闭一个。",
  },
  gateway_body_late: { en: "Timed out while receiving the request body.", zh: "接收请求体超时。" },
  gateway_body_too_large: { en: "The request body is larger than {megabytes} MB.", zh: "请求体超过 {megabytes} MB。" },
  gateway_body_encoding: {
    en: "The content encoding “{encoding}” is not supported.",
    zh: "不支持内容编码 “{encoding}”。",
  },
  gateway_body_not_encoded: {
    en: "The request body is not valid {encoding}.",
    zh: "请求体不是有效的 {encoding} 数据。",
  },
  gateway_body_no_object: { en: "The request body is not a JSON object.", zh: "请求体不是 JSON 对象。" },
  gateway_body_too_deep: {
    en: "The request body is nested deeper than {most} levels.",
    zh: "请求体的嵌套超过 {most} 层。",
  },
  gateway_body_no_form: {
    en: "The request body is not a valid multipart form.",
    zh: "请求体不是有效的 multipart 表单。",
  },
  gateway_event_no_object: { en: "The event is not a JSON object.", zh: "事件不是 JSON 对象。" },
  gateway_field_missing: { en: "“{field}” is missing.", zh: "缺少 “{field}”。" },
  gateway_model_not_in_url: { en: "“model” is missing in the URL.", zh: "URL 中缺少 “model”。" },
  gateway_session_model: {
    en: "A session cannot change its model, which is “{model}”.",
    zh: "会话的模型不能更改，当前为「{model}」。",
  },
  gateway_live_inexpressible: {
    en: "Gemini's Live API cannot express “{field}”.",
    zh: "Gemini 的 Live API 不支持 “{field}”。",
  },
  gateway_live_beta: {
    en: "This model serves the general version of the Realtime API, not its beta: remove “OpenAI-Beta: realtime=v1”.",
    zh: "此模型只支持 Realtime API 的正式版，不支持 Beta 版：请去掉 “OpenAI-Beta: realtime=v1”。",
  },
  gateway_live_fixed: {
    en: "A session on Gemini cannot change these settings after its first input.",
    zh: "Gemini 的会话在首次输入后不能再更改这些设置。",
  },
  gateway_live_busy: { en: "The conversation already has a response in progress.", zh: "对话中已有正在生成的响应。" },
  gateway_live_idle: { en: "There is no response in progress to cancel.", zh: "没有可取消的进行中的响应。" },
  gateway_live_no_input: { en: "There is no input to respond to.", zh: "没有可供响应的输入。" },
  gateway_live_buffer_empty: { en: "The input audio buffer is empty.", zh: "输入音频缓冲区为空。" },
  gateway_live_buffer_full: { en: "Too much input is waiting in the session.", zh: "会话中等待处理的输入过多。" },
  gateway_no_messages: {
    en: "“messages” must be an array with at least one message.",
    zh: "“messages” 必须是至少包含一条消息的数组。",
  },
  gateway_no_message: { en: "The request contains no messages.", zh: "请求中没有消息。" },
  gateway_not_text: { en: "“{field}” must be a string.", zh: "“{field}” 必须是字符串。" },
  gateway_list_empty: {
    en: "“{field}” must be an array with at least one {entry}.",
    zh: "“{field}” 必须是至少包含一项（{entry}）的数组。",
  },
  gateway_too_many_entries: { en: "“{field}” can have at most {count} items.", zh: "“{field}” 最多 {count} 项。" },
  gateway_mcp_unreachable: {
    en: "Error retrieving tool list from MCP server: “{label}”. {why}",
    zh: "无法从 MCP 服务器「{label}」获取工具列表：{why}",
  },
  gateway_mcp_label_twice: {
    en: "The MCP server “{label}” is listed more than once.",
    zh: "MCP 服务器「{label}」重复出现。",
  },
  gateway_mcp_url: {
    en: "The URL of the MCP server “{label}” must begin with https:// or http://.",
    zh: "MCP 服务器「{label}」的 URL 必须以 https:// 或 http:// 开头。",
  },
  gateway_mcp_connector: {
    en: "The MCP server “{label}” is a connector or tunnel of OpenAI, which this model's provider cannot reach. Use “server_url”.",
    zh: "MCP 服务器「{label}」是 OpenAI 的连接器或隧道，该模型的服务商无法使用，请改用 “server_url”。",
  },
  gateway_mcp_no_approval_request: {
    en: "The approval request “{id}” is not part of this conversation.",
    zh: "此对话中没有审批请求 “{id}”。",
  },
  gateway_integer: { en: "“{field}” must be an integer of 1 or more.", zh: "“{field}” 必须是不小于 1 的整数。" },
  gateway_integer_to: {
    en: "“{field}” must be an integer from 1 to {most}.",
    zh: "“{field}” 必须是 1 到 {most} 之间的整数。",
  },
  gateway_field_invalid: { en: "“{field}” must be {expected}.", zh: "“{field}” 无效，应为：{expected}。" },
  gateway_not_boolean: { en: "“{name}” must be true or false.", zh: "“{name}” 必须是 true 或 false。" },
  gateway_member_twice: {
    en: "“{path}” appears twice in the request. Send it once.",
    zh: "请求中 “{path}” 出现了两次，请只发送一次。",
  },
  gateway_member_like: {
    en: "The request contains “{path}”, which some providers read as “{name}”. Send only “{name}”.",
    zh: "请求中有 “{path}”，部分服务商会将其读作 “{name}”。请只发送 “{name}”。",
  },
  gateway_number_range: {
    en: "“{path}” must be a number from {min} to {max}.",
    zh: "“{path}” 必须是 {min} 到 {max} 之间的数字。",
  },
  gateway_integer_range: {
    en: "“{path}” must be an integer from {min} to {max}.",
    zh: "“{path}” 必须是 {min} 到 {max} 之间的整数。",
  },
  gateway_page_limit: { en: "“limit” must be from 1 to {most}.", zh: "“limit” 必须在 1 到 {most} 之间。" },
  gateway_size_letter: {
    en: "Write “size” with an x, for example 1024x1024.",
    zh: "“size” 请用字母 x 书写，例如 1024x1024。",
  },
  gateway_size_range: {
    en: "“size” must be from 1x1 to {most}x{most}.",
    zh: "“size” 必须在 1x1 到 {most}x{most} 之间。",
  },
  gateway_batch_differs: {
    en: "All requests in a batch must have the same taskType, title and outputDimensionality.",
    zh: "同一批次的所有请求必须使用相同的 taskType、title 和 outputDimensionality。",
  },
  gateway_content_no_text: {
    en: "“content” must have at least one part.",
    zh: "“content” 至少需要一个部分。",
  },
  gateway_only_text_embedded: {
    en: "The channels of “{model}” embed only text.",
    zh: "模型“{model}”的渠道只能对文本生成嵌入。",
  },
  gateway_part_not_embedded: {
    en: "Each part to embed needs text, inlineData or fileData.",
    zh: "要生成嵌入的每个部分都必须包含 text、inlineData 或 fileData。",
  },
  gateway_inexpressible: {
    en: "This model's upstream does not support: {names}.",
    zh: "该模型的上游不支持以下参数：{names}。",
  },
  gateway_media_status: {
    en: "Couldn't fetch the {part}: its URL returned status {status}.",
    zh: "无法获取 {part}：其 URL 返回状态码 {status}。",
  },
  gateway_media: { en: "Couldn't fetch the {part}: {reason}.", zh: "无法获取 {part}：{reason}。" },
  gateway_media_type: {
    en: "The image URL returned content of type {mediaType}.",
    zh: "图片 URL 返回的内容类型为 {mediaType}。",
  },
  gateway_media_most: {
    en: "A request can contain at most {count} media URLs.",
    zh: "每个请求最多包含 {count} 个媒体 URL。",
  },
} as const;
