/** Why no channel served a call, or why the upstream of one failed. */
export const upstreamMessages = {
  gateway_no_channel_now: {
    en: "No channel can serve the model “{model}” in the group “{group}” right now. Try again shortly.",
    zh: "分组「{group}」下暂时没有渠道可以提供模型「{model}」，请稍后重试。",
  },
  gateway_no_channel: {
    en: "No channel is available for the model “{model}” in the group “{group}”.",
    zh: "分组「{group}」下没有可用于模型「{model}」的渠道。",
  },
  gateway_route_no_channel: {
    en: "No channel can serve a model of the route “{route}” right now. Try again shortly.",
    zh: "路由「{route}」的各个模型暂时都没有可用渠道，请稍后重试。",
  },
  gateway_route_conditions: {
    en: "No model of the route “{route}” accepts this request: its conditions on prompt length, content, tools, tags, group or time exclude it.",
    zh: "路由「{route}」中没有模型可以处理该请求：不满足提示词长度、内容、工具、标签、分组或时段条件。",
  },
  gateway_no_preferred_channel: {
    en: "No channel of the model “{model}” matches the request's “provider” preferences.",
    zh: "模型「{model}」没有符合请求 “provider” 偏好的渠道。",
  },
  gateway_openrouter_only: {
    en: "Only channels of OpenRouter follow “provider.{member}”, and the model “{model}” has none. Leave it out to use other channels.",
    zh: "“provider.{member}” 仅由 OpenRouter 类型的渠道处理，而模型「{model}」没有这类渠道。去掉该字段即可使用其他渠道。",
  },
  gateway_model_unknown: {
    en: "The model “{model}” does not exist, or this API key has no access to it.",
    zh: "模型「{model}」不存在，或该令牌无权使用。",
  },
  gateway_no_price: {
    en: "The model “{model}” has no price. An administrator can set one, or you can allow models without a price in your personal settings.",
    zh: "模型「{model}」未设置价格。管理员可为其设置价格，你也可以在个人设置中允许使用未设置价格的模型。",
  },
  gateway_channel_unsuited: { en: "This channel does not support this type of request.", zh: "渠道不支持此类请求。" },
  gateway_channel_unknown: { en: "Channel {id} does not exist.", zh: "渠道 {id} 不存在。" },
  gateway_channel_off: { en: "Channel {id} is disabled.", zh: "渠道 {id} 已禁用。" },
  gateway_unreachable: { en: "Couldn't reach the upstream.", zh: "无法连接上游。" },
  gateway_timeout: { en: "The upstream did not respond in time.", zh: "上游响应超时。" },
  gateway_broken: { en: "The upstream's response was interrupted.", zh: "上游的响应中断。" },
  gateway_stalled: {
    en: "The upstream stopped sending before its response was complete.",
    zh: "上游在响应完成之前停止了发送。",
  },
  gateway_too_large: { en: "The upstream's response is too large.", zh: "上游的响应过大。" },
  gateway_busy: { en: "All connections to the upstream are in use.", zh: "到上游的连接已全部被占用。" },
  gateway_invalid: {
    en: "The upstream's response is not valid for this API.",
    zh: "上游返回的内容不是该接口的有效响应。",
  },
  gateway_empty: { en: "The upstream's response was empty.", zh: "上游的响应为空。" },
  gateway_stream_idle: { en: "The upstream sent no data for {seconds} s.", zh: "上游已 {seconds} 秒没有发送数据。" },
  gateway_stream_broken: {
    en: "The upstream ended the stream before it was complete.",
    zh: "上游在流式响应完成前结束了连接。",
  },
  gateway_socket_broken: { en: "The upstream closed the connection.", zh: "上游断开了连接。" },
  gateway_response_failed: { en: "The response failed.", zh: "响应失败。" },
  gateway_saturated: {
    en: "The upstream of this group is at capacity. Try again later.",
    zh: "当前分组的上游负载已饱和，请稍后再试。",
  },
  gateway_hidden: { en: "Upstream error with status code {status}", zh: "上游错误，状态码 {status}" },
} as const;
