/** Why no channel served a call, or why the upstream of one failed. */
export const upstreamMessages = {
  gateway_no_channel_now: {
    en: "No channel can serve the model “{model}” in the group “{group}” at the moment.",
    zh: "分组「{group}」下暂时没有渠道可以提供模型「{model}」。",
  },
  gateway_no_channel: {
    en: "There is no available channel for the model “{model}” in the group “{group}”.",
    zh: "分组「{group}」下没有可用于模型「{model}」的渠道。",
  },
  gateway_model_unknown: {
    en: "The model “{model}” does not exist, or this API key has no access to it.",
    zh: "模型「{model}」不存在，或该 API 密钥无权使用。",
  },
  gateway_no_price: {
    en: "The model “{model}” has no price yet. The administrator can set one, or you can accept models without a price in your settings.",
    zh: "模型「{model}」尚未定价。管理员可为其设置价格，您也可以在个人设置中接受未定价的模型。",
  },
  gateway_channel_unsuited: { en: "The channel cannot serve this kind of request.", zh: "渠道不支持此类请求。" },
  gateway_channel_unknown: { en: "There is no channel {id}.", zh: "渠道 {id} 不存在。" },
  gateway_channel_off: { en: "The channel {id} is disabled.", zh: "渠道 {id} 已禁用。" },
  gateway_unreachable: { en: "The request to the upstream address failed.", zh: "请求上游地址失败。" },
  gateway_timeout: { en: "The upstream did not answer in time.", zh: "上游响应超时。" },
  gateway_broken: { en: "The upstream's answer broke off.", zh: "上游的响应中途断开。" },
  gateway_stalled: {
    en: "The upstream stopped sending before its answer was complete.",
    zh: "上游在响应完成之前停止了发送。",
  },
  gateway_too_large: { en: "The upstream's answer is too large.", zh: "上游的响应过大。" },
  gateway_busy: { en: "All connections to the upstream are in use.", zh: "到上游的连接已全部被占用。" },
  gateway_invalid: {
    en: "The upstream's answer is not a response of this API.",
    zh: "上游返回的内容不是该接口的有效响应。",
  },
  gateway_empty: { en: "The upstream's answer was empty.", zh: "上游的响应为空。" },
  gateway_stream_idle: { en: "The upstream sent nothing for {seconds} s.", zh: "上游已 {seconds} 秒没有发送数据。" },
  gateway_stream_broken: {
    en: "The upstream ended the stream before it was complete.",
    zh: "上游在流式响应完成前结束了连接。",
  },
  gateway_socket_broken: { en: "The upstream broke the connection off.", zh: "上游断开了连接。" },
  gateway_response_failed: { en: "The response failed.", zh: "响应失败。" },
  gateway_saturated: {
    en: "The upstream of this group is saturated. Try again later.",
    zh: "当前分组的上游负载已饱和，请稍后再试。",
  },
  gateway_hidden: { en: "Upstream error with status code {status}", zh: "上游错误，状态码 {status}" },
} as const;
